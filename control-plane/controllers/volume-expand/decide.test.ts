import { expect, it } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { decide } from "./decide.ts";

const claim = (wants: string, has: string, phase = "Bound"): PersistentVolumeClaim => ({
  metadata: { name: "data", namespace: "default", uid: "u" },
  spec: { resources: { requests: { storage: wants } } },
  status: { phase, capacity: { storage: has } },
});
const volume = (spec: PersistentVolume["spec"], uid = "u"): PersistentVolume => ({
  metadata: { name: "pv" },
  spec: { claimRef: { namespace: "default", name: "data", uid }, ...spec },
});
const csi = { csi: { driver: "csi.example.com", volumeHandle: "v" } };
const hostPath = { hostPath: { path: "/srv" } };

it.each([
  { name: "a driver may make it larger", claim: claim("2Gi", "1Gi"), volume: volume(csi), want: "Normal" },
  { name: "nobody can", claim: claim("2Gi", "1Gi"), volume: volume(hostPath), want: "Warning" },
  { name: "it has what it wants", claim: claim("1024Mi", "1Gi"), volume: volume(csi), want: undefined },
  { name: "it is not bound yet", claim: claim("2Gi", "1Gi", "Pending"), volume: volume(csi), want: undefined },
  { name: "the volume is another claim's", claim: claim("2Gi", "1Gi"), volume: volume(csi, "v"), want: undefined },
  { name: "the volume is gone", claim: claim("2Gi", "1Gi", "Bound"), volume: undefined, want: undefined },
])("$name: $want", ({ claim, volume, want }) => expect(decide(claim, volume)?.type).toBe(want));
