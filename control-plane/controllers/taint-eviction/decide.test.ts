import { describe, expect, it } from "vitest";
import type { Pod, Taint, Toleration } from "../../../shared/api/types.ts";
import { decideEviction } from "./decide.ts";

const ADDED_MS = 1_000_000;

const pod = (tolerations: Toleration[], more: Partial<Pod["metadata"]> = {}): Pod => ({
  metadata: { name: "p", namespace: "default", ...more },
  spec: { containers: [], nodeName: "n1", tolerations },
});

const taint = (key: string, value?: string): Taint => ({ key, value, effect: "NoExecute" });
const unreachable = taint("node.kubernetes.io/unreachable");
const tolerating = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});

describe("decideEviction", () => {
  it.each<{ name: string; pod: Pod; taints: Taint[]; wantSeconds: number | undefined }>([
    { name: "stays where there is no taint", pod: pod([]), taints: [], wantSeconds: undefined },
    { name: "goes at once if it tolerates nothing", pod: pod([]), taints: [unreachable], wantSeconds: 0 },
    {
      name: "goes after its tolerationSeconds, counted from the taint",
      pod: pod([tolerating("node.kubernetes.io/unreachable", 300)]),
      taints: [unreachable],
      wantSeconds: 300,
    },
    {
      name: "goes when it has ended, too",
      pod: { ...pod([]), status: { phase: "Succeeded" } },
      taints: [unreachable],
      wantSeconds: 0,
    },
    {
      name: "stays for ever if it tolerates for ever",
      pod: pod([tolerating("node.kubernetes.io/unreachable")]),
      taints: [unreachable],
      wantSeconds: undefined,
    },
    {
      name: "goes after the shortest of several tolerations",
      pod: pod([
        tolerating("ctl-evict", 2),
        { key: "ctl-evict", operator: "Equal", value: "now", effect: "NoExecute", tolerationSeconds: 900 },
      ]),
      taints: [taint("ctl-evict", "now")],
      wantSeconds: 2,
    },
    {
      name: "goes at once for one taint that it does not tolerate",
      pod: pod([tolerating("node.kubernetes.io/unreachable", 300)]),
      taints: [unreachable, taint("other")],
      wantSeconds: 0,
    },
    {
      name: "is left alone when it is being deleted already",
      pod: pod([], { deletionTimestamp: "2026-10-21T08:00:00Z" }),
      taints: [unreachable],
      wantSeconds: undefined,
    },
  ])("$name", ({ pod, taints, wantSeconds }) =>
    expect(decideEviction(pod, taints, () => ADDED_MS)).toBe(
      wantSeconds === undefined ? undefined : ADDED_MS + wantSeconds * 1000,
    ),
  );
});
