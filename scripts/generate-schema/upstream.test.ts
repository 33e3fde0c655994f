import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { definitions, GROUPS, RESOURCES, type ResourceFacts, type Schema } from "../../shared/schema/index.ts";

/*
 * Our definitions and tables against what upstream publishes. Its documents are no part of the project: where they are
 * not at hand (../shared), there is nothing to compare with.
 */
const DATA = join(import.meta.dirname, "../../../shared/data");
const isThere = existsSync(DATA);

interface Swagger {
  definitions: Record<string, PublishedSchema>;
  paths: Record<string, Record<string, PublishedOperation>>;
}

interface PublishedSchema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string;
  items?: PublishedSchema;
  additionalProperties?: PublishedSchema;
  properties?: Record<string, PublishedSchema>;
  required?: string[];
}

interface PublishedOperation {
  operationId: string;
  tags: string[];
  responses: Record<string, { schema?: PublishedSchema }>;
  "x-kubernetes-action": string;
  "x-kubernetes-group-version-kind": { group: string; version: string; kind: string };
}

const swagger = isThere
  ? (JSON.parse(gunzipSync(readFileSync(join(DATA, "swagger-v1.36.2.json.gz"))).toString()) as Swagger)
  : { definitions: {}, paths: {} };

/** The two spellings of one fact. */
const KEYWORDS = {
  "x-kubernetes-list-type": "listType",
  "x-kubernetes-list-map-keys": "listMapKeys",
  "x-kubernetes-map-type": "mapType",
  "x-kubernetes-patch-strategy": "patchStrategy",
  "x-kubernetes-patch-merge-key": "patchMergeKey",
} as const;

/** A published schema in our form: types, references, formats, required fields and merge facts. */
function asOurs(published: PublishedSchema): Schema {
  const ours: Schema = {};
  if (published.$ref) ours.$ref = published.$ref.slice("#/definitions/".length);
  if (published.type) ours.type = published.type as Schema["type"];
  if (published.format) ours.format = published.format as string;
  if (published.items) ours.items = asOurs(published.items);
  if (published.additionalProperties) ours.additionalProperties = asOurs(published.additionalProperties);
  if (published.required) ours.required = [...published.required].sort();
  for (const [theirs, keyword] of Object.entries(KEYWORDS)) {
    if (published[theirs] !== undefined) Object.assign(ours, { [keyword]: published[theirs] });
  }
  if (published.properties) {
    ours.properties = Object.fromEntries(Object.entries(published.properties).map(([k, v]) => [k, asOurs(v)]));
  }
  return ours;
}

/** Ours without what upstream does not publish there. */
function published(schema: Schema): Schema {
  const { default: _default, always: _always, pointer: _pointer, goType: _goType, enum: _enum, ...rest } = schema;
  const { preserveUnknownFields: _free, ...kept } = rest;
  if (kept.format === "quantity") delete kept.format;
  if (kept.format === "micro-time") kept.format = "date-time";
  if (kept.items) kept.items = published(kept.items);
  if (kept.additionalProperties) kept.additionalProperties = published(kept.additionalProperties);
  if (kept.properties) {
    kept.properties = Object.fromEntries(Object.entries(kept.properties).map(([k, v]) => [k, published(v)]));
    if (Object.keys(kept.properties).length === 0) delete kept.properties;
  }
  return kept;
}

describe.skipIf(!isThere)("upstream's published schema", () => {
  it.each(Object.keys(definitions()))("%s", (name) => {
    expect(published(definitions()[name]!)).toEqual(asOurs(swagger.definitions[name]!));
  });

  it("has no definition that a served path needs and we lack", () => {
    const missing = new Set<string>();
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, part] of Object.entries(value)) {
        if (key !== "$ref" || typeof part !== "string") visit(part);
        else if (part.startsWith("#/definitions/") && !definitions()[part.slice(14)]) missing.add(part.slice(14));
      }
    };
    for (const path of servedPaths()) visit(swagger.paths[path]);
    expect([...missing]).toEqual([]);
  });
});

