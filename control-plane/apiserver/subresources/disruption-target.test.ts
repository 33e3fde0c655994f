import { expect, test } from "vitest";
import { pod } from "../../../test/builders/objects.ts";
import { withDisruptionTarget } from "./disruption-target.ts";

const NOW = "2026-01-02T03:04:05Z";
const EARLIER = "2026-01-01T00:00:00Z";
const ready = { type: "Ready", status: "True" };
const target = (status: string, reason: string, lastTransitionTime: string) => ({
  type: "DisruptionTarget",
  status,
  reason,
  message: "Eviction API: evicting",
  lastTransitionTime,
});
const marked = (...given: Parameters<typeof target>) => ({ ...target(...given), lastProbeTime: null });
const OURS = "EvictionByEvictionAPI";

test.each([
  { name: "a first condition", before: undefined, want: [marked("True", OURS, NOW)] },
  { name: "one more condition", before: [ready], want: [ready, marked("True", OURS, NOW)] },
  {
    name: "in the place of one that was false",
    before: [target("False", OURS, EARLIER), ready],
    want: [marked("True", OURS, NOW), ready],
  },
  {
    name: "with the time at which another reason came first",
    before: [target("True", "DeletionByTaintManager", EARLIER)],
    want: [marked("True", OURS, EARLIER)],
  },
  { name: "nothing, where it is said", before: [target("True", OURS, EARLIER)], want: undefined },
])("an evicted pod gets $name", ({ before, want }) => {
  const evicted = withDisruptionTarget(
    pod("p")
      .with({ status: { conditions: before } })
      .build(),
    NOW,
  );
  expect(evicted?.status?.conditions).toEqual(want);
});
