import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { balancerIps } from "../../../shared/api/load-balancer.ts";
import { CONFIG_MAPS, EVENTS, NODES, SERVICES } from "../../../shared/api/refs.ts";
import type { Event, Service } from "../../../shared/api/types.ts";
import { MemoryApi } from "../../../test/builders/memory-api.ts";
import { memoryNotes } from "../../../test/builders/memory-notes.ts";
import { mortalClient } from "../../../test/builders/mortal-client.ts";
import { node, object, service } from "../../../test/builders/objects.ts";
import { runControllers } from "../../../test/builders/run-controllers.ts";
import { serviceLoadBalancerController } from "./index.ts";

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") }));
afterEach(() => void vi.useRealTimers());

const CONFIG = { name: "hearth-load-balancer", namespace: "kube-system" };
const settle = () => vi.advanceTimersByTimeAsync(3000);
const balancer = (name: string) =>
  service(name)
    .with({ spec: { type: "LoadBalancer" } })
    .build();
const onlyBalancer = [serviceLoadBalancerController];

const addressesOf = (api: MemoryApi) =>
  Object.fromEntries(api.all<Service>(SERVICES).map((each) => [each.metadata.name, balancerIps(each).join()]));
const reasonsOf = (api: MemoryApi, name: string) =>
  api
    .all<Event>(EVENTS)
    .flatMap((event) => (event.involvedObject.name === name ? [`${event.reason}: ${event.message}`] : []));

function withNode(name: string, address: string) {
  return node(name)
    .with({
      status: { addresses: [{ type: "InternalIP", address }], conditions: [{ type: "Ready", status: "True" }] },
    })
    .build();
}

const pools = (addresses: string) => ({
  ...object("v1", "ConfigMap", CONFIG.name).build(),
  metadata: { ...CONFIG },
  data: { pools: `- {name: lan, addresses: [${addresses}]}` },
});

/** Three Services for two addresses; the first gives its back half-way, one changes its type. */
async function play(heard = Number.POSITIVE_INFINITY) {
  const api = new MemoryApi();
  api.nowMs = () => Date.now();
  let doubles = 0;
  const { client, isDead } = mortalClient(api, heard);
  await api.create(CONFIG_MAPS, pools("192.0.2.8-192.0.2.9"));
  runControllers(api, onlyBalancer, undefined, client);
  const onBatch = () => {
    const all = api.all<Service>(SERVICES).flatMap(balancerIps);
    if (new Set(all).size < all.length) doubles += 1;
  };
  let hasDied = false;
  const steps = [
    () => api.create(SERVICES, balancer("a")),
    () => Promise.all([api.create(SERVICES, balancer("b")), api.create(SERVICES, balancer("c"))]),
    () => api.delete(SERVICES, { name: "a", namespace: "default" }),
    () =>
      api.patch(SERVICES, { name: "b", namespace: "default" }, "merge", { spec: { type: "ClusterIP" }, status: null }),
    () => api.create(SERVICES, balancer("d")),
  ];
  for (const step of steps) {
    await step();
    await settle();
    onBatch();
    if (isDead() && !hasDied) {
      hasDied = true;
      runControllers(api, onlyBalancer);
      await settle();
      onBatch();
    }
  }
  const writes = api.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  return { hasDied, doubles, end: addressesOf(api), idleWrites: api.calls.length - writes };
}

it("gives no address twice and none away for good, after whichever write the controller dies", async () => {
  const end = { b: "", c: "192.0.2.8", d: "192.0.2.9" };
  expect(await play()).toEqual({ hasDied: false, doubles: 0, end, idleWrites: 0 });
  let heard = 0;
  for (; ; heard += 1) {
    const { hasDied, end: reached, ...rest } = await play(heard);
    if (!hasDied) break;
    // Which of the two that wait gets what is free is not said.
    expect({ heard, ...rest, addresses: Object.values(reached).sort() }).toEqual({
      heard,
      doubles: 0,
      idleWrites: 0,
      addresses: ["", "192.0.2.8", "192.0.2.9"],
    });
  }
  expect(heard).toBeGreaterThan(6);
});

it("writes nothing without nodes and pools, and no more than is needed with them", async () => {
  const api = new MemoryApi();
  api.nowMs = () => Date.now();
  runControllers(api, onlyBalancer);
  await api.create(SERVICES, balancer("web"));
  await api.create(SERVICES, service("plain").build());
  await settle();
  expect(api.calls.map(({ verb }) => verb)).toEqual(["create", "create"]);

  await api.create(NODES, withNode("n1", "192.0.2.1"));
  await settle();
  expect(api.find<Service>(SERVICES, "default/web")).toMatchObject({
    metadata: { finalizers: ["service.kubernetes.io/load-balancer-cleanup"] },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.1", ipMode: "VIP" }] } },
  });
  await api.create(NODES, withNode("n2", "192.0.2.2"));
  await settle();
  expect(addressesOf(api)).toEqual({ web: "192.0.2.1,192.0.2.2", plain: "" });

  await api.create(CONFIG_MAPS, pools("192.0.2.8"));
  await api.create(SERVICES, balancer("late"));
  await settle();
  expect(addressesOf(api)).toEqual({ web: "192.0.2.8", plain: "", late: "" });
  await api.delete(SERVICES, { name: "web", namespace: "default" });
  await settle();
  expect(addressesOf(api)).toEqual({ plain: "", late: "192.0.2.8" });

  expect(reasonsOf(api, "web")).toEqual([
    "EnsuringLoadBalancer: Ensuring load balancer",
    "EnsuredLoadBalancer: Ensured load balancer",
    "UpdatedLoadBalancer: Updated load balancer with new hosts",
    'IPAllocated: Assigned IP ["192.0.2.8"]',
    "DeletingLoadBalancer: Deleting load balancer",
    "DeletedLoadBalancer: Deleted load balancer",
  ]);
  expect(reasonsOf(api, "late")[0]).toBe(
    'AllocationFailed: Failed to allocate IP for "default/late": no available IPs',
  );
});

it("leaves all as it is while the configuration cannot be read, and says so", async () => {
  const api = new MemoryApi();
  runControllers(api, onlyBalancer);
  await api.create(CONFIG_MAPS, pools("192.0.2.8"));
  await api.create(SERVICES, balancer("web"));
  await settle();
  await api.patch(CONFIG_MAPS, CONFIG, "merge", { data: { pools: "- {name: lan, addresses: [nonsense]}" } });
  await settle();
  expect(addressesOf(api)).toEqual({ web: "192.0.2.8" });
  expect(reasonsOf(api, CONFIG.name)).toEqual([expect.stringContaining("no range of addresses: nonsense")]);
});

it("says once why a Service waits, however often the controllers wake", async () => {
  const api = new MemoryApi();
  const notes = memoryNotes();
  await api.create(CONFIG_MAPS, pools("192.0.2.8"));
  for (const name of ["a", "b"]) await api.create(SERVICES, balancer(name));
  for (let i = 0; i < 3; i++) {
    runControllers(api, onlyBalancer, notes);
    await settle();
  }
  const told = api.all<Event>(EVENTS).filter(({ reason }) => reason === "AllocationFailed");
  expect(told.map(({ count, message }) => ({ count, message }))).toEqual([
    { count: 1, message: 'Failed to allocate IP for "default/b": no available IPs' },
  ]);
  await api.delete(SERVICES, { name: "b", namespace: "default" });
  await settle();
  expect([...notes.list("")]).toEqual([]);
});