/** Paths of the served group versions, those of discovery, and what is no group's: but logs of the machine, of which there are none. */
function servedPaths(): string[] {
  const groups = GROUPS.map(({ name }) => (name === "" ? "/api/" : `/apis/${name}/`));
  const roots = GROUPS.flatMap(({ versions }, i) => versions.map((version) => `${groups[i]}${version}/`));
  return Object.keys(swagger.paths).filter((path) => {
    if (path.startsWith("/logs/")) return false;
    if (!/^\/apis?\/./.test(path)) return true;
    return groups.includes(path) || roots.some((root) => path.startsWith(root));
  });
}

/** What the control plane says of its paths; its types belong to another runtime. */
const OPERATIONS: string = "../../control-plane/apiserver/openapi/operations.ts";
const OTHER_PATHS: string = "../../control-plane/apiserver/openapi/other-paths.ts";
interface DescribedOperation {
  path: string;
  method: string;
  action?: string;
  id: string;
  tag: string;
  kind?: { group: string; version: string; kind: string };
  response?: string;
}

describe.skipIf(!isThere)("upstream's published paths", async () => {
  const { operationsOf } = (await import(OPERATIONS)) as { operationsOf(facts: ResourceFacts): DescribedOperation[] };
  const { otherPaths } = (await import(OTHER_PATHS)) as { otherPaths(): { operation: DescribedOperation }[] };
  const all = [...RESOURCES.flatMap(operationsOf), ...otherPaths().map(({ operation }) => operation)];
  const ours = new Map(all.map((one) => [`${one.method} ${one.path}`, one]));
  const theirs = servedPaths().flatMap((path) =>
    Object.entries(swagger.paths[path]!)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );

  it("are those that we serve", () => {
    expect([...ours.keys()].sort()).toEqual(theirs.map(({ name }) => name).sort());
  });

  it.each(theirs)("$name", ({ name, operation }) => {
    const { id, action, tag, kind, response } = ours.get(name)!;
    expect({ id, action, tag, kind }).toEqual({
      id: operation.operationId,
      action: operation["x-kubernetes-action"],
      tag: operation.tags[0],
      kind: operation["x-kubernetes-group-version-kind"],
    });
    expect(response).toBe(operation.responses[200]?.schema?.$ref?.slice("#/definitions/".length));
  });
});

describe.skipIf(!isThere)("upstream's discovery", () => {
  interface Discovered {
    resource: string;
    responseKind: { group: string; version: string; kind: string };
    scope: string;
    singularResource: string;
    shortNames?: string[];
    categories?: string[];
    verbs: string[];
    subresources?: { subresource: string; responseKind: Discovered["responseKind"]; verbs: string[] }[];
  }
  const path = join(DATA, "discovery/aggregated_v2.json");
  const { items } = isThere
    ? (JSON.parse(readFileSync(path, "utf8")) as {
        items: { metadata: { name: string }; versions: { version: string; resources: Discovered[] }[] }[];
      })
    : { items: [] };
  const served = items
    .map(({ metadata, versions }) => ({
      name: metadata.name,
      versions: versions.filter(({ version }) => /^v\d+$/.test(version)),
    }))
    .filter(({ versions }) => versions.length > 0);

  it("lists the same groups and versions, in the same order", () => {
    expect(GROUPS.slice(1)).toEqual(
      served.map(({ name, versions }) => ({ name, versions: versions.map(({ version }) => version) })),
    );
  });

  it.each(served.flatMap(({ name, versions }) => versions.map((version) => ({ name, ...version }))))(
    "$name/$version",
    ({ name, version, resources }) => {
      const ours = RESOURCES.filter((facts) => facts.group === name && facts.version === version);
      expect(ours.map(asDiscovered)).toEqual(resources.map(withLists));
    },
  );

  const withLists = ({ shortNames = [], categories = [], subresources = [], ...rest }: Discovered) => ({
    shortNames,
    categories,
    subresources,
    ...rest,
  });

  function asDiscovered(facts: ResourceFacts) {
    const { resource, kind, namespaced, singular, shortNames, categories, verbs, subresources } = facts;
    return {
      resource,
      responseKind: { group: "", version: "", kind },
      scope: namespaced ? "Namespaced" : "Cluster",
      singularResource: singular,
      shortNames,
      categories,
      verbs,
      subresources: subresources.map((one) => ({
        subresource: one.name,
        responseKind: { group: one.group ?? "", version: one.version ?? "", kind: one.kind },
        verbs: one.verbs,
      })),
    };
  }
});
