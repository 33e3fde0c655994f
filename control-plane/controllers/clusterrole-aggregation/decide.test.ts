import { expect, test } from "vitest";
import type { ClusterRole } from "../../../shared/api/types.ts";
import { decide } from "./decide.ts";

const rule = (resource: string) => ({ apiGroups: ["x.test"], resources: [resource], verbs: ["get"] });
const part = (name: string, labels: Record<string, string>, ...resources: string[]): ClusterRole => ({
  metadata: { name, labels },
  rules: resources.map(rule),
});
const whole = (rules: ClusterRole["rules"], ...selectors: Record<string, string>[]): ClusterRole => ({
  metadata: { name: "whole", labels: { into: "it" } },
  aggregationRule: { clusterRoleSelectors: selectors.map((matchLabels) => ({ matchLabels })) },
  rules,
});
const parts = [part("b", { into: "it" }, "bs", "as"), part("a", { into: "it" }, "as"), part("c", { other: "y" }, "cs")];

test.each([
  { name: "by name, each once", role: whole([], { into: "it" }), want: ["as", "bs"] },
  { name: "selector by selector", role: whole([], { other: "y" }, { into: "it" }), want: ["cs", "as", "bs"] },
  { name: "they are there", role: whole(["as", "bs"].map(rule), { into: "it" }), want: undefined },
  { name: "in another order they are not", role: whole(["bs", "as"].map(rule), { into: "it" }), want: ["as", "bs"] },
  { name: "nothing is taken any more", role: whole([rule("as")], { into: "none" }), want: [] },
  { name: "nothing, and nothing was", role: whole(undefined, { into: "none" }), want: undefined },
  { name: "a role of its own rules", role: part("own", {}, "as"), want: undefined },
])("$name", ({ role, want }) =>
  expect(decide(role, [...parts, role])?.map(({ resources }) => resources?.[0])).toEqual(want),
);
