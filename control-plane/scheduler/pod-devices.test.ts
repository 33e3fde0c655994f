import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEVICE_CLASSES, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from "../../shared/api/refs.ts";
import { RESOURCE_CLAIM_FINALIZER } from "../../shared/api/resource-claim.ts";
import { internalError } from "../../shared/api/status.ts";
import type { DeviceClass, Pod, ResourceClaim, ResourceSlice } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { mortalClient } from "../../test/builders/mortal-client.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import { schedulingNode, schedulingPod } from "../../test/builders/scheduling.ts";
import { CACHING } from "./caching.ts";
import { podScheduling } from "./pod-scheduling.ts";

let api: MemoryApi;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  for (const name of ["a", "b"]) await api.create(NODES, schedulingNode(name));
  await api.create(DEVICE_CLASSES, { metadata: { name: "gpu" }, spec: {} } as DeviceClass);
});

afterEach(() => vi.useRealTimers());

const run = (client: ApiClient = api) => runControllers(api, [podScheduling], undefined, client, CACHING);
/** Time passes, and the alarm of the scheduler's object goes off. */
async function later(runner: ReturnType<typeof run>): Promise<void> {
  await settle(10_000);
  await runner.alarm();
  await settle();
}
const settle = (ms = 2000) => vi.advanceTimersByTimeAsync(ms);
const claim = (name: string) => api.find<ResourceClaim>(RESOURCE_CLAIMS, `default/${name}`);
const pod = (name: string) => api.find<Pod>(PODS, `default/${name}`);
const bindings = () =>
  api.calls
    .filter(({ subresource }) => subresource === "binding")
    .map(({ name, body }) => `${name} on ${(body as { target: { name: string } }).target.name}`);
const said = (name: string) => pod(name)?.status?.conditions?.map(({ reason, message }) => `${reason}: ${message}`);
const users = (name: string) => claim(name)?.status?.reservedFor?.map((user) => user.name);

const publish = (node: string, count: number) =>
  api.create(RESOURCE_SLICES, {
    metadata: { name: `slice-${node}` },
    spec: {
      driver: "gpu.example.com",
      nodeName: node,
      pool: { name: node, generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: count }, (_, i) => ({ name: `gpu-${i}` })),
    },
  } as ResourceSlice);
const ask = (name: string, expression?: string) =>
  api.create(RESOURCE_CLAIMS, {
    kind: "ResourceClaim",
    apiVersion: "resource.k8s.io/v1",
    metadata: { name, namespace: "default" },
    spec: {
      devices: {
        requests: [
          {
            name: "r",
            exactly: { deviceClassName: "gpu", ...(expression ? { selectors: [{ cel: { expression } }] } : {}) },
          },
        ],
      },
    },
  } as ResourceClaim);

async function make(name: string, ...claims: string[]): Promise<void> {
  const { spec } = schedulingPod({ resourceClaims: claims.map((one) => ({ name: one, resourceClaimName: one })) });
  await api.create<Pod>(PODS, { kind: "Pod", apiVersion: "v1", metadata: { name, namespace: "default" }, spec });
}

describe("a pod with claims", () => {
  it.each([0, 1, 2, 3])(
    "has them allocated and reserved, then is bound, though it dies with write %i",
    async (heard) => {
      await publish("b", 1);
      await ask("c");
      await make("web", "c");
      run(mortalClient(api, heard).client);
      await settle();
      run();
      await settle(15_000);
      expect(claim("c")).toMatchObject({
        metadata: { finalizers: [RESOURCE_CLAIM_FINALIZER] },
        status: {
          allocation: {
            allocationTimestamp: expect.any(String),
            devices: { results: [{ request: "r", driver: "gpu.example.com", pool: "b", device: "gpu-0" }] },
          },
          reservedFor: [{ resource: "pods", name: "web", uid: pod("web")?.metadata.uid }],
        },
      });
      expect(bindings().at(-1)).toBe("web on b");
    },
  );

  it("is not spoken of until its claims are there", async () => {
    await publish("a", 1);
    run();
    await make("web", "c");
    await settle(20_000);
    expect(said("web")).toBeUndefined();
    expect(api.calls.filter(({ resource }) => resource === "events")).toEqual([]);
    await ask("c");
    await settle();
    expect(bindings()).toEqual(["web on a"]);
  });

  it("gets no device twice, and those that another gives back", async () => {
    await publish("a", 1);
    await ask("c");
    await ask("d");
    const runner = run();
    await make("first", "c");
    await make("second", "d");
    await settle();
    expect(bindings()).toEqual(["first on a"]);
    expect(said("second")?.[0]).toMatch(
      /^Unschedulable: 0\/2 nodes are available: 2 cannot allocate all claims\. still not schedulable, preemption: /,
    );
    await api.patch(RESOURCE_CLAIMS, { name: "c", namespace: "default", subresource: "status" }, "merge", {
      status: { allocation: null, reservedFor: null },
    });
    await later(runner);
    expect(bindings()).toEqual(["first on a", "second on a"]);
  });

  it("shares a claim with others, on its node", async () => {
    await publish("b", 1);
    await ask("c");
    run();
    await make("first", "c");
    await make("second", "c");
    await settle(10_000);
    expect(bindings().sort()).toEqual(["first on b", "second on b"]);
    expect(users("c")?.sort()).toEqual(["first", "second"]);
  });

  it("leaves its claims when it cannot be bound after all", async () => {
    await publish("a", 1);
    await ask("c");
    await make("web", "c");
    let refusals = 1;
    api.refuse = ({ subresource }) => {
      if (subresource === "binding" && refusals-- > 0) throw internalError("not now");
    };
    run();
    await vi.advanceTimersByTimeAsync(500);
    expect(users("c")).toEqual([]);
    await settle(10_000);
    expect(bindings().at(-1)).toBe("web on a");
    expect(users("c")).toEqual(["web"]);
  });

  it("takes an unused claim from where its devices are of no use", async () => {
    await publish("b", 1);
    await ask("c");
    const nodeSelector = {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["gone"] }] }],
    };
    const results = [{ request: "r", driver: "gpu.example.com", pool: "gone", device: "x" }];
    const status = { allocation: { devices: { results }, nodeSelector } };
    await api.patch(RESOURCE_CLAIMS, { name: "c", namespace: "default", subresource: "status" }, "merge", { status });
    run();
    await make("web", "c");
    await settle(10_000);
    expect(bindings()).toEqual(["web on b"]);
    expect(claim("c")?.status?.allocation?.devices?.results).toMatchObject([{ pool: "b" }]);
  });

  it("says what is wrong with a selector, and tries again", async () => {
    await publish("a", 1);
    await ask("c", "device.attributes['x'].y");
    const runner = run();
    await make("web", "c");
    await settle();
    expect(said("web")).toEqual([
      'SchedulerError: running "DynamicResources" filter plugin: claim default/c: selector #0: CEL runtime error: no such key: y',
    ]);
    const requests = [{ name: "r", exactly: { deviceClassName: "gpu" } }];
    await api.patch(RESOURCE_CLAIMS, { name: "c", namespace: "default" }, "merge", { spec: { devices: { requests } } });
    await later(runner);
    expect(bindings()).toEqual(["web on a"]);
  });
});
