import type { Pod } from "../../../shared/api/types.ts";

/** Annotation, and label, of the pods of an Indexed Job. */
export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
/** Annotations that carry an index's failures from pod to pod (backoffLimitPerIndex). */
export const INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count";
export const INDEX_IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count";

const MAX_INT32 = 2 ** 31 - 1;

/** undefined when the annotation is missing or makes no sense. */
export function completionIndexOf(pod: Pod): number | undefined {
  const index = wholeNumber(pod.metadata.annotations?.[COMPLETION_INDEX]);
  return index !== undefined && index >= 0 ? index : undefined;
}

/** The index, if the Job has it (an elastic Job may have become smaller). */
export function indexWithin(pod: Pod, completions: number): number | undefined {
  const index = completionIndexOf(pod);
  return index !== undefined && index < completions ? index : undefined;
}

/** How often the index had failed before this pod, in ways that count. */
export const failuresBefore = (pod: Pod): number => countOf(pod, INDEX_FAILURES);

/** How often it had failed in ways that a rule ignores. */
export const ignoredFailuresBefore = (pod: Pod): number => countOf(pod, INDEX_IGNORED_FAILURES);

/** Users may write anything into annotations: what is no count is 0. */
function countOf(pod: Pod, annotation: string): number {
  const count = wholeNumber(pod.metadata.annotations?.[annotation]) ?? 0;
  return count >= 0 && count <= MAX_INT32 ? count : 0;
}

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
