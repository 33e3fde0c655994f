import { REPLICATION_CONTROLLERS } from "../../../shared/api/refs.ts";
import type { ReplicaSet, ReplicationController } from "../../../shared/api/types.ts";
import { replicasController } from "../replicaset/index.ts";

/** A ReplicationController is a ReplicaSet with a selector of labels alone; its pods are kept by the same rules. */
export const replicationController = replicasController<ReplicationController>({
  name: "replicationcontroller",
  serviceAccount: "replication-controller",
  kind: {
    ref: REPLICATION_CONTROLLERS,
    view: asReplicaSet,
    countsTerminating: false,
    withStatus: (controller, status) => ({ ...controller, status }),
  },
});

function asReplicaSet({ spec, ...rest }: ReplicationController): ReplicaSet {
  const { selector, ...others } = spec;
  return { ...rest, spec: { ...others, selector: { matchLabels: selector } } };
}
