import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../../testing/api.ts";

const api = testApi();
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const PODS = "/api/v1/namespaces/default/pods";
const STORAGE_CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const INGRESSES = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";

const claim = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});

beforeAll(async () => {
  await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  await api.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
});

describe("new objects of storage", () => {
  it.each([
    { path: CLAIMS, body: claim("kept"), want: "kubernetes.io/pvc-protection" },
    {
      path: "/api/v1/persistentvolumes",
      body: {
        metadata: { name: "v" },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
      },
      want: "kubernetes.io/pv-protection",
    },
    {
      path: "/apis/storage.k8s.io/v1/volumeattributesclasses",
      body: {
        metadata: { name: "gold", finalizers: ["example.com/x"] },
        driverName: "csi.example.com",
        parameters: { a: "b" },
      },
      want: "kubernetes.io/vac-protection",
    },
  ])("get $want", async ({ path, body, want }) => {
    const reply = await api.post(path, body);
    expect(reply.code, reply.text).toBe(201);
    expect(reply.body.metadata.finalizers?.at(-1)).toBe(want);
  });
});

describe("default classes", () => {
  it("go to what names none, the newest first", async () => {
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    await api.post(STORAGE_CLASSES, { metadata: { name: "b-class", annotations }, provisioner: "example.com/p" });
    await api.post(STORAGE_CLASSES, { metadata: { name: "a-class", annotations }, provisioner: "example.com/p" });
    const { body } = await api.post(CLAIMS, claim("defaulted"));
    expect(["a-class", "b-class"]).toContain((body.spec as { storageClassName: string }).storageClassName);
    const { body: none } = await api.post(CLAIMS, claim("unclassed", { storageClassName: "" }));
    expect(none.spec).toMatchObject({ storageClassName: "" });
  });

  it("go to an Ingress", async () => {
    const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
    const spec = { controller: "example.com/c" };
    await api.post("/apis/networking.k8s.io/v1/ingressclasses", { metadata: { name: "main", annotations }, spec });
    const backend = { defaultBackend: { service: { name: "s", port: { number: 80 } } } };
    const { body } = await api.post(INGRESSES, { metadata: { name: "a" }, spec: backend });
    expect(body.spec).toMatchObject({ ingressClassName: "main" });
    const old = { metadata: { name: "b", annotations: { "kubernetes.io/ingress.class": "old" } }, spec: backend };
    expect((await api.post(INGRESSES, old)).body.spec).not.toHaveProperty("ingressClassName");
  });
});

describe("a claim that is to grow", () => {
  const grow = (name: string) =>
    api.patch(`${CLAIMS}/${name}`, { spec: { resources: { requests: { storage: "2Gi" } } } });
  const bind = (name: string) =>
    api.patch(`${CLAIMS}/${name}/status`, { status: { phase: "Bound", capacity: { storage: "1Gi" } } });

  it.each([
    { name: "fixed", expands: false, want: 403 },
    { name: "elastic", expands: true, want: 200 },
  ])("of a class that is $name", async ({ name, expands, want }) => {
    const storageClass = { metadata: { name }, provisioner: "example.com/p", allowVolumeExpansion: expands };
    await api.post(STORAGE_CLASSES, storageClass);
    await api.post(CLAIMS, claim(name, { storageClassName: name }));
    expect((await grow(name)).code).not.toBe(200);
    await bind(name);
    const { code, body } = await grow(name);
    expect(code, body.message).toBe(want);
    if (want === 403) expect(body.message).toContain("only dynamically provisioned pvc can be resized");
  });
});

describe("a namespace with a LimitRange", () => {
  const make = (name: string, resources: object) =>
    api.post(PODS, { metadata: { name }, spec: { containers: [{ name: "c", image: "x:1", resources }] } });

  it("completes pods and refuses what is out of bounds", async () => {
    expect((await make("before", {})).body.metadata.annotations).toBeUndefined();
    await api.post("/api/v1/namespaces/default/limitranges", {
      metadata: { name: "lr" },
      spec: { limits: [{ type: "Container", default: { cpu: "200m" }, max: { cpu: "1" } }] },
    });
    const { body } = await make("filled", {});
    expect(body.spec).toMatchObject({
      containers: [{ resources: { limits: { cpu: "200m" }, requests: { cpu: "200m" } } }],
    });
    const refused = await make("big", { limits: { cpu: "2" } });
    expect(refused.code).toBe(403);
    expect(refused.body.message).toBe('pods "big" is forbidden: maximum cpu usage per Container is 1, but limit is 2');
  });
});
