import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EVENTS } from "../../shared/api/refs.ts";
import type { Event } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { systemClock } from "./clock.ts";
import { ApiEventRecorder } from "./event-recorder.ts";
import { silentLog } from "./log.ts";

let api: MemoryApi;
let recorder: ApiEventRecorder;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  recorder = new ApiEventRecorder({ api, component: "replicaset-controller", clock: systemClock, log: silentLog });
});
afterEach(() => void vi.useRealTimers());

const rs = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "default", uid: "u", resourceVersion: "7" },
};
const settle = () => vi.advanceTimersByTimeAsync(0);
const events = () => api.all<Event>(EVENTS);

describe("ApiEventRecorder", () => {
  it("writes what kubectl describe shows", async () => {
    recorder.event(rs, "Normal", "SuccessfulCreate", "Created pod: web-1");
    await settle();
    expect(events()).toMatchObject([
      {
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: "default" },
        involvedObject: {
          kind: "ReplicaSet",
          namespace: "default",
          name: "web",
          uid: "u",
          apiVersion: "apps/v1",
          resourceVersion: "7",
        },
        reason: "SuccessfulCreate",
        message: "Created pod: web-1",
        source: { component: "replicaset-controller" },
        reportingComponent: "replicaset-controller",
        type: "Normal",
        count: 1,
        firstTimestamp: "2026-10-21T08:00:00Z",
        lastTimestamp: "2026-10-21T08:00:00Z",
      },
    ]);
  });

  it("counts up what is said again", async () => {
    recorder.event(rs, "Warning", "FailedCreate", "quota");
    await settle();
    vi.setSystemTime(Date.parse("2026-10-21T08:00:09Z"));
    recorder.event(rs, "Warning", "FailedCreate", "quota");
    await settle();
    expect(events()).toMatchObject([
      { count: 2, firstTimestamp: "2026-10-21T08:00:00Z", lastTimestamp: "2026-10-21T08:00:09Z" },
    ]);
  });

  it("begins anew when the counted event has expired", async () => {
    recorder.event(rs, "Warning", "FailedCreate", "quota");
    await settle();
    await api.deleteCollection(EVENTS, {});
    recorder.event(rs, "Warning", "FailedCreate", "quota");
    await settle();
    expect(events()).toHaveLength(1);
  });

  it("combines many that are alike, and drops a flood", async () => {
    for (let i = 0; i < 60; i++) {
      recorder.event(rs, "Normal", "SuccessfulCreate", `Created pod: web-${i}`);
      await settle();
    }
    const messages = events().map(({ message, count }) => `${message} x${count}`);
    expect(messages).toHaveLength(10);
    expect(messages.at(-1)).toBe("(combined from similar events): Created pod: web-24 x16");
    const combined = events().at(-1);
    expect([combined?.source?.component, combined?.reportingComponent ?? ""]).toEqual([
      events()[0]?.source?.component,
      "",
    ]);
  });

  it("puts events of what has no namespace into default", async () => {
    recorder.event({ apiVersion: "v1", kind: "Node", name: "n1" }, "Normal", "NodeNotReady", "gone");
    await settle();
    expect(events()[0]?.metadata.namespace).toBe("default");
  });
});
