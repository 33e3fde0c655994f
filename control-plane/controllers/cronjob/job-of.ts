import { CRON_JOBS } from "../../../shared/api/refs.ts";
import type { CronJob, Job } from "../../../shared/api/types.ts";
import { offsetMsAt } from "../../../shared/cron/index.ts";
import { newControllerRef } from "../../runtime/index.ts";
import { jobName } from "./decide.ts";

const SLOT = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The Job of a slot (CJ-10). */
export function jobOf(cronJob: CronJob, slotMs: number): Job {
  const { name, namespace } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec.jobTemplate;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(name, slotMs),
      namespace,
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, [SLOT]: printLocalTime(slotMs, cronJob.spec.timeZone ?? "") },
      ownerReferences: [newControllerRef(cronJob, CRON_JOBS)],
    },
    spec: structuredClone(spec ?? { template: {} }),
  };
}

/** RFC 3339 in the zone: `2026-10-21T03:00:00+03:00`, or with a Z. */
function printLocalTime(ms: number, zone: string): string {
  const offsetMs = offsetMsAt(zone, ms);
  const wall = new Date(ms + offsetMs).toISOString().slice(0, 19);
  if (offsetMs === 0) return `${wall}Z`;
  const minutes = Math.abs(Math.trunc(offsetMs / 60_000));
  const two = (value: number) => String(value).padStart(2, "0");
  return `${wall}${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
