import { describe, expect, it } from "vitest";
import type { Pod, ResourceClaim, ResourceSlice } from "../../../shared/api/types.ts";
import { decideEviction } from "./decide.ts";
import { type DeviceTaint, evictingTaints } from "./tainted-devices.ts";

const ADDED_MS = Date.parse("2026-10-21T08:00:00Z");
const taint = (key: string, fields: Partial<DeviceTaint> = {}): DeviceTaint =>
  ({ key, effect: "NoExecute", timeAdded: new Date(ADDED_MS).toISOString(), ...fields }) as unknown as DeviceTaint;

const tolerating = (key: string, fields: object = {}) => ({ key, operator: "Exists", effect: "NoExecute", ...fields });
const USER = { resource: "pods", name: "p", uid: "u1" };
const claim = (tolerations: object[] = [], reservedFor: object[] = [USER], metadata: object = {}): ResourceClaim =>
  ({
    metadata: { name: "c", namespace: "ns", ...metadata },
    spec: {},
    status: {
      allocation: { devices: { results: [{ request: "r", driver: "d", pool: "p", device: "gpu-0", tolerations }] } },
      reservedFor,
    },
  }) as unknown as ResourceClaim;

const pod = (fields: { metadata?: object; spec?: object; status?: object } = {}): Pod =>
  ({
    metadata: { name: "p", namespace: "ns", uid: "u1", ...fields.metadata },
    spec: { nodeName: "n", containers: [], resourceClaims: [{ name: "gpu", resourceClaimName: "c" }], ...fields.spec },
    status: fields.status,
  }) as unknown as Pod;
const FROM_TEMPLATE = {
  spec: { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }] },
  status: { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "c" }] },
};
const madeFor = (uid: string) => ({
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid, controller: true }],
});

describe("decideEviction", () => {
  it.each<{ name: string; pod?: Pod; claim?: ResourceClaim; taints?: DeviceTaint[]; wantSeconds: number | undefined }>([
    { name: "stays with a good device", taints: [], wantSeconds: undefined },
    { name: "goes at once if its claim tolerates nothing", wantSeconds: 0 },
    { name: "stays if it tolerates for ever", claim: claim([tolerating("sick")]), wantSeconds: undefined },
    {
      name: "goes after its tolerationSeconds, counted from the taint",
      claim: claim([tolerating("sick", { tolerationSeconds: 30 })]),
      wantSeconds: 30,
    },
    {
      name: "goes after the shortest of several tolerations",
      claim: claim([
        tolerating("sick", { tolerationSeconds: 30 }),
        { operator: "Exists", effect: "NoExecute", tolerationSeconds: 20 },
      ]),
      wantSeconds: 20,
    },
    {
      name: "takes a negative time for none",
      claim: claim([tolerating("sick", { tolerationSeconds: -5 })]),
      wantSeconds: 0,
    },
    {
      name: "stays for ever with a toleration without a time, whatever the others say",
      claim: claim([tolerating("sick", { tolerationSeconds: 30 }), tolerating("sick")]),
      wantSeconds: undefined,
    },
    {
      name: "needs a toleration of the effect by its name",
      claim: claim([{ key: "sick", operator: "Exists" }]),
      wantSeconds: 0,
    },
    {
      name: "needs a toleration of the value",
      claim: claim([{ key: "sick", operator: "Equal", value: "no", effect: "NoExecute" }]),
      taints: [taint("sick", { value: "yes" })],
      wantSeconds: 0,
    },
    {
      name: "goes for the earliest of several taints",
      claim: claim([tolerating("sick", { tolerationSeconds: 30 }), tolerating("old", { tolerationSeconds: 10 })]),
      taints: [taint("sick"), taint("old")],
      wantSeconds: 10,
    },
    { name: "is placed first", pod: pod({ spec: { nodeName: undefined } }), wantSeconds: undefined },
    {
      name: "is being deleted already",
      pod: pod({ metadata: { deletionTimestamp: "2026-10-21T08:00:00Z" } }),
      wantSeconds: undefined,
    },
    {
      name: "goes for a claim from a template",
      pod: pod(FROM_TEMPLATE),
      claim: claim([], [USER], madeFor("u1")),
      wantSeconds: 0,
    },
    {
      name: "not for one that was made for another",
      pod: pod(FROM_TEMPLATE),
      claim: claim([], [USER], madeFor("u2")),
      wantSeconds: undefined,
    },
    {
      name: "not for one that another has reserved",
      claim: claim([], [{ ...USER, uid: "u2" }]),
      wantSeconds: undefined,
    },
    {
      name: "not for one that is not made yet",
      pod: pod({ ...FROM_TEMPLATE, status: {} }),
      claim: claim([], [USER], madeFor("u1")),
      wantSeconds: undefined,
    },
  ])("$name", ({ pod: asked = pod(), claim: known = claim(), taints = [taint("sick")], wantSeconds }) => {
    const at = decideEviction(asked, { claim: (name) => (name === "c" ? known : undefined), taints: () => taints });
    expect(at).toBe(wantSeconds === undefined ? undefined : ADDED_MS + wantSeconds * 1000);
  });
});

describe("evictingTaints", () => {
  const slice = (generation: number, devices: object[]): ResourceSlice =>
    ({ metadata: { name: "s" }, spec: { driver: "d", pool: { name: "p", generation }, devices } }) as never;
  const sick = { name: "gpu-0", taints: [taint("sick"), taint("slow", { effect: "NoSchedule" as never })] };

  it.each([
    { name: "are those with the effect NoExecute", slices: [slice(1, [sick])], want: ["sick"] },
    { name: "of the device asked for", slices: [slice(1, [{ ...sick, name: "gpu-1" }])], want: [] },
    { name: "in whichever slice", slices: [slice(1, [{ name: "gpu-1" }]), slice(1, [sick])], want: ["sick"] },
    { name: "not of an earlier generation", slices: [slice(1, [sick]), slice(2, [])], want: [] },
    { name: "none where nothing is published", slices: [], want: [] },
  ])("$name", ({ slices, want }) => expect(evictingTaints("gpu-0", slices).map(({ key }) => key)).toEqual(want));
});
