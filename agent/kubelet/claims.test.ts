import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import { notFound } from "../../shared/api/status.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { aPod } from "../../test/builders/kubelet.ts";
import type { Volume } from "../api/index.ts";
import { findPersistentVolume } from "./claims.ts";

const CLAIM = {
  metadata: { name: "c", namespace: "default", uid: "claim" },
  spec: { volumeName: "pv1" },
  status: { phase: "Bound" },
};
const VOLUME = { metadata: { name: "pv1" }, spec: { claimRef: { uid: "claim" } } };
const claimed: Volume = { name: "data", persistentVolumeClaim: { claimName: "c" } };

function find(claim: object | undefined, volume: object | undefined, asked: Volume = claimed) {
  const api = {
    async get(ref: { resource: string }, name: string) {
      const found = ref.resource === "persistentvolumes" ? volume : claim;
      if (!found) throw notFound({ group: "", resource: ref.resource }, name);
      return found as KubeObject;
    },
  } as unknown as Pick<ApiClient, "get">;
  return findPersistentVolume(api, aPod(), asked);
}

describe("findPersistentVolume", () => {
  it("is what the claim is bound to", async () => expect(await find(CLAIM, VOLUME)).toBe(VOLUME));

  it.each([
    { name: "no claim", claim: undefined, message: 'failed to fetch PVC from API server: persistentvolumeclaims "c"' },
    { name: "one that waits", claim: { ...CLAIM, status: { phase: "Pending" } }, message: "PVC is not bound" },
    { name: "one that names no volume yet", claim: { ...CLAIM, spec: {} }, message: "PVC is not bound" },
    {
      name: "one that goes away",
      claim: { ...CLAIM, metadata: { ...CLAIM.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
      message: "PVC is being deleted",
    },
    {
      name: "no volume",
      volume: undefined,
      message: 'failed to fetch PV pv1 from API server: persistentvolumes "pv1"',
    },
    { name: "a volume of nobody", volume: { spec: {} }, message: "PV pv1 spec.ClaimRef is nil" },
    {
      name: "a volume of another claim",
      volume: { spec: { claimRef: { uid: "other" } } },
      message: "PV pv1 spec.ClaimRef.UID other does not match pvc.UID claim",
    },
  ])("fails: $name", async (each) => {
    const { claim, volume } = { claim: CLAIM, volume: VOLUME, ...each };
    await expect(find(claim, volume)).rejects.toThrow(`error processing PVC default/c: ${each.message}`);
  });

  it("takes an ephemeral volume's claim only if it was made for this pod", async () => {
    const ephemeral = { name: "tmp", ephemeral: {} } as Volume;
    const owned = { ...CLAIM, metadata: { ...CLAIM.metadata, ownerReferences: [{ controller: true, uid: "u1" }] } };
    expect(await find(owned, VOLUME, ephemeral)).toBe(VOLUME);
    await expect(find(CLAIM, VOLUME, ephemeral)).rejects.toThrow(
      "PVC default/web-0-tmp was not created for pod default/web-0 (pod is not owner)",
    );
  });
});
