import type { ControllerRevision, DaemonSet, Node, Pod } from "../../../shared/api/types.ts";
import type { ControllerDeps, Expectations, Informer, OwnWrites } from "../../runtime/index.ts";
import type { PodControl } from "../pod-control.ts";
import type { FailedPods } from "./failed-pods.ts";

export interface DaemonSetDeps extends ControllerDeps {
  sets: Informer<DaemonSet>;
  nodes: Informer<Node>;
  pods: Informer<Pod>;
  revisions: Informer<ControllerRevision>;
  expectations: Expectations;
  ownWrites: OwnWrites;
  podControl: PodControl;
  failedPods: FailedPods;
}
