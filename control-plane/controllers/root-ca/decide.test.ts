import { describe, expect, it } from "vitest";
import type { ConfigMap, Namespace } from "../../../shared/api/types.ts";
import { isAccountMissing } from "../serviceaccount/decide.ts";
import { decide } from "./decide.ts";

const namespace: Namespace = { metadata: { name: "x" }, spec: {}, status: { phase: "Active" } };
const going: Namespace = { metadata: { name: "x", deletionTimestamp: "2026-10-21T08:00:00Z" }, spec: {} };

function published(): ConfigMap {
  const plan = decide({ namespace, current: undefined }, "PEM");
  if (plan.write !== "create") throw new Error("not created");
  return plan.configMap;
}

describe("the root CA of a namespace", () => {
  it.each([
    { name: "is made", namespace, current: undefined, want: "create" },
    { name: "is left alone when it is right", namespace, current: published(), want: "none" },
    {
      name: "is put right",
      namespace,
      current: { ...published(), data: { "ca.crt": "PEM", extra: "x" } },
      want: "update",
    },
    { name: "follows a new CA", namespace, current: { ...published(), data: { "ca.crt": "OLD" } }, want: "update" },
    { name: "is not made in a namespace that is going", namespace: going, current: undefined, want: "none" },
    { name: "is not made where there is no namespace", namespace: undefined, current: undefined, want: "none" },
  ])("$name", ({ namespace, current, want }) => expect(decide({ namespace, current }, "PEM").write).toBe(want));
});

describe("the default ServiceAccount", () => {
  it.each([
    { name: "is missing", namespace, has: false, want: true },
    { name: "is there", namespace, has: true, want: false },
    { name: "is not made in a namespace that is going", namespace: going, has: false, want: false },
    { name: "is not made where there is no namespace", namespace: undefined, has: false, want: false },
  ])("$name", ({ namespace, has, want }) => expect(isAccountMissing(namespace, has)).toBe(want));
});
