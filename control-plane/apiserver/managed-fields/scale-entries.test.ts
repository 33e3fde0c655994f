import { expect, test } from "vitest";
import type { ManagedFieldsEntry } from "../../../shared/api/object.ts";
import { entriesOfScale, entriesOfWorkload } from "./index.ts";

const entry = (manager: string, apiVersion: string, spec: object, subresource?: string): ManagedFieldsEntry => ({
  manager,
  operation: "Apply",
  apiVersion,
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": spec },
  ...(subresource ? { subresource } : {}),
});
const REPLICAS = { "f:replicas": {} };
const SCALE = "autoscaling/v1";

const alpha = entry("alpha", "apps/v1", { ...REPLICAS, "f:paused": {} });
const other = entry("other", "apps/v1", { "f:template": {} });

test("a scale knows who set the replicas", () =>
  expect(entriesOfScale([alpha, other])).toEqual([entry("alpha", SCALE, REPLICAS)]));

test.each([
  {
    name: "stay",
    scale: [entry("alpha", SCALE, REPLICAS)],
    want: [alpha, other],
  },
  {
    name: "move to another",
    scale: [entry("beta", SCALE, REPLICAS, "scale")],
    want: [entry("alpha", "apps/v1", { "f:paused": {} }), entry("beta", "apps/v1", REPLICAS, "scale"), other],
  },
  { name: "are nobody's", scale: [], want: [entry("alpha", "apps/v1", { "f:paused": {} }), other] },
])("the replicas $name", ({ scale, want }) =>
  expect(entriesOfWorkload([alpha, other], scale, "apps/v1")).toEqual(want),
);
