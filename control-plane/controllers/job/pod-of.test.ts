import { expect, it } from "vitest";
import { job, pod } from "../../../test/builders/objects.ts";
import { COMPLETION_INDEX, INDEX_FAILURES, INDEX_IGNORED_FAILURES } from "./completion-index.ts";
import { podOf } from "./pod-of.ts";
import { TRACKING_FINALIZER } from "./tracking-finalizer.ts";

it("is tracked, owned and labelled", () => {
  const j = job("j").build();
  j.spec.template.metadata = { labels: { a: "b" }, finalizers: ["example.test/x"] };
  const { metadata, spec } = podOf(j, undefined, undefined);
  expect(metadata).toMatchObject({
    generateName: "j-",
    labels: { a: "b" },
    ownerReferences: [{ kind: "Job", name: "j" }],
  });
  expect(metadata.finalizers).toEqual(["example.test/x", TRACKING_FINALIZER]);
  expect(spec.containers[0]?.env).toBeUndefined();
});

it("JOB-08: tells its index by name, host name, label, annotation and environment", () => {
  const j = job("j").build();
  j.spec.template.spec?.containers.push({ name: "own", env: [{ name: "JOB_COMPLETION_INDEX", value: "mine" }] });
  const { metadata, spec } = podOf(j, 7, undefined);
  expect(metadata).toMatchObject({
    generateName: "j-7-",
    labels: { [COMPLETION_INDEX]: "7" },
    annotations: { [COMPLETION_INDEX]: "7" },
  });
  expect(metadata.annotations).not.toHaveProperty([INDEX_FAILURES]);
  expect(spec.hostname).toBe("j-7");
  const fieldRef = { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` };
  expect(spec.containers.map(({ env }) => env)).toEqual([
    [{ name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef } }],
    [{ name: "JOB_COMPLETION_INDEX", value: "mine" }],
  ]);
});

it("keeps the index in a name that is cut", () => {
  const { generateName } = podOf(job("x".repeat(63)).build(), 1234, undefined).metadata;
  expect(generateName).toBe(`${"x".repeat(52)}-1234-`);
});

it("carries the failures of its index on", () => {
  const j = job("j")
    .with({ spec: { backoffLimitPerIndex: 3 } })
    .build();
  const failed = pod("p")
    .annotated({ [INDEX_FAILURES]: "2", [INDEX_IGNORED_FAILURES]: "1" })
    .phase("Failed")
    .build();
  expect(podOf(j, 0, undefined).metadata.annotations).toMatchObject({ [INDEX_FAILURES]: "0" });
  expect(podOf(j, 0, failed).metadata.annotations).toMatchObject({
    [INDEX_FAILURES]: "3",
    [INDEX_IGNORED_FAILURES]: "1",
  });
  j.spec.podFailurePolicy = {
    rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
  };
  failed.status = { phase: "Failed", conditions: [{ type: "DisruptionTarget", status: "True" }] };
  expect(podOf(j, 0, failed).metadata.annotations).toMatchObject({
    [INDEX_FAILURES]: "2",
    [INDEX_IGNORED_FAILURES]: "2",
  });
});
