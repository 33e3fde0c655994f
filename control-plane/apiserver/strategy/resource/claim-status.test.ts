import { expect, test } from "vitest";
import type { ResourceClaim } from "../../../../shared/api/types.ts";
import { checkClaimStatus } from "./claim-status.ts";

type Status = NonNullable<ResourceClaim["status"]>;

const claim = (status: object): ResourceClaim =>
  ({
    metadata: { name: "c" },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "x" } }] } },
    status: status as Status,
  }) as ResourceClaim;
const result = { request: "r", driver: "d.test", pool: "p", device: "one" };
const given = (changes: object = {}) => ({ devices: { results: [{ ...result, ...changes }] } });
const device = { driver: "d.test", pool: "p", device: "one" };
const condition = { type: "T", status: "True", reason: "R", lastTransitionTime: "2026-01-01T00:00:00Z" };

test.each<{ name: string; status: object; before?: object; causes: string[] }>([
  { name: "nothing", status: {}, causes: [] },
  {
    name: "a device, its user, and what its driver says",
    status: {
      allocation: given(),
      reservedFor: [{ resource: "pods", name: "p", uid: "u" }],
      devices: [{ ...device, conditions: [condition], data: { a: 1 } }],
    },
    causes: [],
  },
  {
    name: "users before there is a device",
    status: { reservedFor: [{ resource: "pods", name: "p" }] },
    causes: [
      "reservedFor[0].uid: Required value",
      "reservedFor: Forbidden: may not be specified when `allocated` is not set",
    ],
  },
  {
    name: "a user twice",
    status: { allocation: given(), reservedFor: ["a", "b"].map((name) => ({ resource: "pods", name, uid: "u" })) },
    causes: ['reservedFor[1]: Duplicate value: "u"'],
  },
  {
    name: "an answer to no request",
    status: { allocation: given({ request: "s", driver: "" }) },
    causes: [
      "allocation.devices.results[0].request: Invalid value: \"s\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
      "allocation.devices.results[0].driver: Required value",
    ],
  },
  {
    name: "conditions to bind by, without those not to",
    status: { allocation: given({ bindingConditions: ["a", "a"] }) },
    causes: [
      'allocation.devices.results[0].bindingConditions[1]: Duplicate value: "a"',
      "allocation.devices.results[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions",
    ],
  },
  {
    name: "words about a device that was not given",
    status: { allocation: given(), devices: [{ ...device, pool: "q", conditions: [{ ...condition, status: "Yes" }] }] },
    causes: [
      'devices[0]: Invalid value: {"Driver":"d.test","Pool":"q","Device":"one","ShareID":""}: must be an allocated device in the claim',
      'devices[0].conditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
    ],
  },
  { name: "an allocation that goes", before: { allocation: given() }, status: {}, causes: [] },
])("$name", ({ status, before = {}, causes }) => {
  const found = checkClaimStatus(claim(status), claim(before)).map(({ field, message }) => `${field}: ${message}`);
  expect(found).toEqual(causes.map((cause) => `status.${cause}`));
});

test("an allocation stays, and is shown in full", () => {
  const [cause] = checkClaimStatus(claim({ allocation: given({ device: "two" }) }), claim({ allocation: given() }));
  expect(cause?.field).toBe("status.allocation");
  expect(cause?.message).toMatch(/^Invalid value: \{"Devices":\{"Results":\[\{"Request":"r",.*field is immutable$/);
});
