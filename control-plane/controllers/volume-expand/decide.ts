import { compareQuantities, parseQuantity } from "../../../shared/api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";

export interface Notice {
  type: "Normal" | "Warning";
  message: string;
}

/**
 * What a claim is told that wants more than it has: nobody here makes volumes larger, a CSI driver's resizer may. For
 * volumes of other kinds there is none, so that it is a warning. Undefined: it has what it wants, or no volume.
 */
export function decide(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): Notice | undefined {
  const owner = volume?.spec?.claimRef;
  const isBound =
    claim.status?.phase === "Bound" &&
    owner?.namespace === claim.metadata.namespace &&
    owner?.uid === claim.metadata.uid;
  if (!volume || !isBound) return undefined;
  const wanted = parseQuantity(claim.spec?.resources?.requests?.["storage"] ?? "0");
  const had = parseQuantity(claim.status?.capacity?.["storage"] ?? "0");
  if (compareQuantities(wanted, had) <= 0) return undefined;
  const { csi, flexVolume } = volume.spec ?? {};
  return {
    type: csi || flexVolume ? "Normal" : "Warning",
    message: "waiting for an external controller to expand this PVC",
  };
}

/** Whether a change of a claim is a reason to look: it wants more than before, or it has got more. */
export function hasGrown(before: PersistentVolumeClaim, now: PersistentVolumeClaim): boolean {
  const grew = (a: string | undefined, b: string | undefined) =>
    compareQuantities(parseQuantity(b ?? "0"), parseQuantity(a ?? "0")) > 0;
  return (
    grew(before.spec?.resources?.requests?.["storage"], now.spec?.resources?.requests?.["storage"]) ||
    grew(before.status?.capacity?.["storage"], now.status?.capacity?.["storage"])
  );
}
