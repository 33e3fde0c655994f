import type { KubeObject, ObjectMeta } from "../../shared/api/object.ts";
import { conflict } from "../../shared/api/status.ts";
import { printTime } from "../../shared/api/timestamp.ts";
import type { ResourceFacts } from "../../shared/schema/index.ts";
import type { DeleteOptions } from "./delete-options.ts";
import type { Strategy } from "./strategy/index.ts";
import { defaultPropagation } from "./write-rules.ts";

/** Finalizers that the garbage collector takes off. */
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** What a delete does to an object. */
export type DeletionPlan =
  /** Nothing: it is being deleted as soon as this delete would. */
  | { step: "pending" }
  /** It is marked and waits: for its grace period, or for finalizers. */
  | { step: "mark"; object: KubeObject }
  /** It goes; `object` is its last state. */
  | { step: "remove"; object: KubeObject };

/**
 * What a delete does. The object is left alone; the plan holds a changed copy.
 * @param nowMs epoch ms
 * @see k8s.io/apiserver, registry/rest BeforeDelete and registry/generic Store.Delete
 */
export function planDeletion(
  object: KubeObject,
  options: DeleteOptions,
  { facts, strategy, nowMs }: { facts: ResourceFacts; strategy: Strategy; nowMs: number },
): DeletionPlan {
  const requested =
    options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds;
  const metadata = { ...object.metadata };
  const copy: KubeObject = { ...object, metadata };
  const graceful = applyGrace(copy, requested, strategy, nowMs);
  if (graceful === "pending") return { step: "pending" };

  const finalizers = finalizersFor(facts, metadata.finalizers ?? [], options);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  if (graceful === "marked") {
    const waits = finalizers.length > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
    return waits ? { step: "mark", object: copy } : { step: "remove", object: copy };
  }
  if (finalizers.length === 0) return { step: "remove", object: copy };
  markNow(metadata, nowMs);
  return { step: "mark", object: copy };
}

/** Sets a deletion time in the future where the kind has one; "none" when the kind, or the object, goes at once. */
function applyGrace(
  object: KubeObject,
  requested: number | undefined,
  strategy: Strategy,
  nowMs: number,
): "pending" | "marked" | "none" {
  if (!strategy.gracePeriodSeconds) return "none";
  const { metadata } = object;
  const { deletionTimestamp, deletionGracePeriodSeconds: current } = metadata;
  if (deletionTimestamp) {
    if (!current) return "none";
    if (requested === undefined || requested >= current) return "pending";
    const startedMs = Date.parse(deletionTimestamp) - current * 1000;
    const endsMs = startedMs + requested * 1000;
    // A grace period that is over by then is cut to the shortest that is still graceful.
    metadata.deletionTimestamp = printTime(Math.max(endsMs, nowMs));
    metadata.deletionGracePeriodSeconds = endsMs < nowMs && requested !== 0 ? 1 : requested;
    return "marked";
  }
  const graceSeconds = strategy.gracePeriodSeconds(object, requested);
  if (graceSeconds === undefined) return "none";
  metadata.deletionTimestamp = printTime(nowMs + graceSeconds * 1000);
  metadata.deletionGracePeriodSeconds = graceSeconds;
  if (metadata.generation) metadata.generation++;
  return "marked";
}

function markNow(metadata: ObjectMeta, nowMs: number): void {
  if (!metadata.deletionTimestamp && metadata.generation) metadata.generation++;
  if (!metadata.deletionTimestamp || Date.parse(metadata.deletionTimestamp) > nowMs) {
    metadata.deletionTimestamp = printTime(nowMs);
  }
  metadata.deletionGracePeriodSeconds = 0;
}

/** The object's finalizers with those for the garbage collector that the options ask for. */
function finalizersFor(facts: ResourceFacts, finalizers: string[], options: DeleteOptions): string[] {
  const propagation = propagationOf(facts, finalizers, options);
  const others = finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  if (propagation === "Orphan") return [...others, ORPHAN];
  return propagation === "Foreground" ? [...others, FOREGROUND] : others;
}

function propagationOf(
  facts: ResourceFacts,
  finalizers: string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
): "Foreground" | "Background" | "Orphan" {
  const byDefault = defaultPropagation(facts);
  if (byDefault === "Unsupported") return "Background";
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  if (propagationPolicy) return propagationPolicy;
  for (const name of finalizers) {
    if (name === ORPHAN) return "Orphan";
    if (name === FOREGROUND) return "Foreground";
  }
  return byDefault;
}

/** @throws ApiError 409 when the object is not the one the client means */
export function checkDeletePreconditions(
  facts: ResourceFacts,
  { metadata }: KubeObject,
  { uid, resourceVersion }: Pick<DeleteOptions, "uid" | "resourceVersion">,
): void {
  // Upstream names the kind here, where other conflicts name the resource.
  const named = { group: facts.group, resource: facts.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      named,
      metadata.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      named,
      metadata.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}
