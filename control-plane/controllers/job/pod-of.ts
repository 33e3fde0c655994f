import { JOBS } from "../../../shared/api/refs.ts";
import type { Container, Job, Pod } from "../../../shared/api/types.ts";
import { podFromTemplate } from "../pod-control.ts";
import {
  COMPLETION_INDEX,
  failuresBefore,
  INDEX_FAILURES,
  INDEX_IGNORED_FAILURES,
  ignoredFailuresBefore,
} from "./completion-index.ts";
import { judgeFailure } from "./failure-policy.ts";
import { isTracked, TRACKING_FINALIZER } from "./tracking-finalizer.ts";

const INDEX_ENV = "JOB_COMPLETION_INDEX";
/** Of a generated name, without its random end (63 − 5). */
const MAX_NAME_PREFIX = 58;

/**
 * A new pod of a Job, tracked from the start.
 * @param index of an Indexed Job (JOB-08)
 * @param replaced the failed pod whose place it takes, with backoffLimitPerIndex
 */
export function podOf(job: Job, index: number | undefined, replaced: Pod | undefined): Pod {
  const pod = podFromTemplate(job.spec.template, job, JOBS);
  if (!isTracked(pod)) pod.metadata.finalizers = [...(pod.metadata.finalizers ?? []), TRACKING_FINALIZER];
  if (index === undefined) return pod;
  pod.metadata.generateName = namePrefix(job.metadata.name, index);
  pod.metadata.labels = { ...pod.metadata.labels, [COMPLETION_INDEX]: String(index) };
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [COMPLETION_INDEX]: String(index),
    ...(job.spec.backoffLimitPerIndex === undefined ? {} : failureAnnotations(job, replaced)),
  };
  pod.spec.hostname = `${job.metadata.name}-${index}`;
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) addIndexEnv(container);
  return pod;
}

function namePrefix(jobName: string, index: number): string {
  const suffix = `-${index}-`;
  return jobName.slice(0, MAX_NAME_PREFIX - suffix.length) + suffix;
}

function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (!replaced) return { [INDEX_FAILURES]: "0" };
  const { isCounted } = judgeFailure(job.spec.podFailurePolicy, replaced);
  const ignored = ignoredFailuresBefore(replaced) + Number(!isCounted);
  return {
    [INDEX_FAILURES]: String(failuresBefore(replaced) + Number(isCounted)),
    ...(ignored > 0 ? { [INDEX_IGNORED_FAILURES]: String(ignored) } : {}),
  };
}

/** What the user called so stays. */
function addIndexEnv(container: Container): void {
  if (container.env?.some(({ name }) => name === INDEX_ENV)) return;
  const fieldPath = `metadata.labels['${COMPLETION_INDEX}']`;
  container.env = [...(container.env ?? []), { name: INDEX_ENV, valueFrom: { fieldRef: { fieldPath } } }];
}
