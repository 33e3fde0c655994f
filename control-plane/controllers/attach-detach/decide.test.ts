import { describe, expect, it } from "vitest";
import {
  ATTACH_TIMEOUT_MS,
  type Attachment,
  decide,
  FORCE_DETACH_MS,
  multiAttachMessage,
  type NeedingPod,
  type Plan,
  type Situation,
  type VolumeNode,
} from "./decide.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");

const pod = (nodeName: string, name = `on-${nodeName}`, namespace = "default"): NeedingPod => ({
  name,
  namespace,
  nodeName,
});
const attachment = (nodeName: string, fields: Partial<Attachment> = {}): Attachment => ({
  nodeName,
  isAttached: true,
  createdMs: NOW_MS,
  isGoing: false,
  ...fields,
});
const node = (fields: Partial<VolumeNode> = {}): VolumeNode => ({
  isInUse: false,
  isHealthy: true,
  isOutOfService: false,
  isReported: false,
  ...fields,
});
const lost = { isInUse: true, isHealthy: false, isReported: true };
const NOTHING: Plan = {
  ...{ attach: [], detach: [], report: [], retract: [] },
  ...{ waitToDetach: [], forget: [], refused: [], overdue: [] },
};

interface Case extends Partial<Situation> {
  name: string;
  on?: Record<string, VolumeNode>;
  want: Partial<Plan>;
}

describe("decide", () => {
  it.each<Case>([
    { name: "attaches where a pod needs it", pods: [pod("a"), pod("a", "too")], want: { attach: ["a"] } },
    {
      name: "waits for the driver",
      pods: [pod("a")],
      attachments: [attachment("a", { isAttached: false, createdMs: NOW_MS - 30_000 })],
      want: { recheckAfterMs: ATTACH_TIMEOUT_MS - 30_000 },
    },
    {
      name: "tells when the driver takes too long, again and again",
      pods: [pod("a")],
      attachments: [attachment("a", { isAttached: false, createdMs: NOW_MS - 2 * ATTACH_TIMEOUT_MS - 30_000 })],
      want: { overdue: [{ nodeName: "a", times: 2 }], recheckAfterMs: ATTACH_TIMEOUT_MS - 30_000 },
    },
    { name: "says that it is attached", pods: [pod("a")], attachments: [attachment("a")], want: { report: ["a"] } },
    {
      name: "says so once",
      pods: [pod("a")],
      attachments: [attachment("a")],
      on: { a: node({ isReported: true, isInUse: true }) },
      want: {},
    },
    { name: "gives an exclusive one to the oldest pod's node", pods: [pod("b"), pod("a")], want: { attach: ["b"] } },
    {
      name: "gives one for many to all",
      isExclusive: false,
      pods: [pod("a"), pod("b")],
      want: { attach: ["a", "b"] },
    },
    {
      name: "refuses an exclusive one that another node has",
      pods: [pod("a"), pod("b")],
      attachments: [attachment("a")],
      on: { a: node({ isReported: true }) },
      want: { refused: ["b"] },
    },
    {
      name: "and one that another node is only about to get",
      pods: [pod("a"), pod("b")],
      attachments: [attachment("a", { isAttached: false })],
      want: { refused: ["b"], recheckAfterMs: ATTACH_TIMEOUT_MS },
    },
    {
      name: "takes it from where nobody needs it, and only then gives it to another",
      pods: [pod("b")],
      attachments: [attachment("a")],
      on: { a: node({ isReported: true }) },
      want: { detach: ["a"], retract: ["a"] },
    },
    {
      name: "waits while it is being detached",
      pods: [pod("b")],
      attachments: [attachment("a", { isGoing: true })],
      want: {},
    },
    {
      name: "attaches again what is on its way out, when that is over",
      pods: [pod("a")],
      attachments: [attachment("a", { isGoing: true })],
      on: { a: node({ isReported: true }) },
      want: { retract: ["a"] },
    },
    {
      name: "leaves it where it is mounted still, and refuses others",
      pods: [pod("b")],
      attachments: [attachment("a")],
      on: { a: node({ isInUse: true, isReported: true }) },
      want: { waitToDetach: ["a"], refused: ["b"] },
    },
    {
      name: "looks again when a node that is not healthy has had its time",
      attachments: [attachment("a")],
      on: { a: node({ ...lost, unneededSinceMs: NOW_MS - 60_000 }) },
      want: { recheckAfterMs: FORCE_DETACH_MS - 60_000 + 1 },
    },
    {
      name: "takes it from such a node then",
      attachments: [attachment("a")],
      on: { a: node({ ...lost, unneededSinceMs: NOW_MS - FORCE_DETACH_MS - 1 }) },
      want: { detach: ["a"], retract: ["a"] },
    },
    {
      name: "never from a healthy one that has it mounted",
      attachments: [attachment("a")],
      on: { a: node({ isInUse: true, isReported: true, unneededSinceMs: NOW_MS - 10 * FORCE_DETACH_MS }) },
      want: {},
    },
    {
      name: "at once from one that is out of service",
      attachments: [attachment("a")],
      on: { a: node({ ...lost, isOutOfService: true }) },
      want: { detach: ["a"], retract: ["a"] },
    },
    {
      name: "forgets that it waited when it is needed again",
      pods: [pod("a")],
      attachments: [attachment("a")],
      on: { a: node({ isInUse: true, isReported: true, unneededSinceMs: NOW_MS }) },
      want: { forget: ["a"] },
    },
    {
      name: "forgets that it waited when it is gone, and takes back what the node says",
      on: { a: node({ ...lost, unneededSinceMs: NOW_MS }) },
      want: { forget: ["a"], retract: ["a"] },
    },
    {
      name: "attaches anew what somebody else has detached",
      pods: [pod("a")],
      on: { a: node({ isInUse: true, isReported: true }) },
      want: { attach: ["a"], retract: ["a"] },
    },
  ])("$name", ({ want, on = {}, isExclusive = true, pods = [], attachments = [] }) => {
    const nodes = new Map(Object.entries({ a: node(), b: node(), ...on }));
    expect(decide({ isExclusive, pods, attachments, nodes, nowMs: NOW_MS })).toEqual({ ...NOTHING, ...want });
  });
});

describe("multiAttachMessage", () => {
  const elsewhere = pod("a", "secret", "other");
  it.each([
    {
      users: [],
      want: "Volume is already exclusively attached to one node and can't be attached to another",
    },
    { users: [pod("a", "x"), pod("a", "y")], want: "Volume is already used by pod(s) x, y" },
    { users: [elsewhere], want: "Volume is already used by 1 pod(s) in different namespaces" },
    {
      users: [pod("a", "x"), elsewhere],
      want: "Volume is already used by pod(s) x and 1 pod(s) in different namespaces",
    },
  ])("$want", ({ users, want }) =>
    expect(multiAttachMessage("disk", pod("b"), users)).toBe(`Multi-Attach error for volume "disk" ${want}`),
  );
});
