import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_CLUSTER_NETWORK } from "../../shared/api/cluster-network.ts";
import { EVENTS, IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from "../../shared/api/refs.ts";
import { ipAddressFor } from "../../shared/api/service-cidr.ts";
import type { Event, Service } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import { defaultServiceCidrController } from "./default-service-cidr/index.ts";
import { serviceCidrController } from "./service-cidr/index.ts";
import { serviceIpRepairController } from "./service-ip-repair/index.ts";

/** Beside the default range. */
const MORE = "203.0.113.0/24";

let api: MemoryApi;
let runner: ReturnType<typeof runControllers>;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  runner = runControllers(api, [
    defaultServiceCidrController(async () => DEFAULT_CLUSTER_NETWORK),
    serviceCidrController,
    serviceIpRepairController,
  ]);
  await vi.advanceTimersByTimeAsync(500);
});

afterEach(() => vi.useRealTimers());

/** Lets time pass; the alarm is asked each second, as the platform would when it is due. */
async function seconds(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await vi.advanceTimersByTimeAsync(1000);
    await runner.alarm();
  }
  await vi.advanceTimersByTimeAsync(100);
}
const reasons = () => api.all<Event>(EVENTS).map(({ reason }) => reason);
const web = (address: string): Service => ({
  metadata: { name: "web", namespace: "default" },
  spec: { type: "ClusterIP", clusterIP: address, clusterIPs: [address] },
});

describe("ranges of Services", () => {
  it("there is one of, ready and protected, and nothing more is written", async () => {
    expect(api.find(SERVICE_CIDRS, "kubernetes")).toMatchObject({
      metadata: { finalizers: ["networking.k8s.io/service-cidr-finalizer"] },
      spec: { cidrs: ["10.96.0.0/16"] },
      status: { conditions: [{ type: "Ready", status: "True", message: "Kubernetes Service CIDR is ready" }] },
    });
    const { length } = api.calls;
    await seconds(600);
    expect(api.calls).toHaveLength(length);
  });

  it("stay until the last Service has given back its address", async () => {
    await api.create(SERVICE_CIDRS, { metadata: { name: "more" }, spec: { cidrs: [MORE] } });
    await seconds(1);
    await api.create(IP_ADDRESSES, ipAddressFor("203.0.113.7", web("203.0.113.7")));
    await api.create(SERVICES, web("203.0.113.7"));
    await api.delete(SERVICE_CIDRS, { name: "more" });
    await seconds(60);
    expect(api.find(SERVICE_CIDRS, "more")).toMatchObject({
      status: { conditions: [{ type: "Ready", status: "False", reason: "Terminating" }] },
    });
    await api.delete(SERVICES, { name: "web", namespace: "default" });
    await api.delete(IP_ADDRESSES, { name: "203.0.113.7" });
    await seconds(1);
    expect(api.find(SERVICE_CIDRS, "more")).toBeUndefined();
  });
});

describe("the addresses of Services", () => {
  it("are made where they are missing, and made again when they are removed", async () => {
    await api.create(SERVICES, web("10.96.7.7"));
    await seconds(1);
    expect(api.find(IP_ADDRESSES, "10.96.7.7")).toMatchObject(ipAddressFor("10.96.7.7", web("10.96.7.7")));
    await api.delete(IP_ADDRESSES, { name: "10.96.7.7" });
    await seconds(1);
    expect(api.find(IP_ADDRESSES, "10.96.7.7")).toBeDefined();
    expect(reasons()).toEqual(["ClusterIPNotAllocated"]);
  });

  it.each([
    {
      name: "is made",
      range: () => api.create(SERVICE_CIDRS, { metadata: { name: "more" }, spec: { cidrs: [MORE] } }),
    },
    {
      name: "is added to another",
      range: () =>
        api.patch(SERVICE_CIDRS, { name: "kubernetes" }, "merge", { spec: { cidrs: ["10.96.0.0/16", MORE] } }),
    },
  ])("are made when their range $name", async ({ range }) => {
    await api.create(SERVICES, web("203.0.113.7"));
    await seconds(60);
    expect(api.all(IP_ADDRESSES)).toEqual([]);
    expect(reasons()).toEqual(["ClusterIPOutOfRange"]);
    await range();
    await seconds(1);
    expect(api.find(IP_ADDRESSES, "203.0.113.7")).toMatchObject(ipAddressFor("203.0.113.7", web("203.0.113.7")));
  });

  it("go when they leaked, a minute later", async () => {
    await api.create(IP_ADDRESSES, ipAddressFor("10.96.7.7", web("10.96.7.7")));
    await seconds(59);
    expect(api.find(IP_ADDRESSES, "10.96.7.7")).toBeDefined();
    await seconds(3);
    expect(api.find(IP_ADDRESSES, "10.96.7.7")).toBeUndefined();
    expect(reasons()).toEqual(["IPAddressNotAllocated"]);
  });

  it("go a minute after a Service that did not give them back", async () => {
    await api.create(IP_ADDRESSES, ipAddressFor("10.96.7.7", web("10.96.7.7")));
    await api.create(SERVICES, web("10.96.7.7"));
    await seconds(600);
    expect(reasons()).toEqual([]);
    await api.delete(SERVICES, { name: "web", namespace: "default" });
    await seconds(61);
    expect(api.find(IP_ADDRESSES, "10.96.7.7")).toBeUndefined();
  });

  it("cause no talk when all is right, in whatever order the stores tell of it", async () => {
    const feed = api.onBatch;
    const held: Parameters<typeof feed>[0][] = [];
    api.onBatch = (batch) => void (batch.resource === "ipaddresses" ? held.push(batch) : feed(batch));
    await api.create(IP_ADDRESSES, ipAddressFor("10.96.7.7", web("10.96.7.7")));
    await api.create(SERVICES, web("10.96.7.7"));
    await seconds(1);
    for (const batch of held) feed(batch);
    await seconds(120);
    expect(reasons()).toEqual([]);
    expect(api.find(IP_ADDRESSES, "10.96.7.7")).toBeDefined();
  });
});
