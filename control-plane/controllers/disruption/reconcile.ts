import { POD_DISRUPTION_BUDGETS, PODS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import { goTextOfSelector } from "../../../shared/api/selector-go-text.ts";
import { ignoreStale, isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import {
  type ControllerDeps,
  conditionsPatch,
  done,
  type Informer,
  printTime,
  type Requeue,
  requeueAfter,
} from "../../runtime/index.ts";
import { countsControllers, decide, decideFailed, type ExpectedScale, staleConditionInMs } from "./decide.ts";
import { expectedScale, type ScaledKinds } from "./expected-scale.ts";

export interface DisruptionDeps extends ControllerDeps, ScaledKinds {
  budgets: Informer<PodDisruptionBudget>;
  pods: Informer<Pod>;
}

/** Brings one budget's status up to date. */
export async function reconcileBudget(key: string, deps: DisruptionDeps): Promise<Requeue> {
  const { budgets, pods, events, clock, log } = deps;
  const budget = budgets.get(key);
  if (!budget) return done;
  const selected = pods
    .list(budget.metadata.namespace)
    .filter(({ metadata }) => matchesLabelSelector(budget.spec.selector, metadata.labels));
  if (selected.length === 0) events.event(budget, "Normal", "NoPods", "No matching pods found");
  let scale: ExpectedScale | undefined;
  try {
    if (countsControllers(budget)) scale = expectedScale(selected, deps);
  } catch (error) {
    const why = messageOf(error);
    events.event(
      budget,
      "Warning",
      "CalculateExpectedPodCountFailed",
      `Failed to calculate the number of expected pods: ${why}`,
    );
    const failed = decideFailed(budget, why, clock.nowMs());
    if (failed) await writeStatus(budget, failed, deps);
    return done;
  }
  if (scale && scale.unmanaged.length > 0) events.event(budget, "Warning", "UnmanagedPods", unmanagedText(budget));
  const { status, notDeleted, recheckAfterMs } = decide(budget, selected, scale, clock.nowMs());
  for (const pod of notDeleted) events.event(pod, "Warning", "NotDeleted", notDeletedText(budget));
  if (status) {
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status;
    log.info("disruption plan", { key, disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods });
    await writeStatus(budget, status, deps);
  }
  return requeueAfter(recheckAfterMs);
}

const unmanagedText = ({ spec }: PodDisruptionBudget) =>
  `Pods selected by this PodDisruptionBudget (selector: ${spec.selector ? goTextOfSelector(spec.selector) : "nil"}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;

/** Upstream prints the namespace twice. */
const notDeletedText = ({ metadata }: PodDisruptionBudget) =>
  `Pod was expected by PDB ${metadata.namespace}/${metadata.namespace} to be deleted but it wasn't`;

/** With the version that was counted: an eviction that came between has the first word. */
async function writeStatus(
  budget: PodDisruptionBudget,
  status: PodDisruptionBudgetStatus,
  { api }: DisruptionDeps,
): Promise<void> {
  try {
    await api.update(POD_DISRUPTION_BUDGETS, { ...budget, status }, "status");
  } catch (error) {
    // It has changed or gone, and that wakes the key.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** Takes the mark of a disruption off a pod that outlived it. */
export async function reconcilePod(key: string, { pods, api, clock, log }: DisruptionDeps): Promise<Requeue> {
  const pod = pods.get(key);
  const inMs = pod && staleConditionInMs(pod, clock.nowMs());
  if (!pod || inMs === undefined) return done;
  if (inMs > 0) return requeueAfter(inMs);
  log.info("stale disruption target", { key });
  const condition = {
    type: "DisruptionTarget",
    status: "False",
    lastTransitionTime: printTime(clock.nowMs()),
    reason: null,
    message: null,
  };
  const { name, namespace, uid } = pod.metadata;
  const patch = { metadata: { uid }, status: conditionsPatch(pod.status?.conditions, [condition]) };
  await api.patch(PODS, { name, namespace, subresource: "status" }, "strategic", patch).catch(ignoreStale);
  return done;
}
