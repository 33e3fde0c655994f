import { isReady } from "../../../shared/api/conditions.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { PODS } from "../../../shared/api/refs.ts";
import type { Pod } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  type Enqueue,
  Expectations,
  type InformerEvent,
  keyOf,
  OwnWrites,
} from "../../runtime/index.ts";
import { BY_CONTROLLER, byController } from "../by-controller.ts";
import { wakeOwners } from "../owner-keys.ts";
import { podControl } from "../pod-control.ts";
import { observePod } from "../pod-expectations.ts";
import { type ReplicasDeps, type ReplicasKind, reconcile } from "./reconcile.ts";

export interface ReplicasController<T extends KubeObject> {
  name: string;
  serviceAccount: string;
  kind: ReplicasKind<T>;
}

export function replicasController<T extends KubeObject>({
  name,
  serviceAccount,
  kind,
}: ReplicasController<T>): ControllerDefinition {
  return {
    name,
    serviceAccount,
    build(base) {
      const deps: ReplicasDeps<T> = {
        ...base,
        kind,
        pods: base.informer<Pod>(PODS),
        owners: base.informer<T>(kind.ref),
        expectations: new Expectations(base.clock),
        ownWrites: new OwnWrites(),
        podControl: podControl(base.api, base.events),
      };
      deps.pods.addIndex(BY_CONTROLLER, byController);
      deps.owners.addIndex(BY_CONTROLLER, byController);
      return {
        concurrency: 5,
        start(enqueue) {
          deps.owners.onEvent((event) => onOwner(event, deps, enqueue));
          deps.pods.onEvent((event) => onPod(event, deps, enqueue));
        },
        reconcile: (key) => reconcile(key, deps),
      };
    },
  };
}

function onOwner<T extends KubeObject>(
  { type, object }: InformerEvent<T>,
  { expectations }: ReplicasDeps<T>,
  enqueue: Enqueue,
): void {
  const key = keyOf(object);
  if (type === "deleted") expectations.forget(key);
  enqueue(key);
}

function onPod<T extends KubeObject>(event: InformerEvent<Pod>, deps: ReplicasDeps<T>, enqueue: Enqueue): void {
  const { owners, kind, expectations } = deps;
  const pod = event.object;
  const selectorOf = (owner: T) => kind.view(owner).spec.selector;
  const owner = wakeOwners(event, { owners, selectorOf, enqueue });
  if (owner === undefined) return;
  observePod(event, owner, expectations);
  const becameReady = event.type === "updated" && !isReady(event.old) && isReady(pod);
  const object = owners.get(owner);
  const minReadySeconds = object ? (kind.view(object).spec.minReadySeconds ?? 0) : 0;
  if (becameReady && minReadySeconds > 0) enqueue(owner, minReadySeconds * 1000);
}
