import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../../testing/api.ts";

const PODS = "/api/v1/namespaces/shop/pods";

describe("a pod that a node creates", () => {
  const api = testApi();
  const node = api.as({ username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] });
  let uid = "";

  beforeAll(async () => {
    await api.post("/api/v1/namespaces", { metadata: { name: "shop" } });
    const { body } = await api.post("/api/v1/nodes", { metadata: { name: "n1" } });
    uid = body.metadata.uid!;
  });

  const mirror = (name: string, { metadata = {}, spec = {} }: { metadata?: object; spec?: object } = {}) => ({
    metadata: {
      name,
      annotations: { "kubernetes.io/config.mirror": "h", "kubernetes.io/config.source": "file" },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n1", uid, controller: true }],
      ...metadata,
    },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }], ...spec },
  });
  const owner = (fields: object) => ({
    metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n1", uid, controller: true, ...fields }] },
  });
  const volume = (source: object) => ({ spec: { volumes: [{ name: "v", ...source }] } });
  const env = (valueFrom: object) => ({
    spec: { containers: [{ name: "c", image: "i", env: [{ name: "E", valueFrom }] }] },
  });

  it("is a mirror of its own, which it may delete again", async () => {
    const made = await node.post(PODS, mirror("m-n1", volume({ hostPath: { path: "/etc" } })));
    expect([made.code, made.body.message]).toEqual([201, undefined]);
    expect((await node.delete(`${PODS}/m-n1`)).code).toBe(200);
  });

  const can = 'node "n1" can only create pods with';
  const refers = 'node "n1" can not create pods that reference';
  it.each<{ why: string; fields: () => Parameters<typeof mirror>[1] }>([
    {
      why: 'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
      fields: () => ({ metadata: { annotations: {} } }),
    },
    { why: `${can} spec.nodeName set to itself`, fields: () => ({ spec: { nodeName: "n2" } }) },
    { why: `${can} an owner reference set to itself`, fields: () => ({ metadata: { ownerReferences: [] } }) },
    { why: `${can} an owner reference set to itself`, fields: () => owner({ name: "n2" }) },
    {
      why: `${can} a single owner reference set to itself`,
      fields: () => ({
        metadata: {
          ownerReferences: ["n1", "n2"].map((name) => ({
            apiVersion: "v1",
            kind: "Node",
            name,
            uid,
            controller: name === "n1",
          })),
        },
      }),
    },
    { why: `${can} a controller owner reference set to itself`, fields: () => owner({ controller: false }) },
    {
      why: 'node "n1" must not set blockOwnerDeletion on an owner reference',
      fields: () => owner({ blockOwnerDeletion: true }),
    },
    { why: "node n1 UID mismatch: expected u9 got", fields: () => owner({ uid: "u9" }) },
    { why: "a mirror pod may not reference service accounts", fields: () => ({ spec: { serviceAccountName: "bot" } }) },
    { why: `${refers} secrets`, fields: () => env({ secretKeyRef: { name: "s", key: "k" } }) },
    { why: `${refers} secrets`, fields: () => ({ spec: { imagePullSecrets: [{ name: "s" }] } }) },
    { why: `${refers} configmaps`, fields: () => env({ configMapKeyRef: { name: "s", key: "k" } }) },
    { why: `${refers} secrets`, fields: () => volume({ secret: { secretName: "s" } }) },
    { why: `${refers} configmaps`, fields: () => volume({ configMap: { name: "s" } }) },
    { why: `${refers} persistentvolumeclaims`, fields: () => volume({ persistentVolumeClaim: { claimName: "c" } }) },
    { why: `${refers} csidrivers (via CSI volumes)`, fields: () => volume({ csi: { driver: "d.example" } }) },
    {
      why: `${refers} serviceaccounts (via projected volumes)`,
      fields: () => volume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }),
    },
  ])("is refused: $why", async ({ why, fields }) => {
    const { code, body } = await node.post(PODS, mirror("m-n1", fields()));
    expect([code, body.message]).toEqual([403, expect.stringContaining(`pods "m-n1" is forbidden: ${why}`)]);
  });
});
