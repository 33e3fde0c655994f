import type { KubeObject } from "../../../../shared/api/object.ts";
import type { PodLike } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { type LevelVersion, printLevel } from "./level.ts";

/** More are not looked at: a namespace's update must not take long. */
const MAX_PODS_TO_CHECK = 3_000;

/** One pod of each controller first, the others of the same controllers last. */
function prioritize(pods: KubeObject[]): KubeObject[] {
  const seen = new Set<string>();
  const first: KubeObject[] = [];
  const others: KubeObject[] = [];
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (owner !== undefined && seen.has(owner)) others.push(pod);
    else first.push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...others];
}

/** What to warn of when a namespace is to enforce a level that some of its pods violate; they stay as they are. */
export function warnOfExistingPods(namespace: string, pods: KubeObject[], enforce: LevelVersion): string[] {
  const checked = prioritize(pods).slice(0, MAX_PODS_TO_CHECK);
  const namesByReason = new Map<string, string[]>();
  for (const pod of checked) {
    const violations = evaluate(pod as unknown as PodLike, enforce);
    if (violations.length === 0) continue;
    const reason = violations.map((violation) => violation.reason).join(", ");
    const names = namesByReason.get(reason) ?? [];
    names.push(pod.metadata.name);
    namesByReason.set(reason, names);
  }
  const warnings: string[] = [];
  if (checked.length < pods.length) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
    );
  }
  if (namesByReason.size > 0) {
    const level = printLevel(enforce);
    warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${level}"`);
  }
  return [...warnings, ...[...namesByReason].map(([reason, names]) => `${printPods(names)}: ${reason}`).sort()];
}

/** `web-0`, `web-0 (and 1 other pod)` */
function printPods(names: string[]): string {
  const [first = ""] = [...names].sort();
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? "pod" : "pods"})`;
}
