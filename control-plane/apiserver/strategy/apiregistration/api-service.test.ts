import { expect, test } from "vitest";
import type { JsonObject } from "../../../../shared/api/json.ts";
import { created, createErrors } from "../testing/written.ts";

const GROUP = "apiregistration.k8s.io";

const service = (spec: JsonObject, name = "v1.example.test"): JsonObject => ({
  metadata: { name },
  spec: { group: "example.test", version: "v1", groupPriorityMinimum: 100, versionPriority: 10, ...spec },
});

test.each<{ name: string; object: JsonObject; errors: string[] }>([
  { name: "a local one", object: service({}), errors: [] },
  { name: "the legacy group", object: service({ group: "" }, "v1."), errors: [] },
  {
    name: "another name",
    object: service({}, "a"),
    errors: ['metadata.name: Invalid value: "a": must be `spec.version+"."+spec.group`: "v1.example.test"'],
  },
  {
    name: "a legacy group of another version",
    object: service({ group: "", version: "v2" }, "v2."),
    errors: ["spec.group: Required value: only v1 may have an empty group and it better be legacy kube"],
  },
  {
    name: "priorities out of range",
    object: service({ groupPriorityMinimum: 20_001, versionPriority: 0 }),
    errors: [
      "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
      "spec.versionPriority: Invalid value: 0: must be positive and less than 1000",
    ],
  },
  {
    name: "a local one with certificates",
    object: service({ caBundle: "YWJj", insecureSkipTLSVerify: true }),
    errors: [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
    ],
  },
  {
    name: "a service without a name, trusted and not",
    object: service({ caBundle: "YWJj", insecureSkipTLSVerify: true, service: { port: 70_000 } }),
    errors: [
      "spec.service.namespace: Required value",
      "spec.service.name: Required value",
      "spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
      "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
    ],
  },
])("an APIService: $name", ({ object, errors }) => {
  expect(createErrors(GROUP, "APIService", object)).toEqual(errors);
});

test("what this server serves itself is available at once", () => {
  expect(created(GROUP, "APIService", service({})).status).toMatchObject({
    conditions: [{ type: "Available", status: "True", reason: "Local" }],
  });
  expect(created(GROUP, "APIService", service({ service: { name: "s", namespace: "n" } })).status).toEqual({});
});
