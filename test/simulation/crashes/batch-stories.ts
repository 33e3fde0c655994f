import { expect } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import { CRON_JOBS, EVENTS, JOBS, PODS } from "../../../shared/api/refs.ts";
import type { CronJob, Job } from "../../../shared/api/types.ts";
import { cronJob, job, object, pod } from "../../builders/objects.ts";
import type { SimApi } from "../sim-api.ts";
import { change, create, createAll, type Story } from "./story.ts";

const HOUR_MS = 3_600_000;

function jobOf(name: string, spec: Partial<Job["spec"]>, image = "works"): KubeObject {
  const built = job(name).build();
  Object.assign(built.spec, spec);
  built.spec.template.spec!.containers[0]!.image = image;
  return built;
}

const statusOf = (api: SimApi, name: string) => api.find<Job>(JOBS, `default/${name}`)?.status;

export const BATCH_STORIES: Story[] = [
  {
    name: "a Job of four pods, two at a time",
    of: ["job"],
    acts: [create(JOBS, jobOf("w", { completions: 4, parallelism: 2 }))],
    end: (api) => expect(statusOf(api, "w")).toMatchObject({ succeeded: 4, conditions: [{}, { type: "Complete" }] }),
    writes: 15,
  },
  {
    name: "a Job by index that is suspended half-way",
    of: ["job"],
    acts: [
      create(JOBS, jobOf("w", { completions: 3, parallelism: 1, completionMode: "Indexed", suspend: true })),
      change(JOBS, "w", { spec: { suspend: false } }),
    ],
    end: (api) => expect(statusOf(api, "w")).toMatchObject({ succeeded: 3, completedIndexes: "0-2" }),
    writes: 12,
  },
  {
    name: "a Job that fails until it may not any more",
    of: ["job"],
    acts: [create(JOBS, jobOf("w", { completions: 2, parallelism: 2, backoffLimit: 2 }, "fails"))],
    restMs: 600_000,
    end: (api) => expect(statusOf(api, "w")?.conditions?.at(-1)).toMatchObject({ type: "Failed" }),
    writes: 12,
  },
  {
    name: "a Job whose pods are deleted while they run",
    of: ["job"],
    acts: [
      createAll([JOBS, jobOf("w", { completions: 2, parallelism: 2, podReplacementPolicy: "Failed" })]),
      change(JOBS, "w", { metadata: { labels: { seen: "yes" } } }),
    ],
    end: (api) => expect(statusOf(api, "w")).toMatchObject({ succeeded: 2 }),
    writes: 8,
  },
  {
    name: "a Job that is removed in its time",
    of: ["ttl-after-finished"],
    beside: ["job", "garbage-collector"],
    acts: [create(JOBS, jobOf("w", { ttlSecondsAfterFinished: 100 }))],
    restMs: 600_000,
    end: (api) => expect([api.all(JOBS), api.all(PODS)]).toEqual([[], []]),
    writes: 7,
  },
  {
    name: "a CronJob that keeps its last Job",
    of: ["cronjob"],
    beside: ["job", "garbage-collector"],
    acts: [
      create(
        CRON_JOBS,
        cronJob("w", "0 * * * *")
          .with({ spec: { concurrencyPolicy: "Replace" } })
          .build(),
      ),
      change(CRON_JOBS, "w", { spec: { suspend: true } }),
    ],
    restMs: 3 * HOUR_MS + 900_000,
    end(api) {
      expect(api.all(JOBS).map(({ metadata }) => metadata.name)).toEqual([expect.stringMatching(/^w-\d+$/)]);
      expect(api.find<CronJob>(CRON_JOBS, "default/w")?.status).toMatchObject({
        lastScheduleTime: "2026-10-21T11:00:00Z",
      });
    },
    writes: 25,
  },
  {
    name: "Events that have told their story",
    of: ["event-expiry"],
    isAboutEvents: true,
    acts: [
      createAll(
        [EVENTS, event("e1", "2026-10-21T07:50:00Z")],
        [EVENTS, event("e2", "2026-10-21T08:00:00Z")],
        [EVENTS, event("e3", "2026-10-21T09:30:00Z")],
        [PODS, pod("p").build()],
      ),
    ],
    restMs: 4 * HOUR_MS,
    end: (api) => expect(api.all(EVENTS)).toEqual([]),
    writes: 3,
  },
];

function event(name: string, lastTimestamp: string): KubeObject {
  return object("v1", "Event", name, {
    metadata: { name, namespace: "default", creationTimestamp: lastTimestamp },
    lastTimestamp,
  }).build();
}
