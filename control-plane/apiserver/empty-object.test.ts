import { expect, it } from "vitest";
import { findResource } from "../../shared/schema/index.ts";
import { emptyFieldsOf } from "./empty-object.ts";

it.each([
  { group: "", resource: "configmaps", want: {} },
  { group: "", resource: "pods", want: { spec: { containers: null }, status: {} } },
  { group: "", resource: "services", want: { spec: {}, status: { loadBalancer: {} } } },
  {
    group: "apps",
    resource: "deployments",
    want: {
      spec: { replicas: 0, selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
      status: {},
    },
  },
])("a bookmark of $resource has $want", ({ group, resource, want }) => {
  expect(emptyFieldsOf(findResource({ group, version: "v1", resource })!)).toEqual(want);
});
