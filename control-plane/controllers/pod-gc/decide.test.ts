import { describe, expect, it } from "vitest";
import type { Node, Pod } from "../../../shared/api/types.ts";
import { decide, type Reason } from "./decide.ts";

const pod = (nodeName: string | undefined, isTerminating: boolean): Pod => ({
  metadata: {
    name: "p",
    namespace: "default",
    ...(isTerminating ? { deletionTimestamp: "2026-10-21T08:00:00Z" } : {}),
  },
  spec: { containers: [], nodeName },
});

const node = (isReady: boolean, taint?: string): Node => ({
  metadata: { name: "n1" },
  spec: taint ? { taints: [{ key: taint, effect: "NoExecute" }] } : {},
  status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

const OUT = "node.kubernetes.io/out-of-service";

describe("decide", () => {
  it.each<{ name: string; pod: Pod; node?: Node; want: Reason | undefined }>([
    { name: "a pod on a node", pod: pod("n1", false), node: node(true), want: undefined },
    { name: "a pod that ends on its node", pod: pod("n1", true), node: node(false), want: undefined },
    { name: "a pod of a node that is gone", pod: pod("n1", false), want: "nodeIsGone" },
    { name: "a pod that waits for a node", pod: pod(undefined, false), want: undefined },
    { name: "a deleted pod that never had a node", pod: pod(undefined, true), want: "neverScheduled" },
    {
      name: "a deleted pod on a node out of service",
      pod: pod("n1", true),
      node: node(false, OUT),
      want: "outOfService",
    },
    { name: "a live pod on a node out of service", pod: pod("n1", false), node: node(false, OUT), want: undefined },
    {
      name: "a pod that was removed by force and waits for a finalizer",
      pod: {
        ...pod(undefined, true),
        metadata: { ...pod(undefined, true).metadata, deletionGracePeriodSeconds: 0, finalizers: ["example.com/hold"] },
        status: { phase: "Failed" },
      },
      want: undefined,
    },
    { name: "a deleted pod on a ready node", pod: pod("n1", true), node: node(true, OUT), want: undefined },
  ])("$name", ({ pod, node, want }) => expect(decide(pod, node)).toBe(want));
});
