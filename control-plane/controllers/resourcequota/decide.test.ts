import { expect, test } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import type { ResourceQuota } from "../../../shared/api/types.ts";
import { evaluatorOf } from "../../quota/index.ts";
import { decide, mayHaveChanged } from "./decide.ts";

const NOW_MS = 0;
const secrets = (number: number) => ({
  evaluator: evaluatorOf({ group: "", resource: "secrets" })!,
  objects: Array.from({ length: number }, (_, i): KubeObject => ({ metadata: { name: `s${i}` } })),
});
const quota = (status?: ResourceQuota["status"]): ResourceQuota => ({
  metadata: { name: "q" },
  spec: { hard: { secrets: "5", "example.test/x": "1" } },
  status,
});

test.each([
  {
    name: "a new quota: zero, of what it counts",
    quota: quota(),
    counted: [secrets(0)],
    want: { hard: { secrets: "5", "example.test/x": "1" }, used: { secrets: "0" } },
  },
  {
    name: "what is there, and what nobody counts as it was",
    quota: quota({ hard: { secrets: "5" }, used: { secrets: "0", "example.test/x": "1", pods: "3" } }),
    counted: [secrets(2)],
    want: { hard: { secrets: "5", "example.test/x": "1" }, used: { secrets: "2", "example.test/x": "1" } },
  },
  {
    name: "nothing, when it is right",
    quota: quota({ hard: { "example.test/x": "1", secrets: "5" }, used: { secrets: "2" } }),
    counted: [secrets(2)],
    want: undefined,
  },
])("$name", ({ quota, counted, want }) =>
  expect(decide(quota, counted, NOW_MS)).toEqual(want ? { write: "status", status: want } : { write: "none" }),
);

const HARD = { secrets: "5", "example.test/x": "1" };
test.each<{ name: string; status: ResourceQuota["status"]; want: boolean }>([
  { name: "it is new", status: undefined, want: true },
  { name: "it allows something else now", status: { hard: { secrets: "5" }, used: { secrets: "0" } }, want: true },
  { name: "something is used, which may be gone", status: { hard: HARD, used: { secrets: "1" } }, want: true },
  { name: "nothing is used", status: { hard: HARD, used: { secrets: "0", "example.test/x": "0" } }, want: false },
])("a quota found at a start when $name: counted $want", ({ status, want }) =>
  expect(mayHaveChanged(quota(status))).toBe(want),
);
