import { multiAttachMessage, type NeedingPod, type Plan } from "./decide.ts";
import type { AttachDeps, Known } from "./deps.ts";

/** Nodes that are refused, and attachments that fail or take too long, are told to the pods there, once for each news. */
export function tellOfTrouble(plan: Plan, known: Known, deps: AttachDeps): void {
  for (const nodeName of new Set(known.pods.map((pod) => pod.nodeName))) {
    const key = `${known.volume.name}/${nodeName}`;
    const trouble = troubleOn(nodeName, plan, known);
    if (!trouble) deps.told.delete(key);
    else if (deps.told.get(key) !== trouble.news) {
      deps.told.set(key, trouble.news);
      for (const pod of known.pods.filter((each) => each.nodeName === nodeName)) {
        tellPods([pod], "Warning", trouble.messageTo(pod), deps);
      }
    }
  }
}

interface Trouble {
  /** Differs as often as there is something to be told. */
  news: string;
  messageTo(pod: NeedingPod): string;
}

function troubleOn(nodeName: string, plan: Plan, { volume, pods, attachments }: Known): Trouble | undefined {
  if (plan.refused.includes(nodeName)) {
    const users = pods.filter((pod) => pod.nodeName !== nodeName && attachments.has(pod.nodeName));
    return { news: "refused", messageTo: (pod) => multiAttachMessage(volume.name, pod, users) };
  }
  const failed = (why: string) => () => `AttachVolume.Attach failed for volume "${volume.name}" : ${why}`;
  const { attached, attachError } = attachments.get(nodeName)?.status ?? {};
  if (attachError && !attached) {
    return { news: `${attachError.time} ${attachError.message}`, messageTo: failed(attachError.message ?? "") };
  }
  const overdue = plan.overdue.find((late) => late.nodeName === nodeName);
  if (!overdue) return undefined;
  const why = `timed out waiting for external-attacher of ${volume.driver} CSI driver to attach volume ${volume.handle}`;
  return { news: `overdue ${overdue.times}`, messageTo: failed(why) };
}

export function tellPods(
  pods: NeedingPod[],
  type: "Normal" | "Warning",
  message: string,
  { events }: AttachDeps,
): void {
  const reason = type === "Normal" ? "SuccessfulAttachVolume" : "FailedAttachVolume";
  for (const { name, namespace, uid } of pods) {
    events.event({ apiVersion: "v1", kind: "Pod", name, namespace, uid }, type, reason, message);
  }
}
