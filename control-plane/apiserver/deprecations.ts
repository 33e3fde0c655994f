import type { ResourceFacts } from "../../shared/schema/index.ts";

/** Whole resources whose use is warned of, in upstream's words. */
const DEPRECATED: Record<string, string> = {
  "/endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  "/componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
};

export const deprecationOf = ({ group, resource }: ResourceFacts): string | undefined =>
  DEPRECATED[`${group}/${resource}`];
