import { beforeAll, describe, expect, it } from "vitest";
import type { UserInfo } from "../../attributes.ts";
import { testApi } from "../../testing/api.ts";
import { associatedNode, changedDrivers } from "./device-claim-changes.ts";

const api = testApi();
const GROUP = "/apis/resource.k8s.io/v1/namespaces";
const claim = (name: string, exactly: object = {}) => ({
  metadata: { name },
  spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", ...exactly } }] } },
});
const LABEL_NEEDED =
  "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace";

beforeAll(async () => {
  await api.post("/api/v1/namespaces", { metadata: { name: "plain" } });
  const labels = { "resource.kubernetes.io/admin-access": "true" };
  await api.post("/api/v1/namespaces", { metadata: { name: "admin", labels } });
});

describe("access as an administrator", () => {
  it.each([
    { path: "plain/resourceclaims", body: claim("a", { adminAccess: true }), code: 422 },
    { path: "admin/resourceclaims", body: claim("a", { adminAccess: true }), code: 201 },
    { path: "plain/resourceclaims", body: claim("b", { adminAccess: false }), code: 201 },
    {
      path: "plain/resourceclaimtemplates",
      body: { ...claim("a"), spec: { spec: claim("a", { adminAccess: true }).spec } },
      code: 422,
    },
    {
      path: "admin/resourceclaimtemplates",
      body: { ...claim("a"), spec: { spec: claim("a", { adminAccess: true }).spec } },
      code: 201,
    },
  ])("$path: $code", async ({ path, body, code }) => {
    const reply = await api.post(`${GROUP}/${path}`, body);
    expect(reply.code).toBe(code);
    if (code !== 422) return;
    expect(reply.body.details.causes).toEqual([
      {
        reason: "FieldValueForbidden",
        field: "spec.devices.requests[0].adminAccess",
        message: `Forbidden: ${LABEL_NEEDED}`,
      },
    ]);
  });

  it("is told together with what else is wrong", async () => {
    const { body } = await api.post(`${GROUP}/plain/resourceclaims`, claim("c", { adminAccess: true, count: -1 }));
    expect(body.details.causes?.map(({ field }) => field)).toEqual([
      "spec.devices.requests[0].adminAccess",
      "spec.devices.requests[0].exactly.count",
    ]);
  });
});

describe("the status of a claim", () => {
  const DRIVER: UserInfo = { username: "driver", groups: ["system:authenticated"] };
  const device = { driver: "d.example.com", pool: "p", device: "dev" };
  const allocation = { devices: { results: [{ request: "r", ...device }] } };

  beforeAll(async () => {
    await api.post(`${GROUP}/plain/resourceclaims`, claim("status"));
    const rules = [
      { apiGroups: ["resource.k8s.io"], resources: ["resourceclaims", "resourceclaims/status"], verbs: ["*"] },
    ];
    await api.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "driver" }, rules });
    await api.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "driver" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "driver" },
      subjects: [{ kind: "User", name: "driver", apiGroup: "rbac.authorization.k8s.io" }],
    });
  });

  it("is allocated, and its devices reported on, only with rights of their own", async () => {
    const path = `${GROUP}/plain/resourceclaims/status/status`;
    const { code, body } = await api.as(DRIVER).patch(path, { status: { allocation, devices: [device] } });
    expect(code).toBe(422);
    const subject = 'User "driver" cannot';
    const inGroup = 'in API group "resource.k8s.io"';
    expect(body.details.causes).toEqual([
      {
        reason: "FieldValueForbidden",
        field: "status.allocation",
        message: `Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: ${subject} patch resource "resourceclaims/binding" ${inGroup} at the cluster scope`,
      },
      {
        reason: "FieldValueForbidden",
        field: "status.devices",
        message: `Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "d.example.com" is forbidden: ${subject} arbitrary-node:patch resource "resourceclaims/driver" ${inGroup} in the namespace "plain"`,
      },
    ]);
    const allowed = await api.patch(path, { status: { allocation, devices: [device] } });
    expect(allowed.code).toBe(200);
  });
});

it("looks at the drivers of devices that changed", () => {
  const device = (driver: string, more: object = {}) => ({ driver, pool: "p", device: "d", ...more });
  const before = [device("a"), device("b"), device("c")];
  const now = [device("a"), device("b", { data: { x: 1 } }), device("e")];
  expect(changedDrivers(now, before)).toEqual(["b", "c", "e"]);
});

describe("a driver is near", () => {
  const selector = (values: string[]) => ({
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values }] }] },
  });
  const account = (username: string, nodes: string[]): UserInfo => ({
    username,
    groups: [],
    extra: { "authentication.kubernetes.io/node-name": nodes },
  });
  it.each([
    { user: account("system:serviceaccount:ns:sa", ["n1"]), allocation: selector(["n1"]), want: true },
    { user: account("system:serviceaccount:ns:sa", ["n2"]), allocation: selector(["n1"]), want: false },
    { user: account("system:serviceaccount:ns:sa", ["n1", "n1"]), allocation: selector(["n1"]), want: false },
    { user: account("somebody", ["n1"]), allocation: selector(["n1"]), want: false },
    { user: account("system:serviceaccount:ns:sa", ["n1"]), allocation: selector(["n1", "n2"]), want: false },
    { user: account("system:serviceaccount:ns:sa", ["n1"]), allocation: undefined, want: false },
  ])("$want", ({ user, allocation, want }) => expect(associatedNode(user, allocation as never)).toBe(want));
});
