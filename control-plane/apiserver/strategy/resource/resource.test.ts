import { expect, test } from "vitest";
import type { JsonObject } from "../../../../shared/api/json.ts";
import { created, createErrors, updateErrors } from "../testing/written.ts";

const GROUP = "resource.k8s.io";

const exactly = (changes: JsonObject = {}): JsonObject => ({
  name: "a",
  exactly: { deviceClassName: "c.test", ...changes },
});
const claim = (devices: JsonObject): JsonObject => ({ spec: { devices } });

test.each<{ name: string; request: JsonObject; wanted: JsonObject }>([
  { name: "one, if not told", request: exactly(), wanted: { allocationMode: "ExactCount", count: 1 } },
  { name: "none, if all are wanted", request: exactly({ allocationMode: "All" }), wanted: { allocationMode: "All" } },
])("how many devices a request wants: $name", ({ request, wanted }) => {
  expect(created(GROUP, "ResourceClaim", claim({ requests: [request] })).spec).toEqual({
    devices: { requests: [{ name: "a", exactly: { deviceClassName: "c.test", ...wanted } }] },
  });
});

test.each<{ name: string; devices: JsonObject; errors: string[] }>([
  { name: "a request", devices: { requests: [exactly()] }, errors: [] },
  { name: "nothing", devices: {}, errors: [] },
  {
    name: "an empty request",
    devices: { requests: [{ name: "a" }] },
    errors: ["requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required"],
  },
  {
    name: "both kinds of request",
    devices: { requests: [{ ...exactly(), firstAvailable: [{ name: "b", deviceClassName: "c" }] }] },
    errors: [
      "requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set",
    ],
  },
  {
    name: "no class, too few, an unknown mode",
    devices: {
      requests: [
        exactly({ deviceClassName: "", count: -1 }),
        { ...exactly({ allocationMode: "Few" }), name: "b" },
        { ...exactly({ allocationMode: "All", count: 2 }), name: "c" },
      ],
    },
    errors: [
      "requests[0].exactly.deviceClassName: Required value",
      "requests[0].exactly.count: Invalid value: -1: must be greater than zero",
      'requests[1].exactly.allocationMode: Unsupported value: "Few": supported values: "All", "ExactCount"',
      "requests[2].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
    ],
  },
  {
    name: "requests of one name",
    devices: { requests: [exactly(), exactly()] },
    errors: ['requests[1]: Duplicate value: "a"'],
  },
  {
    name: "too many requests",
    devices: { requests: Array.from({ length: 33 }, (_, i) => ({ ...exactly(), name: `r${i}` })) },
    errors: ["requests: Too many: 33: must have at most 32 items"],
  },
  {
    name: "a constraint on a request that is not there",
    devices: { requests: [exactly()], constraints: [{ requests: ["b"], matchAttribute: "x" }] },
    errors: [
      "constraints[0].requests[0]: Invalid value: \"b\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
      'constraints[0].matchAttribute: Invalid value: "x": a fully qualified name must be a domain and a name separated by a slash',
    ],
  },
  {
    name: "a configuration that is no object",
    devices: { requests: [exactly()], config: [{ opaque: { driver: "", parameters: [] } }] },
    errors: [
      "config[0].opaque.driver: Required value",
      'config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
  },
  {
    name: "a toleration of an unknown effect",
    devices: { requests: [exactly({ tolerations: [{ operator: "Exists", value: "v", effect: "Maybe" }] })] },
    errors: [
      'requests[0].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
      'requests[0].exactly.tolerations[0].effect: Unsupported value: "Maybe": supported values: "NoExecute", "NoSchedule", "None"',
    ],
  },
])("a claim with $name", ({ devices, errors }) => {
  const found = createErrors(GROUP, "ResourceClaim", claim(devices));
  expect(found).toEqual(errors.map((error) => `spec.devices.${error}`));
});

test("a claim and a template keep their spec", () => {
  const before = claim({ requests: [exactly()] });
  const after = claim({ requests: [exactly({ count: 2 })] });
  expect(updateErrors(GROUP, "ResourceClaim", before, before)).toEqual([]);
  expect(updateErrors(GROUP, "ResourceClaim", before, after)[0]).toMatch(/^spec: Invalid value: .*field is immutable$/);
  const [from, to] = [before, after].map((spec) => ({ spec }) as JsonObject);
  expect(updateErrors(GROUP, "ResourceClaimTemplate", from ?? {}, to ?? {})).toHaveLength(1);
});

test.each<{ name: string; spec: JsonObject; errors: string[] }>([
  { name: "a selector", spec: { selectors: [{ cel: { expression: 'device.driver == "x"' } }] }, errors: [] },
  {
    name: "a number for a selector",
    spec: { selectors: [{ cel: { expression: "1" } }, {}] },
    errors: [
      'spec.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
      "spec.selectors[1].cel: Required value",
    ],
  },
  {
    name: "a native resource to stand for",
    spec: { extendedResourceName: "cpu" },
    errors: ['spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name'],
  },
])("a device class with $name", ({ spec, errors }) => {
  expect(createErrors(GROUP, "DeviceClass", { spec })).toEqual(errors);
});

const slice = (changes: JsonObject): JsonObject => ({
  spec: {
    driver: "d.test",
    pool: { name: "p", generation: 1, resourceSliceCount: 1 },
    nodeName: "n",
    devices: [{ name: "gpu-0", attributes: { model: { string: "x" } } }],
    ...changes,
  },
});

test.each<{ name: string; changes: JsonObject; errors: string[] }>([
  { name: "a device", changes: {}, errors: [] },
  {
    name: "no place",
    changes: { nodeName: null },
    errors: [
      "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
    ],
  },
  {
    name: "two places",
    changes: { allNodes: true },
    errors: [
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    ],
  },
  {
    name: "a pool of no slices",
    changes: { pool: { name: "", generation: -1, resourceSliceCount: 0 } },
    errors: [
      "spec.pool.name: Required value",
      "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
      "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero",
    ],
  },
  {
    name: "devices of one name, with attributes that are none",
    changes: { devices: [{ name: "a", attributes: { "/x": { version: "1" }, y: {} } }, { name: "a" }] },
    errors: [
      'spec.devices[0].attributes: Invalid value: "": the domain must not be empty',
      'spec.devices[0].attributes[/x].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
      'spec.devices[0].attributes[y]: Invalid value: "": exactly one value must be specified',
      'spec.devices[1]: Duplicate value: "a"',
    ],
  },
  {
    name: "a device that is placed on its own",
    changes: { devices: [{ name: "a", allNodes: true }] },
    errors: [
      "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    ],
  },
  {
    name: "devices that must be placed on their own",
    changes: { nodeName: null, perDeviceNodeSelection: true, devices: [{ name: "a" }] },
    errors: [
      "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    ],
  },
  {
    name: "more devices than have room for taints",
    changes: {
      devices: Array.from({ length: 65 }, (_, i) => ({ name: `d${i}`, taints: [{ key: "k", effect: "NoSchedule" }] })),
    },
    errors: ["spec.devices: Too many: 65: must have at most 64 items"],
  },
])("a slice with $name", ({ changes, errors }) => {
  expect(createErrors(GROUP, "ResourceSlice", slice(changes))).toEqual(errors);
});

test("a slice stays with its driver, pool and node", () => {
  const moved = slice({ driver: "e.test", nodeName: "m" });
  expect(updateErrors(GROUP, "ResourceSlice", slice({}), moved)).toEqual([
    'spec.driver: Invalid value: "e.test": field is immutable',
    'spec.nodeName: Invalid value: "m": field is immutable',
  ]);
});

const shared = (capacity: JsonObject, more: JsonObject = {}): JsonObject =>
  slice({ devices: [{ name: "a", allowMultipleAllocations: true, capacity: { mem: capacity }, ...more }] });

test.each<{ name: string; object: JsonObject; errors: string[] }>([
  { name: "a range", object: shared({ value: "4Gi", requestPolicy: range("1Gi", "4Gi", "1Gi") }), errors: [] },
  {
    name: "a range beyond the capacity",
    object: shared({ value: "1Gi", requestPolicy: range("1Gi", "2Gi", "1Gi") }),
    errors: [
      'capacity[mem].requestPolicy.validRange.max: Invalid value: "2Gi": max is larger than capacity value: 1Gi',
      'capacity[mem].requestPolicy.validRange.step: Invalid value: "1Gi": one step 2Gi is larger than capacity value: 1Gi',
    ],
  },
  {
    name: "steps that miss the most",
    object: shared({ value: "8", requestPolicy: range("1", "4", "2") }),
    errors: [
      'capacity[mem].requestPolicy.validRange.step: Invalid value: "4": value is not a multiple of a given step (2) from (1)',
    ],
  },
  {
    name: "values out of order, one twice, without the usual one",
    object: shared({ value: "4", requestPolicy: { default: "3", validValues: ["2", "1", "1", "5"] } }),
    errors: [
      'capacity[mem].requestPolicy.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
      'capacity[mem].requestPolicy.validValues[3]: Invalid value: "5": option is larger than capacity value: 4',
      'capacity[mem].requestPolicy.validValues[2]: Duplicate value: "1"',
      'capacity[mem].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
    ],
  },
  {
    name: "a policy of a device that is not shared",
    object: shared({ value: "4", requestPolicy: { default: "3" } }, { allowMultipleAllocations: false }),
    errors: ["capacity[mem].requestPolicy: Forbidden: allowMultipleAllocations must be true"],
  },
  {
    name: "counters of no set",
    object: shared({ value: "4" }, { consumesCounters: [{}, { counterSet: "A", counters: { c: { value: "1" } } }] }),
    errors: [
      "consumesCounters[0].counterSet: Required value",
      "consumesCounters[0].counters: Required value",
      expect.stringMatching(
        /^consumesCounters\[1\]\.counterSet: Invalid value: "A": a lowercase RFC 1123 label/,
      ) as never,
    ],
  },
])("a shared device with $name", ({ object, errors }) => {
  const found = createErrors(GROUP, "ResourceSlice", object);
  expect(found.map((error) => error.replace("spec.devices[0].", ""))).toEqual(errors);
});

function range(min: string, max: string, step: string): JsonObject {
  return { default: min, validRange: { min, max, step } };
}

test("sets of counters have names of their own", () => {
  const set = { name: "cs", counters: { c: { value: "1" } } };
  const object = slice({ devices: null, sharedCounters: [set, set, { name: "e" }] });
  expect(createErrors(GROUP, "ResourceSlice", object)).toEqual([
    "spec.sharedCounters[2].counters: Required value",
    'spec.sharedCounters[1]: Duplicate value: "cs"',
  ]);
});
