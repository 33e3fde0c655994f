import { describe, expect, it } from "vitest";
import { MAX_UNSCHEDULABLE_MS, SchedulingQueue } from "./queue.ts";

const UNSCHEDULABLE = { rejectedBy: new Set<string>() };
const pod = (key: string, priority = 0) => ({ key, uid: `uid-${key}`, priority });

describe("SchedulingQueue", () => {
  it("gives the highest priority first, then the oldest", () => {
    const queue = new SchedulingQueue();
    queue.add(pod("b"), 2);
    queue.add(pod("a"), 1);
    queue.add(pod("urgent", 1000), 3);
    expect([queue.pop(9)?.key, queue.pop(9)?.key, queue.pop(9)?.key, queue.pop(9)?.key]).toEqual([
      "urgent",
      "a",
      "b",
      undefined,
    ]);
  });

  it("backs off 1 s, doubling to 10 s, after errors", () => {
    const queue = new SchedulingQueue();
    queue.add(pod("a"), 0);
    const waits: number[] = [];
    for (let i = 0, nowMs = 0; i < 6; i++) {
      queue.failed({ ...queue.pop(nowMs)!, priority: 0 }, nowMs, "retry");
      const due = queue.nextDueMs(nowMs)!;
      expect(queue.pop(due - 1)).toBeUndefined();
      waits.push(due - nowMs);
      nowMs = due;
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it("leaves an unschedulable pod alone until something changes, then waits out its back-off", () => {
    const queue = new SchedulingQueue();
    queue.add(pod("a"), 0);
    queue.failed({ ...queue.pop(0)!, priority: 0 }, 0, UNSCHEDULABLE);
    expect(queue.pop(60_000)).toBeUndefined();
    queue.moveAll(200);
    expect(queue.pop(999)).toBeUndefined();
    expect(queue.pop(1000)?.key).toBe("a");
  });

  it("wakes a pod for what may change the mind of a plugin that rejected it, and for nothing else", () => {
    const queue = new SchedulingQueue();
    queue.add(pod("a"), 0);
    queue.failed({ ...queue.pop(0)!, priority: 0 }, 0, { rejectedBy: new Set(["NodeResourcesFit"]) });
    queue.moveAll(5000, new Set(["InterPodAffinity"]));
    expect(queue.pop(5000)).toBeUndefined();
    queue.moveAll(5000, new Set(["InterPodAffinity", "NodeResourcesFit"]));
    expect(queue.pop(5000)?.key).toBe("a");
  });

  it("tries again at once when the change comes after the back-off", () => {
    const queue = new SchedulingQueue();
    queue.add(pod("a"), 0);
    queue.failed({ ...queue.pop(0)!, priority: 0 }, 0, UNSCHEDULABLE);
    queue.moveAll(5000);
    expect(queue.pop(5000)?.key).toBe("a");
  });

  it("does not let a pod be forgotten", () => {
    const queue = new SchedulingQueue();
    queue.add(pod("a"), 0);
    queue.failed({ ...queue.pop(0)!, priority: 0 }, 0, UNSCHEDULABLE);
    expect(queue.nextDueMs(0)).toBe(MAX_UNSCHEDULABLE_MS);
    queue.releaseStale(MAX_UNSCHEDULABLE_MS);
    expect(queue.pop(MAX_UNSCHEDULABLE_MS)?.key).toBe("a");
  });

  it("a pod made again under the same name starts afresh", () => {
    const queue = new SchedulingQueue();
    queue.add(pod("a"), 0);
    queue.failed({ ...queue.pop(0)!, priority: 0 }, 0, UNSCHEDULABLE);
    queue.add({ ...pod("a"), uid: "another" }, 10);
    expect(queue.pop(10)).toMatchObject({ uid: "another", attempts: 0 });
  });

  it("has nothing due when empty", () => expect(new SchedulingQueue().nextDueMs(0)).toBeUndefined());
});
