import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/api/types.ts";
import type { ControllerDeps, Expectations, Informer, OwnWrites } from "../../runtime/index.ts";

export interface StatefulSetDeps extends ControllerDeps {
  sets: Informer<StatefulSet>;
  pods: Informer<Pod>;
  claims: Informer<PersistentVolumeClaim>;
  revisions: Informer<ControllerRevision>;
  expectations: Expectations;
  ownWrites: OwnWrites;
}
