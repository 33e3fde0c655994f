import { REPLICA_SETS } from "../../../shared/api/refs.ts";
import type { ReplicaSet } from "../../../shared/api/types.ts";
import { replicasController } from "./controller.ts";

export { replicasController } from "./controller.ts";

/**
 * Keeps spec.replicas pods of a ReplicaSet: creates what is missing, deletes what is too much, adopts orphans that it
 * selects, and counts them in the status. It neither schedules nor runs anything.
 */
export const replicaSetController = replicasController<ReplicaSet>({
  name: "replicaset",
  serviceAccount: "replicaset-controller",
  kind: {
    ref: REPLICA_SETS,
    view: (rs) => rs,
    countsTerminating: true,
    withStatus: (rs, status) => ({ ...rs, status }),
  },
});
