import { HORIZONTAL_POD_AUTOSCALERS, PODS } from "../../../shared/api/refs.ts";
import { matchesRequirements, parseLabelSelector } from "../../../shared/api/selector.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { CustomResourceDefinition, Pod, V2HorizontalPodAutoscaler } from "../../../shared/api/types.ts";
import type { ApiClient, ResourceRef } from "../../../shared/client/api-client.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { type Clock, type EventRecorder, type Log, printTime } from "../../runtime/index.ts";
import { type Condition, type Conditions, withCondition } from "./conditions.ts";
import { type Decision, decide, firstLook, zeroCondition } from "./decide.ts";
import { type History, newHistory } from "./history.ts";
import type { MetricsSource } from "./metrics-client.ts";
import { withChange } from "./normalize.ts";
import { type Proposal, propose } from "./proposal.ts";
import { resourceOfKind, type Scale } from "./scale-target.ts";

/** Tries of a scale that others write, too (client-go's DefaultRetry). */
const MAX_SCALE_TRIES = 5;

export interface Deps {
  api: ApiClient;
  events: EventRecorder;
  clock: Clock;
  log: Log;
  definitions(): CustomResourceDefinition[];
  source: MetricsSource;
  /** Other autoscalers of the namespace whose targets select one of these pods too: `<namespace>/<name>`. */
  rivals(hpa: V2HorizontalPodAutoscaler, selector: string): string[];
  history: { get(): History | undefined; put(history: History): void };
}

/** One pass: scale, metrics, decision, and what came of it into the status. */
export async function reconcile(deps: Deps, hpa: V2HorizontalPodAutoscaler): Promise<void> {
  const { events, clock, log } = deps;
  const { namespace = "", name } = hpa.metadata;
  const nowMs = clock.nowMs();
  let ref: ResourceRef;
  let scale: Scale;
  try {
    ref = resourceOfKind(hpa.spec.scaleTargetRef, deps.definitions());
    scale = await deps.api.get<Scale>(ref, hpa.spec.scaleTargetRef.name, namespace, "scale");
  } catch (error) {
    const message = messageOf(error);
    events.event(hpa, "Warning", "FailedGetScale", message);
    const why = `the HPA controller was unable to get the target's current scale: ${message}`;
    await writeStatus(deps, hpa, [{ type: "AbleToScale", isTrue: false, reason: "FailedGetScale", message: why }], {});
    return;
  }
  const currentReplicas = scale.spec.replicas ?? 0;
  const history = deps.history.get() ?? newHistory(currentReplicas, nowMs);
  const look = firstLook({ hpa, currentReplicas, history });
  const decision = look.ask ? await askMetrics(deps, hpa, scale, history) : look.decision;
  const conditions: Condition[] = [
    {
      type: "AbleToScale",
      isTrue: true,
      reason: "SucceededGetScale",
      message: "the HPA controller was able to get the target's current scale",
    },
    ...decision.conditions,
  ];
  const { metrics } = decision;
  if (decision.failure !== undefined) {
    await writeStatus(deps, hpa, conditions, { currentReplicas, metrics });
    events.event(hpa, "Warning", "FailedComputeMetricsReplicas", decision.failure);
    return;
  }
  const { scaleTo } = decision;
  if (scaleTo === undefined) {
    deps.history.put(decision.history);
    await writeStatus(deps, hpa, conditions, { currentReplicas, desiredReplicas: currentReplicas, metrics });
    return;
  }
  log.info("autoscaler plan", {
    key: `${namespace}/${name}`,
    from: currentReplicas,
    to: scaleTo,
    reason: decision.reason,
  });
  try {
    await rescale(deps.api, ref, scale, scaleTo);
  } catch (error) {
    const message = messageOf(error);
    events.event(
      hpa,
      "Warning",
      "FailedRescale",
      `New size: ${scaleTo}; reason: ${decision.reason}; error: ${message}`,
    );
    const why = `the HPA controller was unable to update the target scale: ${message}`;
    conditions.push({ type: "AbleToScale", isTrue: false, reason: "FailedUpdateScale", message: why });
    await writeStatus(deps, hpa, conditions, { currentReplicas, metrics });
    return;
  }
  deps.history.put(
    hpa.spec.behavior ? withChange(decision.history, currentReplicas, scaleTo, nowMs) : decision.history,
  );
  events.event(hpa, "Normal", "SuccessfulRescale", `New size: ${scaleTo}; reason: ${decision.reason}`);
  const message = `the HPA controller was able to update the target scale to ${scaleTo}`;
  conditions.push({ type: "AbleToScale", isTrue: true, reason: "SucceededRescale", message });
  const zero = zeroCondition(hpa, { from: currentReplicas, to: scaleTo });
  if (zero) conditions.push(zero);
  const lastScaleTime = printTime(nowMs);
  await writeStatus(deps, hpa, conditions, { currentReplicas, desiredReplicas: scaleTo, metrics, lastScaleTime });
}

