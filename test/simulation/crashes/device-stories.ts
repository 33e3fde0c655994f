import { expect } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import { PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS, RESOURCE_SLICES } from "../../../shared/api/refs.ts";
import { RESOURCE_CLAIM_FINALIZER } from "../../../shared/api/resource-claim.ts";
import type { Pod, ResourceClaim } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { object, pod } from "../../builders/objects.ts";
import type { SimApi } from "../sim-api.ts";
import { change, createAll, remove, type Story } from "./story.ts";

const spec = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] } };
const metadata = (name: string) => ({ name, namespace: "default" });

const podWith = (name: string, resourceClaims: NonNullable<Pod["spec"]["resourceClaims"]>): KubeObject =>
  pod(name)
    .with({ spec: { resourceClaims, schedulingGates: [{ name: "wait" }] } })
    .build();

/** As a scheduler gives devices to claims, of one that died before it reserved them for their pods. */
async function allocate(api: SimApi): Promise<void> {
  expect(api.all(RESOURCE_CLAIMS)).toHaveLength(3);
  const results = [{ request: "gpu", driver: "gpu.example.com", pool: "a", device: "gpu-1" }];
  for (const { metadata: claim } of api.all(RESOURCE_CLAIMS))
    await change(RESOURCE_CLAIMS, claim.name, {
      metadata: { finalizers: [RESOURCE_CLAIM_FINALIZER] },
      status: { allocation: { devices: { results } } },
    })(api);
  for (const name of ["p", "q"]) await change(PODS, name, { spec: { schedulingGates: null } })(api);
}

const claimOf = (name: string) =>
  object("resource.k8s.io/v1", "ResourceClaim", name, { metadata: metadata(name), spec }).build();

const sliceOf = (...devices: object[]) =>
  object("resource.k8s.io/v1", "ResourceSlice", "s", {
    metadata: { name: "s" },
    spec: { driver: "gpu.example.com", nodeName: "a", pool: { name: "a", generation: 1 }, devices },
  }).build();
const ill = (device: string) => ({
  name: device,
  taints: [{ key: "ill", effect: "NoExecute", timeAdded: "2026-10-21T08:00:00Z" }],
});

/** As the scheduler gives a device to a pod's claim of the same name. */
const use = (name: string, device: string, tolerations: object[]) => async (api: SimApi) => {
  const results = [{ request: "gpu", driver: "gpu.example.com", pool: "a", device, tolerations }];
  const uid = api.find(PODS, `default/${name}`)?.metadata.uid;
  const reservedFor = [{ resource: "pods", name, uid }];
  await change(RESOURCE_CLAIMS, name, { status: { allocation: { devices: { results } }, reservedFor } })(api);
};
const forLong = [{ key: "ill", operator: "Exists", effect: "NoExecute", tolerationSeconds: 3600 }];

export const DEVICE_STORIES: Story[] = [
  {
    name: "claims for devices, two made for a pod and one that is shared, reserved and given back",
    of: ["resourceclaim"],
    beside: ["garbage-collector"],
    acts: [
      createAll(
        [
          RESOURCE_CLAIM_TEMPLATES,
          object("resource.k8s.io/v1", "ResourceClaimTemplate", "t", {
            metadata: metadata("t"),
            spec: { spec },
          }).build(),
        ],
        [
          RESOURCE_CLAIMS,
          object("resource.k8s.io/v1", "ResourceClaim", "c", { metadata: metadata("c"), spec, status: {} }).build(),
        ],
        [
          PODS,
          podWith("p", [
            { name: "own", resourceClaimTemplateName: "t" },
            { name: "other", resourceClaimTemplateName: "t" },
            { name: "shared", resourceClaimName: "c" },
          ]),
        ],
        [PODS, podWith("q", [{ name: "shared", resourceClaimName: "c" }])],
      ),
      allocate,
      async (api) => {
        const users = api.all<ResourceClaim>(RESOURCE_CLAIMS).map(({ status }) => status?.reservedFor?.length);
        expect(users).toEqual([2, 1, 1]);
        await remove(PODS, "p")(api);
      },
      remove(PODS, "q"),
      // Who dies having given the devices back leaves the finalizer until the claim is deleted, as with upstream: a
      // scheduler that is about to give it others may just have put it there.
      async (api) => {
        expect(api.all<ResourceClaim>(RESOURCE_CLAIMS)).toMatchObject([{ metadata: { name: "c" }, status: {} }]);
        expect(api.find<ResourceClaim>(RESOURCE_CLAIMS, "default/c")?.status).toEqual({});
        await remove(RESOURCE_CLAIMS, "c")(api);
      },
    ],
    end: (api) => expect(api.all(RESOURCE_CLAIMS)).toEqual([]),
    writes: 14,
  },
  {
    name: "a driver that taints a device in use, and one that heals in time",
    of: ["device-taint-eviction"],
    acts: [
      createAll(
        [RESOURCE_SLICES, sliceOf({ name: "gpu-1" }, { name: "gpu-2" })],
        ...["p", "q"].flatMap((name): [ResourceRef, KubeObject][] => [
          [RESOURCE_CLAIMS, claimOf(name)],
          [
            PODS,
            pod(name)
              .onNode("a")
              .with({ spec: { resourceClaims: [{ name: "gpu", resourceClaimName: name }] } })
              .build(),
          ],
        ]),
      ),
      async (api) => {
        await use("p", "gpu-1", [])(api);
        await use("q", "gpu-2", forLong)(api);
      },
      change(RESOURCE_SLICES, "s", { spec: sliceOf(ill("gpu-1"), ill("gpu-2"))["spec"] }),
      change(RESOURCE_SLICES, "s", { spec: sliceOf(ill("gpu-1"), { name: "gpu-2" })["spec"] }),
    ],
    end(api) {
      const staying = api.all(PODS).filter(({ metadata: { deletionTimestamp } }) => !deletionTimestamp);
      expect(staying.map(({ metadata: { name } }) => name)).toEqual(["q"]);
    },
    writes: 2,
  },
];
