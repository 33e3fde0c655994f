import { STORAGE_VERSION_HASHES } from "../../../generated/build-facts.ts";
import { printGroupVersion } from "../../../shared/api/group-resource.ts";
import type { Group, ResourceFacts } from "../../../shared/schema/index.ts";

/** `/api`. @param serverAddress where the client called: upstream tells its own address */
export const renderApiVersions = (serverAddress: string) => ({
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
});

/** `/apis`. */
export const renderGroupList = (groups: Group[]) => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: groups.filter(({ name }) => name !== "").map(groupBody),
});

/** `/apis/<group>`. */
export const renderGroup = (group: Group) => ({ kind: "APIGroup", apiVersion: "v1", ...groupBody(group) });

function groupBody({ name, versions }: Group) {
  const rendered = versions.map((version) => ({ groupVersion: printGroupVersion({ group: name, version }), version }));
  return { name, versions: rendered, preferredVersion: rendered[0] };
}

/** `/api/v1` and `/apis/<group>/<version>`; the core group's carries no apiVersion. */
export function renderResourceList(groupVersion: string, resources: ResourceFacts[]) {
  return {
    kind: "APIResourceList",
    ...(groupVersion.includes("/") ? { apiVersion: "v1" } : {}),
    groupVersion,
    resources: resources.flatMap((facts) => [renderResource(facts), ...renderSubresources(facts)]),
  };
}

function renderResource(facts: ResourceFacts) {
  const { group, version, resource, kind, singular, namespaced, verbs, shortNames, categories } = facts;
  const storageVersionHash = STORAGE_VERSION_HASHES[`${group}/${version}/${resource}`];
  return {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(storageVersionHash ? { storageVersionHash } : {}),
  };
}

function renderSubresources({ resource, namespaced, subresources }: ResourceFacts) {
  return subresources.map(({ name, kind, group, version, verbs }) => ({
    name: `${resource}/${name}`,
    singularName: "",
    namespaced,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    kind,
    verbs,
  }));
}