async function askMetrics(
  deps: Deps,
  hpa: V2HorizontalPodAutoscaler,
  scale: Scale,
  history: History,
): Promise<Decision> {
  const selector = scale.status?.selector ?? "";
  const refusal = checkSelector(deps, hpa, selector);
  if (refusal)
    return { reason: "", conditions: [refusal.condition], metrics: undefined, failure: refusal.failure, history };
  const currentReplicas = scale.spec.replicas ?? 0;
  const nowMs = deps.clock.nowMs();
  let pods: Promise<Pod[]> | undefined;
  const target = {
    hpa,
    specReplicas: currentReplicas,
    statusReplicas: scale.status?.replicas ?? 0,
    selector,
    source: deps.source,
    pods: () => {
      pods ??= deps.api
        .listAll<Pod>(PODS, { namespace: hpa.metadata.namespace, labelSelector: selector })
        .then(({ items }) => items);
      return pods;
    },
    resourceOf: (reference: { apiVersion?: string; kind: string }) => {
      const { group, resource } = resourceOfKind(reference, deps.definitions());
      return group === "" ? resource : `${resource}.${group}`;
    },
    nowMs,
  };
  const proposals: Proposal[] = [];
  for (const spec of hpa.spec.metrics ?? []) {
    const proposal = await propose(target, spec);
    if ("failed" in proposal) deps.events.event(hpa, "Warning", proposal.failed.reason, proposal.failed.message);
    proposals.push(proposal);
  }
  return decide({ hpa, currentReplicas, history, proposals, nowMs });
}

/** Why the selector does not say which pods are meant, or somebody else scales them; undefined when all is well. */
function checkSelector(
  { events, rivals }: Deps,
  hpa: V2HorizontalPodAutoscaler,
  selector: string,
): { condition: Condition; failure: string } | undefined {
  const condition = { type: "ScalingActive", isTrue: false } as const;
  if (selector === "") {
    const failure = "selector is required";
    events.event(hpa, "Warning", "SelectorRequired", failure);
    const message = "the HPA target's scale is missing a selector";
    return { condition: { ...condition, reason: "InvalidSelector", message }, failure };
  }
  const others = rivals(hpa, selector);
  if (others.length === 0) return undefined;
  const failure = `pods by selector ${selector} are controlled by multiple HPAs: [${others.join(" ")}]`;
  events.event(hpa, "Warning", "AmbiguousSelector", failure);
  return { condition: { ...condition, reason: "AmbiguousSelector", message: failure }, failure };
}

async function rescale(api: ApiClient, ref: ResourceRef, scale: Scale, replicas: number): Promise<void> {
  let current = scale;
  for (let tries = 1; ; tries++) {
    try {
      await api.update(ref, { ...current, spec: { ...current.spec, replicas } }, "scale");
      return;
    } catch (error) {
      if (!isConflict(error) || tries >= MAX_SCALE_TRIES) throw error;
      current = await api.get<Scale>(ref, scale.metadata.name, scale.metadata.namespace, "scale");
    }
  }
}

interface StatusChange {
  currentReplicas?: number;
  desiredReplicas?: number;
  metrics?: Decision["metrics"];
  lastScaleTime?: string;
}

async function writeStatus(
  { api, clock, events }: Deps,
  hpa: V2HorizontalPodAutoscaler,
  changes: Condition[],
  { currentReplicas, desiredReplicas, metrics, lastScaleTime }: StatusChange,
): Promise<void> {
  const now = printTime(clock.nowMs());
  const before = hpa.status;
  let conditions: Conditions = before?.conditions ?? [];
  for (const change of changes) conditions = withCondition(conditions, change, now);
  const status: V2HorizontalPodAutoscaler["status"] = {
    ...(currentReplicas === undefined ? pick(before) : { currentReplicas }),
    desiredReplicas: desiredReplicas ?? before?.desiredReplicas ?? 0,
    ...(metrics ? { currentMetrics: metrics } : {}),
    ...((lastScaleTime ?? before?.lastScaleTime) ? { lastScaleTime: lastScaleTime ?? before?.lastScaleTime } : {}),
    conditions: [...conditions],
  };
  if (isSame(before, status)) return;
  try {
    await api.update<V2HorizontalPodAutoscaler>(HORIZONTAL_POD_AUTOSCALERS, { ...hpa, status }, "status");
  } catch (error) {
    // Its change, or its end, brings the next pass.
    if (isNotFound(error) || isConflict(error)) return;
    events.event(hpa, "Warning", "FailedUpdateStatus", messageOf(error));
    throw error;
  }
}

const pick = (status: V2HorizontalPodAutoscaler["status"]) =>
  status?.currentReplicas === undefined ? {} : { currentReplicas: status.currentReplicas };

/** Quantities and order are our own: what was written comes back alike. */
function isSame(a: V2HorizontalPodAutoscaler["status"], b: V2HorizontalPodAutoscaler["status"]): boolean {
  const shown = (status: V2HorizontalPodAutoscaler["status"]) =>
    JSON.stringify([
      status?.currentReplicas ?? 0,
      status?.desiredReplicas ?? 0,
      status?.currentMetrics ?? [],
      status?.lastScaleTime ?? "",
      (status?.conditions ?? []).map(({ type, status, reason, message }) => [type, status, reason, message]),
    ]);
  return shown(a) === shown(b);
}

/** Whether a selector's text selects these labels. */
export function selects(selector: string, labels: Record<string, string> | undefined): boolean {
  return matchesRequirements(parseLabelSelector(selector), labels ?? {});
}
