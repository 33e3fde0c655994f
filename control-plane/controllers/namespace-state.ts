import type { Namespace } from "../../shared/api/types.ts";

/** It is being deleted: nothing can be created in it any more. */
export const isGoing = (namespace: Namespace): boolean =>
  !!namespace.metadata.deletionTimestamp || namespace.status?.phase === "Terminating";
