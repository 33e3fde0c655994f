import type { KubeObject } from "../../../shared/api/object.ts";
import { BUILT_IN_LEVELS, BUILT_IN_SCHEMAS } from "../strategy/index.ts";

/** Upstream updates them as long as nobody says otherwise. */
const named = ([name, spec]: [string, unknown]): KubeObject => ({
  metadata: { name, annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } },
  spec,
});

/** What clients may read and set; requests are not queued by it. */
export const PRIORITY_LEVEL_OBJECTS: KubeObject[] = Object.entries(BUILT_IN_LEVELS).map(named);
export const FLOW_SCHEMA_OBJECTS: KubeObject[] = Object.entries(BUILT_IN_SCHEMAS).map(named);
