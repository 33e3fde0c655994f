import { expect, it } from "vitest";
import { testApi } from "../testing/api.ts";

const api = testApi().as({ username: "jane", uid: "u1", groups: ["dev", "system:masters"], extra: { a: ["b"] } });
const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const pem = (type: string) => btoa(`-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`);

const create = (name: string, spec: object = {}) =>
  api.post(PATH, {
    metadata: { name },
    spec: { request: pem("CERTIFICATE REQUEST"), signerName: "a.test/b", usages: ["client auth"], ...spec },
  });
const patch = (path: string, status: object) => api.patch(`${PATH}/${path}`, { status });

it("says itself who asks", async () => {
  const { body } = await create("who", { username: "forged", uid: "0", groups: ["system:nodes"], extra: { c: ["d"] } });
  expect(body.spec).toMatchObject({
    username: "jane",
    uid: "u1",
    groups: ["dev", "system:masters"],
    extra: { a: ["b"] },
  });
});

it.each([
  { name: "request", spec: { request: btoa("x") }, want: "PEM block type must be CERTIFICATE REQUEST" },
  { name: "usage", spec: { usages: ["x"] }, want: 'spec.usages[0]: Unsupported value: "x"' },
  { name: "twice", spec: { usages: ["any", "any"] }, want: "spec.usages[1]: Duplicate value" },
  { name: "legacy", spec: { signerName: "kubernetes.io/legacy-unknown" }, want: "legacy signerName is not allowed" },
])("refuses a wrong request: $name", async ({ name, spec, want }) => {
  const { code, body } = await create(name, spec);
  expect(code).toBe(422);
  expect(body.message).toContain(want);
});

it("is decided once, by `approval` alone", async () => {
  await create("decided");
  const approved = { type: "Approved", status: "True", reason: "Fine" };
  const direct = await patch("decided/status", { conditions: [approved] });
  expect(direct.body.message).toContain('updates may not add a condition of type "Approved"');
  const { body } = await patch("decided/approval", { conditions: [approved], certificate: pem("CERTIFICATE") });
  expect(body.status).toEqual({
    conditions: [{ ...approved, lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) }],
  });
  const both = await patch("decided/approval", { conditions: [approved, { type: "Denied", status: "True" }] });
  expect(both.body.message).toContain("Approved and Denied conditions are mutually exclusive");
  const removed = await patch("decided/approval", { conditions: [] });
  expect(removed.body.message).toContain('updates may not remove a condition of type "Approved"');
});

it("gets its certificate by `status`, once", async () => {
  await create("issued");
  const wrong = await patch("issued/status", { certificate: btoa("x") });
  expect(wrong.body.message).toContain("must contain at least one CERTIFICATE PEM block");
  expect((await patch("issued/status", { certificate: pem("CERTIFICATE") })).code).toBe(200);
  const again = await patch("issued/status", { certificate: btoa(`${atob(pem("CERTIFICATE"))}\n`) });
  expect(again.body.message).toContain("updates may not modify existing certificate content");
});
