import { describe, expect, it } from "vitest";
import { FailureReports } from "./failure-reports.ts";

const report = (key: string, message = "0/1 nodes") => ({ key, uid: `uid-${key}`, message });

function takeAll(reports: FailureReports, nowMs: number): string[] {
  const keys: string[] = [];
  for (let next = reports.take(nowMs); next; next = reports.take(nowMs)) keys.push(next.key);
  return keys;
}

describe("FailureReports", () => {
  it("lets a burst of 100 go at once, then 50 a second", () => {
    const reports = new FailureReports();
    for (let i = 0; i < 250; i++) reports.add(report(`ns/pod-${i}`));
    expect(takeAll(reports, 1000)).toHaveLength(100);
    let written = 0;
    for (let nowMs = reports.nextDueMs(1000)!; nowMs <= 3000; nowMs = reports.nextDueMs(nowMs)!) {
      written += takeAll(reports, nowMs).length;
    }
    expect(written).toBe(100);
    expect(takeAll(reports, 4000)).toHaveLength(50);
    expect(reports.nextDueMs(4000)).toBeUndefined();
  });

  it("has the burst again after a rest, and no more than that", () => {
    const reports = new FailureReports();
    for (let i = 0; i < 250; i++) reports.add(report(`ns/pod-${i}`));
    takeAll(reports, 0);
    expect(takeAll(reports, 3_600_000)).toHaveLength(100);
  });

  it("keeps the newest report of a pod, and none of a pod that found a node", () => {
    const reports = new FailureReports();
    reports.add(report("ns/a", "0/1 nodes"));
    reports.add(report("ns/b"));
    reports.add(report("ns/a", "0/2 nodes"));
    reports.withdraw("ns/b");
    expect(reports.take(0)?.message).toBe("0/2 nodes");
    expect(reports.take(0)).toBeUndefined();
  });
});
