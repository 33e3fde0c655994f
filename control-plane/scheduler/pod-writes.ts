import { isNotFound } from "../../shared/api/status.ts";
import type { Pod, PodCondition } from "../../shared/api/types.ts";
import { type ControllerDeps, conditionsPatch, PODS, printTime } from "../runtime/index.ts";
import type { EventSeriesRecorder } from "./event-series.ts";

/** Upstream cuts event notes there. */
const MAX_NOTE_LENGTH = 1024;

export interface WriteDeps extends Pick<ControllerDeps, "api" | "clock"> {
  events: EventSeriesRecorder;
}

/** What becomes of status.nominatedNodeName: a name sets it, null takes it away, undefined leaves it. */
export type Nomination = string | null | undefined;

/** @throws what the API says, NotFound if the pod is gone */
export async function bind(pod: Pod, node: string, { api, events }: WriteDeps): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target };
  await api.create(PODS, binding, { name, subresource: "binding" });
  events.record({
    regarding: pod,
    type: "Normal",
    reason: "Scheduled",
    action: "Binding",
    note: `Successfully assigned ${namespace}/${name} to ${node}`,
  });
}

/** The event, and the pod's PodScheduled condition and nomination where they say something else. */
export async function reportFailure(
  pod: Pod,
  { message, isError = false, nomination }: { message: string; isError?: boolean; nomination?: Nomination },
  { api, clock, events }: WriteDeps,
): Promise<void> {
  const note = message.length > MAX_NOTE_LENGTH ? `${message.slice(0, MAX_NOTE_LENGTH - 4)} ...` : message;
  events.record({ regarding: pod, type: "Warning", reason: "FailedScheduling", action: "Scheduling", note });
  const condition = conditionFor(
    pod,
    { type: "PodScheduled", status: "False", reason: isError ? "SchedulerError" : "Unschedulable", message },
    clock,
  );
  const status = {
    ...(condition ? conditionsPatch(pod.status?.conditions, [condition]) : {}),
    ...(nomination === undefined || (nomination ?? undefined) === pod.status?.nominatedNodeName
      ? {}
      : { nominatedNodeName: nomination }),
  };
  if (Object.keys(status).length > 0) await patchStatus(pod, status, api);
}

/** Upstream's words for a pod whose turn comes when it is deleted already. */
export function tellOfSkipping(pod: Pod, { events }: Pick<WriteDeps, "events">): void {
  const note = `skip schedule deleting pod: ${pod.metadata.namespace}/${pod.metadata.name}`;
  events.record({ regarding: pod, type: "Warning", reason: "FailedScheduling", action: "Scheduling", note });
}

/** Tells a victim why, then deletes it; one that is going away already is left alone. */
export async function evict(
  victim: Pod,
  { preemptor, node }: { preemptor: Pod; node: string },
  { api, clock, events }: WriteDeps,
): Promise<void> {
  const { name, namespace, uid, deletionTimestamp } = victim.metadata;
  if (deletionTimestamp) return;
  const message = `${preemptor.spec?.schedulerName}: preempting to accommodate a higher priority pod`;
  const reason = "PreemptionByScheduler";
  const condition = conditionFor(victim, { type: "DisruptionTarget", status: "True", reason, message }, clock);
  try {
    if (condition) await patchStatus(victim, conditionsPatch(victim.status?.conditions, [condition]), api);
    await api.delete(PODS, { name, namespace }, { uid });
  } catch (error) {
    if (isNotFound(error)) return;
    throw new Error(`evict ${namespace}/${name}`, { cause: error });
  }
  events.record({
    regarding: victim,
    type: "Normal",
    reason: "Preempted",
    action: "Preempting",
    note: `Preempted by pod ${preemptor.metadata.uid} on node ${node}`,
  });
}

/** Says where a pod will run before its volumes are there (KEP-5278). */
export async function nominate(pod: Pod, node: string, { api }: WriteDeps): Promise<void> {
  if (pod.status?.nominatedNodeName !== node) await patchStatus(pod, { nominatedNodeName: node }, api);
}

/** Another pod needs the place that was promised to this one. */
export async function clearNomination(pod: Pod, { api }: WriteDeps): Promise<void> {
  await patchStatus(pod, { nominatedNodeName: null }, api);
}

async function patchStatus({ metadata }: Pod, status: object, api: WriteDeps["api"]): Promise<void> {
  const { name, namespace } = metadata;
  await api.patch(PODS, { name, namespace, subresource: "status" }, "strategic", { status });
}

/** The condition as it is written; undefined where the pod has it already. The time moves only with its status. */
function conditionFor(
  pod: Pod,
  wanted: Pick<PodCondition, "type" | "status" | "reason" | "message">,
  clock: WriteDeps["clock"],
) {
  const before = pod.status?.conditions?.find(({ type }) => type === wanted.type);
  const isSameStatus = before?.status === wanted.status;
  if (isSameStatus && before.reason === wanted.reason && before.message === wanted.message) return undefined;
  const lastTransitionTime = isSameStatus ? before.lastTransitionTime : printTime(clock.nowMs());
  return { ...wanted, observedGeneration: pod.metadata.generation, lastProbeTime: null, lastTransitionTime };
}
