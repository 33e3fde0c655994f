/** One row: a resource of a built-in group and version, with all that discovery says of it. */
export interface ResourceFacts {
  group: string;
  version: string;
  resource: string;
  kind: string;
  singular: string;
  namespaced: boolean;
  shortNames: string[];
  categories: string[];
  verbs: Verb[];
  subresources: SubresourceFacts[];
  /** Name in `Definitions`. */
  schema: string;
  /**
   * Where objects lie when it is not `<group>/<resource>` in this very version: the version's two views of one stored
   * object (autoscaling v1 over v2, events core/v1 and events.k8s.io/v1).
   */
  storedAs?: { group: string; version: string; resource: string };
  /** Not stored at all: reviews, bindings, component statuses. */
  virtual?: boolean;
  /** Field selectors beside metadata.name and metadata.namespace. */
  selectableFields: string[];
}

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

export interface SubresourceFacts {
  name: string;
  kind: string;
  /** Where it is not the resource's own group and version: autoscaling/v1 Scale, policy/v1 Eviction. */
  group?: string;
  version?: string;
  verbs: Verb[];
}
