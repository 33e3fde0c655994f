import type { Namespace, NamespaceCondition } from "../../../shared/api/types.ts";
import { printTime } from "../../runtime/index.ts";

/** The token in spec.finalizers that this controller takes away when the namespace is empty. */
export const NAMESPACE_FINALIZER = "kubernetes";

/** A namespace with objects that wait for finalizers is looked at again after so long (upstream: finalizerEstimateSeconds). */
const FINALIZER_WAIT_SECONDS = 15;

/**
 * API servers may admit objects for so long after the deletion, by a namespace they remember (its cache keeps a second;
 * deletionTimestamp is cut to whole seconds). Only a look after that proves that nothing is left.
 */
const SETTLE_SECONDS = 3;

/** What was found, and left, of one resource in the namespace. */
export interface Remaining {
  resource: { group: string; resource: string };
  count: number;
  /** How many objects hold each finalizer. */
  finalizers: Record<string, number>;
  /** The longest grace period among what remains (pods). */
  graceSeconds: number;
}

export interface Contents {
  remaining: Remaining[];
  /** What deleting or listing failed with. */
  errors: string[];
}

export type NextStep = { step: "finalize" } | { step: "wait"; afterMs: number } | { step: "retry"; message: string };

/** What to do once everything was asked to go away. */
export function decideNext(namespace: Namespace, { remaining, errors }: Contents, nowMs: number): NextStep {
  const deletedForSeconds = (nowMs - Date.parse(namespace.metadata.deletionTimestamp ?? "")) / 1000;
  let estimateSeconds = 0;
  const unexpected: string[] = [];
  for (const { resource, count, finalizers, graceSeconds } of remaining) {
    if (count === 0) continue;
    const isInGrace = graceSeconds > deletedForSeconds;
    const isFinalizing = Object.keys(finalizers).length > 0;
    if (isInGrace) estimateSeconds = Math.max(estimateSeconds, graceSeconds);
    else if (isFinalizing) estimateSeconds = Math.max(estimateSeconds, FINALIZER_WAIT_SECONDS);
    else
      unexpected.push(
        `unexpected items still remain in namespace: ${namespace.metadata.name} for gvr: ${resource.group}, Resource=${resource.resource}`,
      );
  }
  const failures = [...errors, ...unexpected];
  if (failures.length > 0) return { step: "retry", message: failures.join(", ") };
  if (estimateSeconds > 0) return { step: "wait", afterMs: (Math.floor(estimateSeconds / 2) + 1) * 1000 };
  if (deletedForSeconds < SETTLE_SECONDS)
    return { step: "wait", afterMs: Math.ceil((SETTLE_SECONDS - deletedForSeconds) * 1000) };
  return { step: "finalize" };
}

type ConditionText = { status: "True" | "False"; reason: string; message: string };

/**
 * The five conditions that tell how far a deletion got, in upstream's order; the ones there, if they say the same.
 * @param isPartial pods are still going, and nothing else was looked at: what remains is not told yet (upstream too)
 */
export function decideConditions(
  before: NamespaceCondition[],
  contents: Contents,
  { isPartial, nowMs }: { isPartial: boolean; nowMs: number },
): NamespaceCondition[] {
  const conditions = [...before];
  for (const [type, text] of Object.entries(texts(contents, isPartial))) {
    const i = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[i];
    if (!old) conditions.push({ type, ...text, lastTransitionTime: printTime(nowMs) });
    else if (old.status !== text.status || old.reason !== text.reason || old.message !== text.message)
      conditions[i] = {
        ...old,
        ...text,
        lastTransitionTime: old.status === text.status ? old.lastTransitionTime : printTime(nowMs),
      };
  }
  return conditions;
}

function texts({ remaining, errors }: Contents, isPartial: boolean): Record<string, ConditionText> {
  const left = isPartial ? [] : remaining.filter(({ count }) => count > 0);
  const finalizers = new Map<string, number>();
  for (const entry of left)
    for (const [name, count] of Object.entries(entry.finalizers))
      finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  const ok = (reason: string, message: string): ConditionText => ({ status: "False", reason, message });
  const bad = (reason: string, message: string): ConditionText => ({ status: "True", reason, message });
  return {
    NamespaceDeletionDiscoveryFailure: ok("ResourcesDiscovered", "All resources successfully discovered"),
    NamespaceDeletionGroupVersionParsingFailure: ok("ParsedGroupVersions", "All legacy kube types successfully parsed"),
    NamespaceDeletionContentFailure:
      errors.length === 0
        ? ok("ContentDeleted", "All content successfully deleted, may be waiting on finalization")
        : bad(
            "ContentDeletionFailed",
            `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(", ")}`,
          ),
    NamespaceContentRemaining:
      left.length === 0
        ? ok("ContentRemoved", "All content successfully removed")
        : bad(
            "SomeResourcesRemain",
            `Some resources are remaining: ${left
              .map(({ resource, count }) => `${resource.resource}.${resource.group} has ${count} resource instances`)
              .sort()
              .join(", ")}`,
          ),
    NamespaceFinalizersRemaining:
      finalizers.size === 0
        ? ok("ContentHasNoFinalizers", "All content-preserving finalizers finished")
        : bad(
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${[...finalizers]
              .map(([name, count]) => `${name} in ${count} resource instances`)
              .sort()
              .join(", ")}`,
          ),
  };
}
