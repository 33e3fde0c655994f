import { expect, it } from "vitest";
import type { Pod } from "../../../shared/api/types.ts";
import { decideEnded } from "./ended.ts";

const pod = (name: string, second: number, phase = "Succeeded", reason?: string): Pod => ({
  metadata: { name, namespace: "default", creationTimestamp: `2026-10-21T08:00:0${second}Z` },
  spec: { containers: [] },
  status: { phase, reason },
});

it.each<{ name: string; pods: Pod[]; want: string[] }>([
  { name: "none while there are few", pods: [pod("a", 1), pod("b", 2)], want: [] },
  { name: "none that live", pods: [1, 2, 3].map((n) => pod(`p${n}`, n, "Running")), want: [] },
  { name: "the oldest", pods: [pod("new", 3), pod("old", 1), pod("mid", 2, "Failed")], want: ["old"] },
  { name: "by name those of one second", pods: ["c", "b", "d", "a"].map((name) => pod(name, 1)), want: ["a", "b"] },
  {
    name: "evicted ones before older ones",
    pods: [pod("old", 1), pod("evicted", 3, "Failed", "Evicted"), pod("mid", 2)],
    want: ["evicted"],
  },
])("gives up $name", ({ pods, want }) =>
  expect(decideEnded(pods, 2).map(({ metadata }) => metadata.name)).toEqual(want),
);
