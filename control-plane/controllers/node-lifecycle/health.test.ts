import { describe, expect, it } from "vitest";
import type { Node, NodeCondition, Taint } from "../../../shared/api/types.ts";
import { decideHealth, lastSignMs } from "./health.ts";
import { decideOldLabels } from "./os-labels.ts";
import { decideTaints } from "./taints.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const at = (secondsAgo: number) => new Date(NOW_MS - secondsAgo * 1000).toISOString();

const condition = (type: string, status: string): NodeCondition => ({
  type,
  status,
  reason: "KubeletReady",
  message: "kubelet is posting ready status",
  lastHeartbeatTime: at(400),
  lastTransitionTime: at(5000),
});

const node = (conditions: NodeCondition[], taints: Taint[] = []): Node => ({
  metadata: { name: "n1", creationTimestamp: at(6000), labels: { "kubernetes.io/os": "linux" } },
  spec: { taints },
  status: { conditions },
});

describe("lastSignMs", () => {
  const ready = node([condition("Ready", "True")]);
  it.each([
    { name: "the renewal of the lease", signs: { renewTime: at(3), noticedMs: undefined }, want: 3 },
    { name: "the heartbeat without a lease", signs: { renewTime: undefined, noticedMs: undefined }, want: 400 },
    {
      name: "a change that was noticed, of whatever time",
      signs: { renewTime: at(9e8), noticedMs: NOW_MS - 7000 },
      want: 7,
    },
    { name: "nothing that lies in the future", signs: { renewTime: at(-60), noticedMs: undefined }, want: 400 },
  ])("takes $name", ({ signs, want }) => expect(lastSignMs(ready, signs, NOW_MS)).toBe(NOW_MS - want * 1000));
});

describe("decideHealth", () => {
  const alive = node([condition("Ready", "True"), condition("MemoryPressure", "False")]);

  it("waits until the 50 s are over", () => {
    expect(decideHealth(alive, NOW_MS - 50_000, NOW_MS)).toEqual({ isLost: false, recheckAfterMs: 1 });
    expect(decideHealth(alive, NOW_MS - 10_000, NOW_MS)).toEqual({ isLost: false, recheckAfterMs: 40_001 });
  });

  it("gives a node that never reported 60 s", () => {
    expect(decideHealth(node([]), NOW_MS - 55_000, NOW_MS).isLost).toBe(false);
    expect(decideHealth(node([]), NOW_MS - 60_001, NOW_MS).isLost).toBe(true);
  });

  it("then makes all conditions Unknown, with upstream's words", () => {
    expect(decideHealth(alive, NOW_MS - 50_001, NOW_MS)).toMatchObject({
      isLost: true,
      conditions: [
        {
          type: "Ready",
          status: "Unknown",
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
        },
        { type: "MemoryPressure", status: "Unknown", reason: "NodeStatusUnknown" },
        { type: "DiskPressure", reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." },
        { type: "PIDPressure", reason: "NodeStatusNeverUpdated" },
      ],
    });
  });

  it("says it once", () => {
    const lost = node(
      ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => condition(type, "Unknown")),
    );
    expect(decideHealth(lost, NOW_MS - 90_000, NOW_MS)).toEqual({ isLost: true, conditions: [] });
  });
});

const noSchedule = (key: string): Taint => ({ key: `node.kubernetes.io/${key}`, effect: "NoSchedule" });
const noExecute = (key: string): Taint => ({ key: `node.kubernetes.io/${key}`, effect: "NoExecute" });
const mine: Taint = { key: "mine", effect: "NoExecute" };

describe("decideTaints", () => {
  it.each<{
    name: string;
    conditions: NodeCondition[];
    taints?: Taint[];
    evict?: "now" | "later" | "never";
    want: Taint[] | undefined;
  }>([
    { name: "a ready node has none", conditions: [condition("Ready", "True")], want: undefined },
    {
      name: "an unreachable node has both",
      conditions: [condition("Ready", "Unknown")],
      taints: [mine],
      want: [mine, noSchedule("unreachable"), noExecute("unreachable")],
    },
    {
      name: "a node that is not ready has both",
      conditions: [condition("Ready", "False")],
      want: [noSchedule("not-ready"), noExecute("not-ready")],
    },
    {
      name: "one pair takes the place of the other",
      conditions: [condition("Ready", "False")],
      taints: [noSchedule("unreachable"), noExecute("unreachable"), mine],
      want: [mine, noSchedule("not-ready"), noExecute("not-ready")],
    },
    {
      name: "a node that is back loses them",
      conditions: [condition("Ready", "True")],
      taints: [noSchedule("unreachable"), noExecute("unreachable"), mine],
      want: [mine],
    },
    {
      name: "nothing is evicted when no node is ready",
      conditions: [condition("Ready", "Unknown")],
      taints: [noExecute("unreachable")],
      evict: "never",
      want: [noSchedule("unreachable")],
    },
    {
      name: "a node that has to wait for its turn takes no new pods, and keeps those that it has",
      conditions: [condition("Ready", "Unknown")],
      evict: "later",
      want: [noSchedule("unreachable")],
    },
    {
      name: "one that had its turn goes from one pair to the other without another",
      conditions: [condition("Ready", "False")],
      taints: [noSchedule("unreachable"), noExecute("unreachable")],
      evict: "later",
      want: [noSchedule("not-ready"), noExecute("not-ready")],
    },
    {
      name: "a new node keeps the taint it was created with",
      conditions: [],
      taints: [noSchedule("not-ready")],
      want: undefined,
    },
    {
      name: "pressure and network conditions are taints",
      conditions: [
        condition("Ready", "True"),
        condition("MemoryPressure", "True"),
        condition("DiskPressure", "True"),
        condition("PIDPressure", "True"),
        condition("NetworkUnavailable", "True"),
      ],
      want: ["memory-pressure", "disk-pressure", "pid-pressure", "network-unavailable"].map(noSchedule),
    },
  ])("$name", ({ conditions, taints = [], evict = "now", want }) => {
    const got = decideTaints(node(conditions, taints), { evict, nowMs: NOW_MS });
    expect(got?.map(({ timeAdded: _timeAdded, ...taint }) => taint)).toEqual(want);
    for (const taint of got ?? [])
      expect(taint.timeAdded !== undefined).toBe(
        !taints.some(({ key, effect }) => key === taint.key && effect === taint.effect),
      );
  });

  it("taints a cordoned node", () => {
    const cordoned = node([condition("Ready", "True")]);
    cordoned.spec = { unschedulable: true };
    expect(decideTaints(cordoned, { evict: "now", nowMs: NOW_MS })).toMatchObject([noSchedule("unschedulable")]);
  });
});

describe("decideOldLabels", () => {
  it("copies the os to its old name", () =>
    expect(decideOldLabels(node([]))).toEqual({ "beta.kubernetes.io/os": "linux" }));
});
