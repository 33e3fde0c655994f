import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EVENTS, PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS } from "../../../shared/api/refs.ts";
import { RESOURCE_CLAIM_FINALIZER } from "../../../shared/api/resource-claim.ts";
import type { Event, Pod, ResourceClaim, ResourceClaimTemplate } from "../../../shared/api/types.ts";
import { MemoryApi } from "../../../test/builders/memory-api.ts";
import { mortalClient } from "../../../test/builders/mortal-client.ts";
import { runControllers } from "../../../test/builders/run-controllers.ts";
import { decideClaim } from "./decide-claim.ts";
import { decidePod } from "./decide-pod.ts";
import { resourceClaimController } from "./index.ts";

const template = {
  metadata: { name: "t", namespace: "ns" },
  spec: { metadata: { labels: { of: "t" }, annotations: { a: "b" } }, spec: { devices: { requests: [] } } },
} as unknown as ResourceClaimTemplate;

interface PodOptions {
  claims?: object[];
  statuses?: object[];
  node?: string;
  deleted?: true;
  name?: string;
}

const podWith = ({ claims = [FROM_TEMPLATE], statuses, node, deleted, name = "p" }: PodOptions = {}): Pod =>
  ({
    metadata: { name, namespace: "ns", uid: "u1", ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
    spec: { containers: [], resourceClaims: claims, nodeName: node },
    status: { resourceClaimStatuses: statuses },
  }) as unknown as Pod;

const FROM_TEMPLATE = { name: "gpu", resourceClaimTemplateName: "t" };
const BY_NAME = { name: "gpu", resourceClaimName: "c" };
const OWNED = { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u1", controller: true }] };
const ALLOCATION = { devices: { results: [] } };
const USER = { resource: "pods", name: "p", uid: "u1" };

const claimWith = (status: object = {}, metadata: object = {}): ResourceClaim =>
  ({ metadata: { name: "c", namespace: "ns", uid: "c1", ...metadata }, spec: {}, status }) as unknown as ResourceClaim;

describe("what a pod's claims lack", () => {
  const NOTHING = { create: [], name: [], reserve: [] };
  it.each<{ name: string; pod: Pod; claims?: ResourceClaim[]; made?: string; templates?: boolean; want: object }>([
    {
      name: "one from a template is made",
      pod: podWith(),
      want: {
        ...NOTHING,
        create: [
          {
            podClaim: "gpu",
            claim: {
              apiVersion: "resource.k8s.io/v1",
              kind: "ResourceClaim",
              metadata: {
                name: "",
                generateName: "p-gpu-",
                namespace: "ns",
                labels: { of: "t" },
                annotations: { a: "b", "resource.kubernetes.io/pod-claim-name": "gpu" },
                ...OWNED,
              },
              spec: { devices: { requests: [] } },
            },
          },
        ],
      },
    },
    {
      name: "one that is made but not named is named",
      pod: podWith(),
      made: "p-gpu-x",
      want: { ...NOTHING, name: [{ podClaim: "gpu", claim: "p-gpu-x" }] },
    },
    {
      name: "one that is named and there is left alone",
      pod: podWith({ statuses: [{ name: "gpu", resourceClaimName: "c" }] }),
      claims: [claimWith({}, OWNED)],
      want: NOTHING,
    },
    {
      name: "one that is named and on its way is left alone",
      pod: podWith({ statuses: [{ name: "gpu", resourceClaimName: "c" }] }),
      made: "c",
      want: NOTHING,
    },
    {
      name: "one that was lost is made again",
      pod: podWith({ statuses: [{ name: "gpu", resourceClaimName: "c" }] }),
      want: { create: [{ podClaim: "gpu" }] },
    },
    {
      name: "somebody else's is no substitute",
      pod: podWith({ statuses: [{ name: "gpu", resourceClaimName: "c" }] }),
      claims: [claimWith()],
      want: { create: [{ podClaim: "gpu" }] },
    },
    { name: "one that is not needed is not made", pod: podWith({ statuses: [{ name: "gpu" }] }), want: NOTHING },
    { name: "one used by name is its user's business", pod: podWith({ claims: [BY_NAME] }), want: NOTHING },
    { name: "a pod that goes away gets none", pod: podWith({ deleted: true }), want: NOTHING },
    {
      name: "the template is missing",
      pod: podWith(),
      templates: false,
      want: {
        ...NOTHING,
        failure:
          'PodResourceClaim gpu: resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found',
      },
    },
    {
      name: "a pod that was placed past the scheduler reserves what is allocated",
      pod: podWith({ claims: [BY_NAME], node: "n" }),
      claims: [claimWith({ allocation: ALLOCATION })],
      want: { reserve: [{ metadata: { name: "c" } }] },
    },
    {
      name: "what is reserved already stays so",
      pod: podWith({ claims: [BY_NAME], node: "n" }),
      claims: [claimWith({ allocation: ALLOCATION, reservedFor: [USER] })],
      want: NOTHING,
    },
    {
      name: "without an allocation there is nothing to reserve",
      pod: podWith({ claims: [BY_NAME], node: "n" }),
      claims: [claimWith()],
      want: NOTHING,
    },
    {
      name: "of long names something stays of both",
      pod: podWith({ name: "a".repeat(60), claims: [{ ...FROM_TEMPLATE, name: "b".repeat(20) }] }),
      want: { create: [{ claim: { metadata: { generateName: `${"a".repeat(41)}-${"b".repeat(13)}` } } }] },
    },
  ])("$name", ({ pod, claims = [], made, templates = true, want }) => {
    const known = {
      claim: (name: string) => claims.find(({ metadata }) => metadata.name === name),
      madeFor: () => made,
      template: () => (templates ? template : undefined),
    };
    expect(decidePod(pod, known)).toMatchObject(want);
  });
});

describe("what becomes of a claim", () => {
  const kept = { finalizers: [RESOURCE_CLAIM_FINALIZER] };
  const other = { resource: "pods", name: "q", uid: "u2" };
  it.each<{ name: string; claim: ResourceClaim; gone?: string[]; owner?: Pod; want: object }>([
    {
      name: "in use",
      claim: claimWith({ allocation: ALLOCATION, reservedFor: [USER] }, kept),
      want: { removeFinalizer: false, remove: false },
    },
    {
      name: "one of two users is gone",
      claim: claimWith({ allocation: ALLOCATION, reservedFor: [USER, other] }, kept),
      gone: ["u1"],
      want: { status: { allocation: ALLOCATION, reservedFor: [other] }, removeFinalizer: false, remove: false },
    },
    {
      name: "the last user is gone",
      claim: claimWith({ allocation: ALLOCATION, reservedFor: [USER] }, kept),
      gone: ["u1"],
      want: { status: {}, removeFinalizer: true, remove: false },
    },
    {
      name: "users of other kinds stay",
      claim: claimWith({ allocation: ALLOCATION, reservedFor: [{ ...USER, apiGroup: "x.io" }] }, kept),
      gone: ["u1"],
      want: { removeFinalizer: false, remove: false },
    },
    {
      name: "allocated, not used yet",
      claim: claimWith({ allocation: ALLOCATION }, kept),
      want: { removeFinalizer: false, remove: false },
    },
    {
      name: "deleted and not used",
      claim: claimWith({ allocation: ALLOCATION }, { ...kept, deletionTimestamp: "2026-01-01T00:00:00Z" }),
      want: { status: {}, removeFinalizer: true, remove: false },
    },
    {
      name: "deleted, never allocated",
      claim: claimWith({}, { ...kept, deletionTimestamp: "2026-01-01T00:00:00Z" }),
      want: { removeFinalizer: true, remove: false },
    },
    {
      name: "deleted and in use",
      claim: claimWith(
        { allocation: ALLOCATION, reservedFor: [USER] },
        { ...kept, deletionTimestamp: "2026-01-01T00:00:00Z" },
      ),
      want: { removeFinalizer: false, remove: false },
    },
    {
      name: "made for a pod that was replaced",
      claim: claimWith({}, OWNED),
      owner: { ...podWith(), metadata: { name: "p", uid: "u9" } },
      want: { removeFinalizer: false, remove: true },
    },
    {
      name: "made for a pod that has ended",
      claim: claimWith({}, OWNED),
      owner: { ...podWith(), status: { phase: "Succeeded" } } as Pod,
      want: { remove: true },
    },
    {
      name: "made for a pod deleted before it was placed",
      claim: claimWith({}, OWNED),
      owner: podWith({ deleted: true }),
      want: { remove: true },
    },
    {
      name: "made for a pod that still runs",
      claim: claimWith({}, OWNED),
      owner: podWith({ deleted: true, node: "n" }),
      want: { remove: false },
    },
    { name: "made for a pod that is not known", claim: claimWith({}, OWNED), want: { remove: false } },
  ])("$name", ({ claim, gone = [], owner, want }) => {
    const plan = decideClaim(claim, { isGone: ({ uid }) => gone.includes(uid), owner });
    expect(plan).toMatchObject(want);
    expect(plan.status).toEqual((want as { status?: object }).status);
  });
});

describe("claims in a cluster", () => {
  let api: MemoryApi;
  beforeEach(async () => {
    vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
    api = new MemoryApi();
    api.nowMs = () => Date.now();
    const { metadata, spec } = template;
    await api.create(RESOURCE_CLAIM_TEMPLATES, { metadata, spec } as ResourceClaimTemplate);
  });
  afterEach(() => vi.useRealTimers());

  const settle = (ms = 2000) => vi.advanceTimersByTimeAsync(ms);
  const claims = () => api.all<ResourceClaim>(RESOURCE_CLAIMS);
  const pod = () => api.find<Pod>(PODS, "ns/p");
  const make = (resourceClaims: object[] = [FROM_TEMPLATE]) =>
    api.create<Pod>(PODS, {
      kind: "Pod",
      metadata: { name: "p", namespace: "ns" },
      spec: { containers: [], resourceClaims },
    } as unknown as Pod);
  /** What the scheduler does. */
  async function allocate(): Promise<void> {
    for (const { metadata } of claims()) {
      const { name, namespace } = metadata;
      await api.patch(RESOURCE_CLAIMS, { name, namespace }, "merge", {
        metadata: { finalizers: [RESOURCE_CLAIM_FINALIZER] },
      });
      const reservedFor = [{ resource: "pods", name: "p", uid: pod()?.metadata.uid }];
      const status = { allocation: ALLOCATION, reservedFor };
      await api.patch(RESOURCE_CLAIMS, { name, namespace, subresource: "status" }, "merge", { status });
    }
    await api.patch(PODS, { name: "p", namespace: "ns" }, "merge", { spec: { nodeName: "n" } });
  }

  it.each([0, 1, 2, 3, 4])(
    "makes, names and takes back one claim each, though it dies with write %i",
    async (heard) => {
      runControllers(api, [resourceClaimController], undefined, mortalClient(api, heard).client);
      await make([FROM_TEMPLATE, { ...FROM_TEMPLATE, name: "nic" }]);
      await settle();
      runControllers(api, [resourceClaimController]);
      await settle(15_000);
      expect(claims().map(({ metadata }) => metadata.generateName)).toHaveLength(2);
      const names = new Map(
        pod()?.status?.resourceClaimStatuses?.map((entry) => [entry.name, entry.resourceClaimName]),
      );
      for (const { metadata } of claims()) {
        expect(names.get(metadata.annotations!["resource.kubernetes.io/pod-claim-name"]!)).toBe(metadata.name);
      }
      await allocate();
      await settle();
      await api.patch(PODS, { name: "p", namespace: "ns", subresource: "status" }, "merge", {
        status: { phase: "Failed" },
      });
      runControllers(api, [resourceClaimController], undefined, mortalClient(api, heard).client);
      await settle();
      runControllers(api, [resourceClaimController]);
      await settle(15_000);
      expect(claims()).toEqual([]);
      const writes = api.calls.length;
      await settle(600_000);
      expect(api.calls.length).toBe(writes);
    },
  );

  it("says what it cannot make, and makes it when the template is there", async () => {
    runControllers(api, [resourceClaimController]);
    await make([{ name: "gpu", resourceClaimTemplateName: "late" }]);
    await settle();
    expect(api.all<Event>(EVENTS)).toMatchObject([
      {
        type: "Warning",
        reason: "FailedResourceClaimCreation",
        source: { component: "resource_claim" },
        message:
          'PodResourceClaim gpu: resource claim template "late": resourceclaimtemplate.resource.k8s.io "late" not found',
      },
    ]);
    const { spec } = template;
    await api.create(RESOURCE_CLAIM_TEMPLATES, {
      metadata: { name: "late", namespace: "ns" },
      spec,
    } as ResourceClaimTemplate);
    await settle();
    expect(claims()).toHaveLength(1);
  });

  it("frees the devices of a claim that was made by hand when its pod is deleted, and keeps the claim", async () => {
    runControllers(api, [resourceClaimController]);
    await api.create(RESOURCE_CLAIMS, claimWith());
    await make([BY_NAME]);
    await allocate();
    await settle();
    expect(claims()).toMatchObject([
      { metadata: { finalizers: [RESOURCE_CLAIM_FINALIZER] }, status: { allocation: ALLOCATION } },
    ]);
    await api.delete(PODS, { name: "p", namespace: "ns" }, { gracePeriodSeconds: 0 });
    await settle();
    expect(claims()).toMatchObject([{ metadata: { name: "c", finalizers: [] } }]);
    expect(claims()[0]!.status).toEqual({});
  });

  it("makes a claim again that somebody deleted", async () => {
    runControllers(api, [resourceClaimController]);
    await make();
    await settle();
    const [before] = claims();
    await api.delete(RESOURCE_CLAIMS, { name: before!.metadata.name, namespace: "ns" });
    await settle();
    expect(claims()).toHaveLength(1);
    expect(claims()[0]!.metadata.uid).not.toBe(before!.metadata.uid);
    expect(pod()?.status?.resourceClaimStatuses).toEqual([
      { name: "gpu", resourceClaimName: claims()[0]!.metadata.name },
    ]);
  });
});
