import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "./testing/api.ts";

const SERVICES = "/api/v1/namespaces/default/services";
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";

describe("the addresses of services", () => {
  const api = testApi();
  const nameOf = async (address: string) => {
    const { code, body } = await api.get(`${ADDRESSES}/${address}`);
    return code === 200 ? (body["spec"] as { parentRef: { name: string } }).parentRef.name : undefined;
  };
  const service = (name: string, spec: object = {}) =>
    api.post(SERVICES, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  const addressOf = (body: Record<string, unknown>) => (body["spec"] as { clusterIP: string }).clusterIP;

  /** What its controller does in a cluster. */
  async function addRange(name: string, cidr: string): Promise<void> {
    expect((await api.post(CIDRS, { metadata: { name }, spec: { cidrs: [cidr] } })).code).toBe(201);
    const conditions = [
      { type: "Ready", status: "True", reason: "", message: "", lastTransitionTime: "2026-10-21T08:00:00Z" },
    ];
    expect((await api.patch(`${CIDRS}/${name}/status`, { status: { conditions } })).code).toBe(200);
  }

  beforeAll(async () => {
    await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
    await addRange("kubernetes", "10.96.0.0/16");
  });

  it("are objects, made and removed with the service", async () => {
    const { code, body } = await service("one");
    expect(code).toBe(201);
    const address = addressOf(body);
    const { body: object } = await api.get(`${ADDRESSES}/${address}`);
    expect(object).toMatchObject({
      kind: "IPAddress",
      metadata: {
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
        managedFields: [{ manager: "kube-apiserver", operation: "Update" }],
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "one" } },
    });
    expect((await api.delete(`${SERVICES}/one`)).code).toBe(200);
    expect(await nameOf(address)).toBeUndefined();
  });

  it("stay with a service that waits for a finalizer", async () => {
    await api.post(SERVICES, {
      metadata: { name: "held", finalizers: ["example.com/hold"] },
      spec: { clusterIP: "10.96.0.20", ports: [{ port: 80 }] },
    });
    await api.delete(`${SERVICES}/held`);
    expect(await nameOf("10.96.0.20")).toBe("held");
    await api.patch(`${SERVICES}/held`, { metadata: { finalizers: null } });
    expect(await nameOf("10.96.0.20")).toBeUndefined();
  });

  it("come and go with the type", async () => {
    await service("typed", { clusterIP: "10.96.0.21" });
    const external = { spec: { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null } };
    expect((await api.patch(`${SERVICES}/typed`, external)).code).toBe(200);
    expect(await nameOf("10.96.0.21")).toBeUndefined();
    const { body } = await api.patch(`${SERVICES}/typed`, { spec: { type: "ClusterIP", externalName: null } });
    expect(await nameOf(addressOf(body))).toBe("typed");
  });

  it("are refused when somebody else has them, and those of a refused service are let go", async () => {
    const gateway = { spec: { parentRef: { group: "example.com", resource: "gateways", name: "g" } } };
    await api.post(ADDRESSES, { metadata: { name: "10.96.0.30" }, ...gateway });
    const refused = await service("late", { clusterIP: "10.96.0.30" });
    expect(refused.code).toBe(422);
    expect(refused.body.message).toContain("failed to allocate IP 10.96.0.30: provided IP is already allocated");
    await service("twice", { clusterIP: "10.96.0.31" });
    expect((await service("twice", { clusterIP: "10.96.0.32" })).code).toBe(409);
    expect(await nameOf("10.96.0.32")).toBeUndefined();
    expect(await nameOf("10.96.0.31")).toBe("twice");
  });

  it("are left to whom they were handed on", async () => {
    await service("before", { clusterIP: "10.96.0.35" });
    const gateway = { group: "example.com", resource: "gateways", name: "g" };
    await api.delete(`${ADDRESSES}/10.96.0.35`);
    await api.post(ADDRESSES, { metadata: { name: "10.96.0.35" }, spec: { parentRef: gateway } });
    expect((await api.delete(`${SERVICES}/before`)).code).toBe(200);
    expect(await nameOf("10.96.0.35")).toBe("g");
  });

  it("leave nothing behind after a dry run", async () => {
    expect(
      (
        await api.post(`${SERVICES}?dryRun=All`, {
          metadata: { name: "dry" },
          spec: { clusterIP: "10.96.0.40", ports: [{ port: 80 }] },
        })
      ).code,
    ).toBe(201);
    expect(await nameOf("10.96.0.40")).toBeUndefined();
  });
});

describe("a small range", () => {
  const api = testApi();

  it("is given out to its last address, and then another one is", async () => {
    await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
    const ready = [
      { type: "Ready", status: "True", reason: "", message: "", lastTransitionTime: "2026-10-21T08:00:00Z" },
    ];
    const add = async (name: string, cidr: string) => {
      await api.post(CIDRS, { metadata: { name }, spec: { cidrs: [cidr] } });
      await api.patch(`${CIDRS}/${name}/status`, { status: { conditions: ready } });
    };
    await add("kubernetes", "192.0.2.0/27");
    const create = (n: number) => api.post(SERVICES, { metadata: { name: `s-${n}` }, spec: { ports: [{ port: 80 }] } });
    const made = [];
    for (let n = 0; n < 30; n++) made.push(await create(n));
    const addresses = new Set(made.map(({ body }) => (body["spec"] as { clusterIP: string }).clusterIP));
    expect(addresses.size).toBe(30);
    const full = await create(30);
    expect(full.code).toBe(500);
    expect(full.body.message).toContain('failed to allocate a serviceIP for Service "s-30": range is full');
    await add("more", "203.0.113.0/29");
    const { body } = await create(31);
    expect((body["spec"] as { clusterIP: string }).clusterIP).toMatch(/^203\.0\.113\.[1-6]$/);
  });
});
