import { expect, it } from "vitest";
import { pod, statefulSet, T0 } from "../../../test/builders/objects.ts";
import { decideStatus, isSameStatus } from "./status.ts";

const NOW_MS = Date.parse(T0) + 60_000;
const one = (name: string, revision: string) => pod(name).labelled({ "controller-revision-hash": revision });
const of = (minReadySeconds = 0) =>
  statefulSet("db")
    .replicas(2)
    .with({ spec: { minReadySeconds, updateStrategy: { type: "RollingUpdate" } } })
    .build();
const names = { currentRevision: "old", updateRevision: "new", collisionCount: 0, replaced: 0, nowMs: NOW_MS };

it.each([
  {
    name: "leaves zeros out, but for those that always show",
    pods: [],
    want: { replicas: 0, availableReplicas: 0, currentRevision: "old" },
  },
  {
    name: "counts by revision, and those that stay only",
    pods: [one("db-0", "old").ready().build(), one("db-1", "new").ready().deleting().build()],
    want: { replicas: 2, readyReplicas: 2, availableReplicas: 2, currentReplicas: 1, currentRevision: "old" },
  },
  {
    name: "has a new current revision when all are of it",
    pods: [one("db-0", "new").ready().build(), one("db-1", "new").ready().build()],
    want: {
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: "new",
    },
  },
  {
    name: "counts as available only after minReadySeconds",
    minReadySeconds: 61,
    pods: [one("db-0", "old").ready().build()],
    want: { replicas: 1, readyReplicas: 1, availableReplicas: 0, currentReplicas: 1, currentRevision: "old" },
  },
  {
    name: "does not count a pod as ready that is not running",
    pods: [one("db-0", "old").condition("Ready", "True").phase("Pending").build()],
    want: { replicas: 1, availableReplicas: 0, currentReplicas: 1, currentRevision: "old" },
  },
])("$name", ({ pods, minReadySeconds, want }) => {
  const status = decideStatus({ ...names, set: of(minReadySeconds), pods });
  expect(status).toEqual({ observedGeneration: 1, updateRevision: "new", collisionCount: 0, ...want });
  expect(isSameStatus(status, { ...status })).toBe(true);
  expect(isSameStatus(status, { ...status, replicas: 7 })).toBe(false);
  expect(isSameStatus({ ...status, observedGeneration: 0 }, status)).toBe(false);
});
