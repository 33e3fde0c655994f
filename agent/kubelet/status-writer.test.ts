import { describe, expect, it } from "vitest";
import { PODS } from "../../shared/api/refs.ts";
import { conflict, forbidden, notFound } from "../../shared/api/status.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import { aPod } from "../../test/builders/kubelet.ts";
import type { PodCondition, PodStatus } from "../api/index.ts";
import { createStatusWriter, renderStatusPatch } from "./status-writer.ts";

const condition = (type: string, status: string, lastTransitionTime = "2026-01-01T00:00:00Z") => ({
  type,
  status,
  lastTransitionTime,
});

describe("createStatusWriter", () => {
  const written: object[] = [];
  const setUp = () => {
    written.length = 0;
    const patch = async (...args: unknown[]) => {
      const version = written.push((args[3] as { status: object }).status);
      return { metadata: { resourceVersion: String(version) } };
    };
    const api = { patch } as unknown as ApiClient;
    return createStatusWriter({
      api,
      clock: new FakeClock(),
      log: () => {},
      signal: new AbortController().signal,
      recordOf: (pod) => pod,
    });
  };
  const withStatus = (status: PodStatus) => ({ ...aPod(), status });

  it("reports again what somebody else has written over (a node that was taken for dead)", async () => {
    const writer = setUp();
    const ours = { phase: "Running", conditions: [condition("Ready", "True")] };
    writer.write(withStatus({ phase: "Pending" }), ours);
    await writer.flushed("u1");
    writer.seen(withStatus(ours));
    await writer.flushed("u1");
    expect(written).toHaveLength(1);
    writer.seen(withStatus({ ...ours, conditions: [condition("Ready", "False")] }));
    await writer.flushed("u1");
    expect(written[1]).toMatchObject({ conditions: [{ type: "Ready", status: "True" }] });
  });

  it("sees what somebody else has written while a report was under way", async () => {
    const ours = { phase: "Running", conditions: [condition("Ready", "True")] };
    const at = (status: PodStatus, resourceVersion: string) => {
      const pod = withStatus(status);
      return { ...pod, metadata: { ...pod.metadata, resourceVersion } };
    };
    const answers = [Promise.withResolvers<object>(), Promise.withResolvers<object>()];
    const sent: object[] = [];
    const writer = createStatusWriter({
      api: {
        patch: (...args: unknown[]) => answers[sent.push((args[3] as { status: object }).status) - 1]!.promise,
      } as unknown as ApiClient,
      clock: new FakeClock(),
      log: () => {},
      signal: new AbortController().signal,
      recordOf: (pod) => pod,
    });
    writer.write(at({ phase: "Pending", conditions: ours.conditions }, "1"), ours);
    // Another's write, and then ours upon it; the watch tells of both before the answer is here.
    const overwritten = [condition("Ready", "False")];
    writer.seen(at({ phase: "Pending", conditions: overwritten }, "2"));
    writer.seen(at({ phase: "Running", conditions: overwritten }, "3"));
    answers[0]!.resolve({ metadata: { resourceVersion: "3" } });
    answers[1]!.resolve({ metadata: { resourceVersion: "4" } });
    await writer.flushed("u1");
    expect(sent).toEqual([{ phase: "Running" }, { conditions: [expect.objectContaining({ status: "True" })] }]);
  });

  it("an echo from before what was reported last is no reason to report again", async () => {
    const writer = setUp();
    const echo = (phase: string, resourceVersion: string) => {
      const pod = withStatus({ phase });
      return { ...pod, metadata: { ...pod.metadata, resourceVersion } };
    };
    for (const phase of ["Running", "Succeeded"]) {
      writer.write(withStatus({}), { phase });
      await writer.flushed("u1");
    }
    writer.seen(echo("Running", "1"));
    writer.seen(echo("Succeeded", "2"));
    await writer.flushed("u1");
    expect(written).toHaveLength(2);
    // But for a server that was set back.
    writer.relisting();
    writer.seen(echo("Running", "1"));
    await writer.flushed("u1");
    expect(written).toHaveLength(3);
  });

  it.each([
    { name: "gone", error: notFound(PODS, "web-0") },
    { name: "not this node's any more", error: forbidden(PODS, "web-0", "no relationship found") },
    { name: "replaced by another of its name", error: conflict(PODS, "web-0", "uid") },
  ])("does not insist when the pod is $name", async ({ error }) => {
    const api = { patch: () => Promise.reject(error) } as unknown as ApiClient;
    const writer = createStatusWriter({
      api,
      clock: new FakeClock(),
      log: () => {},
      signal: new AbortController().signal,
      recordOf: (pod) => pod,
    });
    writer.write(withStatus({}), { phase: "Running" });
    await writer.flushed("u1");
  });

  it("only the newest of several waits", async () => {
    const writer = setUp();
    for (const phase of ["Pending", "Running", "Succeeded"]) writer.write(withStatus({}), { phase });
    await writer.flushed("u1");
    expect(written.at(-1)).toEqual({ phase: "Succeeded" });
    expect(written.length).toBeLessThan(3);
  });
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
    {
      name: "a condition whose reason and message were taken away",
      from: { conditions: [{ ...condition("Ready", "True"), reason: null, message: null } as unknown as PodCondition] },
      to: { conditions: [condition("Ready", "True")] },
      want: undefined,
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
