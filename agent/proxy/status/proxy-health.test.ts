import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/builders/fake-clock.ts";
import { HEALTH_TIMEOUT_MS, isNodeEligible, ProxyHealth } from "./proxy-health.ts";

const START = "2026-01-01T00:00:00.000Z";

function prepare() {
  const clock = new FakeClock(Date.parse(START));
  const health = new ProxyHealth(clock);
  health.updated("IPv4");
  return { clock, health };
}

describe("health of the proxy", () => {
  it("answers with kube-proxy's words", async () => {
    const { clock, health } = prepare();
    await clock.advance(5_000);
    expect(health.answer(true)).toEqual({
      status: 200,
      headers: { "content-type": "application/json", "x-content-type-options": "nosniff" },
      body: JSON.stringify({
        lastUpdated: "2026-01-01T00:00:05.000Z",
        currentTime: "2026-01-01T00:00:05.000Z",
        nodeEligible: true,
        healthy: true,
        status: { IPv4: { lastUpdated: START, healthy: true } },
      }),
    });
  });

  it("says nothing of the node where only the proxy is asked for", () => {
    const { status, body } = prepare().health.answer();
    expect(status).toBe(200);
    expect(JSON.parse(body)).not.toHaveProperty("nodeEligible");
  });

  it("turns load balancers away from a node that goes, while the proxy is well", async () => {
    const { clock, health } = prepare();
    await clock.advance(1_000);
    const { status, body } = health.answer(false);
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ lastUpdated: START, nodeEligible: false, healthy: true });
  });

  it.each([
    { name: "one that is written in time", does: ["queued", HEALTH_TIMEOUT_MS - 1, "updated", 1], isHealthy: true },
    { name: "one that is not", does: ["queued", HEALTH_TIMEOUT_MS], isHealthy: false },
    { name: "later ones do not begin it anew", does: ["queued", 40_000, "queued", 20_000], isHealthy: false },
    { name: "one that is written too late", does: ["queued", HEALTH_TIMEOUT_MS, "updated", 1], isHealthy: true },
    { name: "none", does: [10 * HEALTH_TIMEOUT_MS], isHealthy: true },
  ])("a change: $name", async ({ does, isHealthy }) => {
    const { clock, health } = prepare();
    for (const step of does) {
      if (typeof step === "number") await clock.advance(step);
      else health[step as "queued" | "updated"]("IPv4");
    }
    expect(health.isHealthy()).toBe(isHealthy);
    expect(health.answer(true).status).toBe(isHealthy ? 200 : 503);
    expect(JSON.parse(health.answer().body).status.IPv4.healthy).toBe(isHealthy);
  });

  it("takes a family that was never written for none of this node's, and is as ill as one of them", async () => {
    const { clock, health } = prepare();
    health.queued("IPv6");
    await clock.advance(HEALTH_TIMEOUT_MS);
    expect(health.isHealthy()).toBe(true);
    health.updated("IPv6");
    health.queued("IPv6");
    await clock.advance(HEALTH_TIMEOUT_MS);
    const { status, healthy } = JSON.parse(health.answer().body);
    expect([status.IPv4.healthy, status.IPv6.healthy, healthy]).toEqual([true, false, false]);
  });
});

describe("a node", () => {
  const node = (metadata: object, taints: { key: string }[] = []) => ({
    metadata: { name: "n", ...metadata },
    spec: { taints: taints.map(({ key }) => ({ key, effect: "NoSchedule" })) },
  });

  it.each([
    { name: "as it should be", node: node({}), want: true },
    { name: "that is not known", node: undefined, want: false },
    { name: "that is being deleted", node: node({ deletionTimestamp: START }), want: false },
    {
      name: "that the autoscaler takes away",
      node: node({}, [{ key: "ToBeDeletedByClusterAutoscaler" }]),
      want: false,
    },
    { name: "with another taint", node: node({}, [{ key: "node.kubernetes.io/not-ready" }]), want: true },
  ])("$name", ({ node, want }) => expect(isNodeEligible(node)).toBe(want));
});
