import { expect, it } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import { decide, hasGrown } from "./decide.ts";

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

it.each([
  { name: "it wants more", before: claim("1Gi", "1Gi"), now: claim("2Gi", "1Gi"), want: true },
  { name: "it has more", before: claim("2Gi", "1Gi"), now: claim("2Gi", "2Gi"), want: true },
  { name: "it is bound", before: claim("2Gi", "0", "Pending"), now: claim("2Gi", "1Gi"), want: true },
  { name: "it wants less", before: claim("3Gi", "1Gi"), now: claim("2Gi", "1Gi"), want: false },
  { name: "it says the same otherwise", before: claim("1Gi", "1Gi"), now: claim("1024Mi", "1Gi"), want: false },
  { name: "it is lost", before: claim("2Gi", "1Gi"), now: claim("2Gi", "1Gi", "Lost"), want: false },
])("a claim is looked at when $name: $want", ({ before, now, want }) => expect(hasGrown(before, now)).toBe(want));
