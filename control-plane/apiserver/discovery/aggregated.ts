import type { Group, ResourceFacts } from "../../../shared/schema/index.ts";

/** Everything that is served in one document (apidiscovery.k8s.io/v2, KEP-3352). */
export const renderDiscovery = (groups: Group[], resources: ResourceFacts[]) => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: groups.map(({ name, versions }) => ({
    metadata: name === "" ? {} : { name },
    versions: versions.map((version) => ({
      version,
      resources: resources.filter((facts) => facts.group === name && facts.version === version).map(renderResource),
      freshness: "Current",
    })),
  })),
});

function renderResource(facts: ResourceFacts) {
  const { resource, kind, namespaced, singular, verbs, shortNames, categories, subresources } = facts;
  return {
    resource,
    responseKind: { group: "", version: "", kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources: subresources.map(renderSubresource) } : {}),
  };
}

const renderSubresource = ({ name, kind, group, version, verbs }: ResourceFacts["subresources"][number]) => ({
  subresource: name,
  responseKind: { group: group ?? "", version: version ?? "", kind },
  verbs,
});
