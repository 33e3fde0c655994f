import { expect, it } from "vitest";
import type { Job } from "../../../shared/api/types.ts";
import { job } from "../../../test/builders/objects.ts";
import { remainingTtlMs } from "./decide.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const finished = (type: string, ttl?: number): Job => ({
  ...job("j").build(),
  spec: { ...job("j").build().spec, ...(ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl }) },
  status: { conditions: [{ type, status: "True", lastTransitionTime: "2026-10-21T07:59:00Z" }] },
});

it.each<[name: string, job: Job, remainingMs: number | undefined]>([
  ["JOB-12: a complete one, later", finished("Complete", 100), 40_000],
  ["a failed one, now", finished("Failed", 60), 0],
  ["one without a TTL stays", finished("Complete"), undefined],
  ["one that has not ended stays", finished("Suspended", 60), undefined],
  [
    "one that is going already",
    { ...finished("Failed", 60), metadata: { name: "j", deletionTimestamp: "2026-10-21T07:59:30Z" } },
    undefined,
  ],
])("%s", (_name, j, remainingMs) => expect(remainingTtlMs(j, NOW_MS)).toBe(remainingMs));
