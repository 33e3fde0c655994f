import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../testing/api.ts";

const api = testApi();
const NS = "/api/v1/namespaces/default";
const POD = `${NS}/pods/web`;
const SCALE = "/apis/apps/v1/namespaces/default/deployments/web/scale";
const STORAGE = "StorageError: invalid object, Code: 4, Key:";
let uid = "";

beforeAll(async () => {
  await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  await api.post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
  const containers = [{ name: "c", image: "i" }];
  const pod = await api.post(`${NS}/pods`, { metadata: { name: "web" }, spec: { containers } });
  uid = pod.body.metadata.uid!;
  const labels = { a: "b" };
  await api.post("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "web" },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
});

describe("a binding", () => {
  const target = { kind: "Node", name: "n1" };
  const dry = `${POD}/binding?dryRun=All`;
  it.each([
    {
      name: "names the pod",
      body: { metadata: {}, target },
      code: 400,
      message: "name in URL does not match name in Binding object",
    },
    { name: "has a target", body: { metadata: { name: "web" } }, code: 500, message: "target.name: Required value" },
    {
      name: "is of its type",
      body: { metadata: { name: "web" }, target: "n1" },
      code: 400,
      message:
        'Binding in version "v1" cannot be handled as a Binding: json: cannot unmarshal string into Go struct field Binding.target of type v1.ObjectReference',
    },
    {
      name: "is for the very pod",
      body: { metadata: { name: "web", uid: "zz" }, target },
      code: 409,
      message: () =>
        `Operation cannot be fulfilled on pods "web": ${STORAGE} /pods/default/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: ${uid}`,
    },
  ])("$name", async ({ body, code, message }) => {
    const reply = await api.post(dry, body);
    expect(reply.code).toBe(code);
    expect(reply.body.message).toBe(typeof message === "string" ? message : message());
  });

  it("is for the very version of the pod", async () => {
    const { code, body } = await api.post(dry, { metadata: { name: "web", resourceVersion: "0" }, target });
    expect(code).toBe(409);
    expect(body.message).toContain(
      "Precondition failed: ResourceVersion in precondition: 0, ResourceVersion in object",
    );
  });

  it("warns of fields that it does not have, or is refused for them", async () => {
    const binding = { metadata: { name: "web" }, target, zzz: 1 };
    expect((await api.post(dry, binding)).warnings).toBe('299 - "unknown field \\"zzz\\""');
    expect((await api.post(`${dry}&fieldValidation=Strict`, binding)).code).toBe(400);
  });

  it("needs a name in the collection", async () => {
    const { code, body } = await api.post(`${NS}/bindings`, { metadata: {}, target });
    expect([code, body.message]).toEqual([400, "Name parameter required."]);
  });
});

it("an eviction is dry in query and body alike", async () => {
  const eviction = (dryRun: string[]) => ({ metadata: { name: "web" }, deleteOptions: { dryRun } });
  const { code, body } = await api.post(`${POD}/eviction?dryRun=All`, eviction(["x"]));
  expect([code, body.message]).toEqual([500, "Non-matching dry-run options in request and content: [All] and [x]"]);
  expect((await api.post(`${POD}/eviction?dryRun=All`, eviction(["All"]))).code).toBe(201);
});

describe("a scale", () => {
  const scale = (metadata: object) => ({ metadata: { name: "web", ...metadata }, spec: { replicas: 1 } });
  const OTHER_NAMESPACE = "the namespace of the provided object does not match the namespace sent on the request";
  it.each([
    { name: "put elsewhere", put: scale({ namespace: "zz" }), code: 400, message: OTHER_NAMESPACE },
    { name: "patched elsewhere", patch: { metadata: { namespace: "zz" } }, code: 400, message: OTHER_NAMESPACE },
    {
      name: "patched with another name",
      patch: { metadata: { name: "zz" } },
      code: 400,
      message: "the name of the object (zz) does not match the name on the URL (web)",
    },
    {
      name: "put with another uid",
      put: scale({ uid: "zz" }),
      code: 409,
      message: `Operation cannot be fulfilled on deployments.apps "web": ${STORAGE} /deployments/default/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: `,
    },
    {
      name: "patched with another uid",
      patch: { metadata: { uid: "zz" } },
      code: 409,
      message:
        'Operation cannot be fulfilled on deployments/scale.apps "web": Precondition failed: UID in precondition: zz, UID in object meta: ',
    },
  ])("$name", async ({ put, patch, code, message }) => {
    const path = `${SCALE}?dryRun=All`;
    const reply = put ? await api.put(path, put) : await api.patch(path, patch);
    expect(reply.code).toBe(code);
    expect(reply.body.message.startsWith(message)).toBe(true);
  });
});

it("a pod's one address and its list say the same; the one has the last word", async () => {
  const write = async (status: object) =>
    (await api.patch(`${POD}/status?dryRun=All`, { status })).body.status as Record<string, unknown>;
  expect(await write({ podIP: "1.2.3.4" })).toMatchObject({ podIPs: [{ ip: "1.2.3.4" }] });
  expect(await write({ podIPs: [{ ip: "1.2.3.4" }] })).toMatchObject({ podIP: "1.2.3.4" });
  expect(await write({ podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.5" }] })).toMatchObject({ podIPs: [{ ip: "1.2.3.4" }] });
  expect(await write({ hostIP: "x" })).not.toHaveProperty("hostIPs");
});
