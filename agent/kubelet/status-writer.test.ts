import { describe, expect, it } from "vitest";
import type { PodStatus } from "../api/index.ts";
import { renderStatusPatch } from "./status-writer.ts";

const condition = (type: string, status: string, lastTransitionTime = "2026-01-01T00:00:00Z") => ({
  type,
  status,
  lastTransitionTime,
});

describe("renderStatusPatch", () => {
  it.each<{ name: string; from: PodStatus; to: PodStatus; want: object | undefined }>([
    { name: "nothing", from: { phase: "Running" }, to: { phase: "Running" }, want: undefined },
    { name: "a field", from: { phase: "Pending" }, to: { phase: "Running" }, want: { phase: "Running" } },
    {
      name: "only the conditions that changed",
      from: { conditions: [condition("Ready", "False"), condition("Initialized", "True")] },
      to: { conditions: [condition("Ready", "True"), condition("Initialized", "True")] },
      want: { conditions: [{ ...condition("Ready", "True"), reason: null, message: null }] },
    },
    {
      name: "a lost reason and message are taken away",
      from: { phase: "Failed", reason: "Evicted" },
      to: { phase: "Failed" },
      want: { reason: null },
    },
    { name: "a field of others is left alone", from: { nominatedNodeName: "n2" }, to: {}, want: undefined },
    {
      name: "an address that changed: the list is merged by ip, so the old one is deleted",
      from: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
      to: { podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.2" }] },
      want: { podIP: "10.0.0.2", podIPs: [{ $patch: "delete", ip: "10.0.0.1" }, { ip: "10.0.0.2" }] },
    },
  ])("$name", ({ from, to, want }) => {
    expect(renderStatusPatch("u1", from, to)).toEqual(want && { metadata: { uid: "u1" }, status: want });
  });
});
