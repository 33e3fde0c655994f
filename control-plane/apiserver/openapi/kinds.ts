import { definitions, GROUPS, RESOURCES } from "../../../shared/schema/index.ts";

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
/** Kinds of subresources, which no row of the table of resources has. */
const SUBRESOURCE_KINDS: Record<string, GroupVersionKind> = {
  "io.k8s.api.autoscaling.v1.Scale": { group: "autoscaling", version: "v1", kind: "Scale" },
  "io.k8s.api.policy.v1.Eviction": { group: "policy", version: "v1", kind: "Eviction" },
  "io.k8s.api.authentication.v1.TokenRequest": { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
};
/** Kinds of the meta group that stand in the core group's version. */
const CORE_META_KINDS = ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"];
/** Kinds that every group version knows. */
const EVERYWHERE = ["DeleteOptions", "WatchEvent"];

let kinds: Map<string, GroupVersionKind[]> | undefined;

/** `x-kubernetes-group-version-kind`: which kinds a definition describes, by its name. */
export function kindsOf(definition: string): GroupVersionKind[] {
  kinds ??= readKinds();
  return kinds.get(definition) ?? [];
}

/** The definition of a kind. */
export function definitionOf({ group, version, kind }: GroupVersionKind): string | undefined {
  kinds ??= readKinds();
  for (const [definition, described] of kinds) {
    if (described.some((one) => one.kind === kind && one.group === group && one.version === version)) return definition;
  }
  return undefined;
}

function readKinds(): Map<string, GroupVersionKind[]> {
  const known = definitions();
  const found = new Map<string, GroupVersionKind[]>();
  for (const [definition, kind] of Object.entries(SUBRESOURCE_KINDS)) found.set(definition, [kind]);
  for (const { group, version, kind, schema } of RESOURCES) {
    found.set(schema, [{ group, version, kind }]);
    if (known[`${schema}List`]) found.set(`${schema}List`, [{ group, version, kind: `${kind}List` }]);
  }
  for (const kind of CORE_META_KINDS) found.set(`${META}.${kind}`, [{ group: "", version: "v1", kind }]);
  const versions = GROUPS.flatMap(({ name, versions: served }) => served.map((version) => ({ group: name, version })));
  for (const kind of EVERYWHERE) {
    found.set(
      `${META}.${kind}`,
      versions.map((groupVersion) => ({ ...groupVersion, kind })),
    );
  }
  return found;
}
