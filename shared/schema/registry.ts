import type { GroupVersionKind, GroupVersionResource } from "../api/group-resource.ts";
import { RESOURCES } from "./facts/resources.ts";
import type { ResourceFacts } from "./resources.ts";

export { RESOURCES };

/** A served group; `versions` by preference, the first is the preferred one. */
export interface Group {
  name: string;
  versions: string[];
}

/** In upstream's order; the core group (empty name) first. */
export const GROUPS: Group[] = groupsOf(RESOURCES);

function groupsOf(resources: ResourceFacts[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { group, version } of resources) {
    const known = groups.get(group);
    if (!known) groups.set(group, { name: group, versions: [version] });
    else if (!known.versions.includes(version)) known.versions.push(version);
  }
  return [...groups.values()];
}

const byResource = new Map(RESOURCES.map((facts) => [`${facts.group}/${facts.version}/${facts.resource}`, facts]));
const byKind = new Map(RESOURCES.map((facts) => [`${facts.group}/${facts.version}/${facts.kind}`, facts]));

/** The built-in resource of that exact group and version. */
export function findResource({ group, version, resource }: GroupVersionResource): ResourceFacts | undefined {
  return byResource.get(`${group}/${version}/${resource}`);
}

/** The resource that serves a kind (not those of subresources, such as Scale). */
export function findKind({ group, version, kind }: GroupVersionKind): ResourceFacts | undefined {
  return byKind.get(`${group}/${version}/${kind}`);
}
