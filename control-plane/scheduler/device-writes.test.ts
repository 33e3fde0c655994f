import { beforeEach, expect, it } from "vitest";
import { RESOURCE_CLAIMS } from "../../shared/api/refs.ts";
import type { ResourceClaim } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { schedulingPod } from "../../test/builders/scheduling.ts";
import { systemClock } from "../runtime/index.ts";
import { reserveClaim } from "./device-writes.ts";

let api: MemoryApi;
const pod = { ...schedulingPod(), metadata: { name: "p", namespace: "default", uid: "p" } };
const allocation = { devices: { results: [] } };
const reserve = (claim: ResourceClaim) => reserveClaim(claim, { pod, allocation }, { api, clock: systemClock });

beforeEach(() => {
  api = new MemoryApi();
});

const create = () =>
  api.create<ResourceClaim>(RESOURCE_CLAIMS, {
    metadata: { name: "c", namespace: "default" },
    spec: { devices: { requests: [] } },
  } as unknown as ResourceClaim);

it("writes over what others wrote meanwhile", async () => {
  const seen = await create();
  await api.update(RESOURCE_CLAIMS, { ...seen, metadata: { ...seen.metadata, labels: { driver: "was-here" } } });
  await reserve(seen);
  expect(api.find<ResourceClaim>(RESOURCE_CLAIMS, "default/c")).toMatchObject({
    metadata: { labels: { driver: "was-here" } },
    status: { reservedFor: [{ resource: "pods", name: "p", uid: "p" }] },
  });
});

it("gives a claim nothing that was chosen for another one of its name", async () => {
  const seen = await create();
  await api.delete(RESOURCE_CLAIMS, { name: "c", namespace: "default" });
  await create();
  await expect(reserve(seen)).rejects.toThrow("claim default/c got deleted in the meantime");
  expect(api.find<ResourceClaim>(RESOURCE_CLAIMS, "default/c")?.status?.allocation).toBeUndefined();
});
