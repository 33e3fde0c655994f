import { describe, expect, it } from "vitest";
import type { Pod, Service } from "../../../shared/api/types.ts";
import { decide, MAX_ADDRESSES } from "./decide.ts";

const service: Service = {
  metadata: { name: "s", namespace: "default", labels: { team: "blue" } },
  spec: {
    clusterIP: "10.96.0.9",
    ipFamilies: ["IPv4"],
    selector: { app: "e" },
    ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
  },
};

const pod = (name: string, ip: string, ready = true, terminating = false): Pod => ({
  metadata: {
    name,
    namespace: "default",
    uid: name,
    ...(terminating ? { deletionTimestamp: "2026-10-21T08:00:00Z" } : {}),
  },
  spec: { nodeName: "n1", containers: [{ name: "c" }] },
  status: {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
  },
});

const subsetsOf = (pods: Pod[]) => {
  const plan = decide(service, pods, undefined);
  return plan.write === "none" ? undefined : plan.endpoints.subsets;
};

describe("decide", () => {
  it("sorts pods into ready and not ready, and leaves terminating ones out", () => {
    expect(subsetsOf([pod("a", "10.1.0.2"), pod("b", "10.1.0.1", false), pod("c", "10.1.0.3", true, true)])).toEqual([
      {
        addresses: [
          { ip: "10.1.0.2", nodeName: "n1", targetRef: { kind: "Pod", namespace: "default", name: "a", uid: "a" } },
        ],
        notReadyAddresses: [
          { ip: "10.1.0.1", nodeName: "n1", targetRef: { kind: "Pod", namespace: "default", name: "b", uid: "b" } },
        ],
        ports: [{ port: 8080, protocol: "TCP" }],
      },
    ]);
  });

  it("writes nothing when all is as it should be", () => {
    const first = decide(service, [pod("a", "10.1.0.2")], undefined);
    expect(first.write).toBe("create");
    if (first.write === "none") return;
    expect(first.endpoints.metadata.labels).toEqual({
      team: "blue",
      "endpoints.kubernetes.io/managed-by": "endpoint-controller",
    });
    expect(decide(service, [pod("a", "10.1.0.2")], first.endpoints)).toEqual({ write: "none" });
    expect(decide(service, [], first.endpoints)).toMatchObject({ write: "update", endpoints: { subsets: [] } });
  });

  it("says so when it leaves addresses out", () => {
    const pods = Array.from({ length: MAX_ADDRESSES + 5 }, (_, i) => pod(`p${i}`, `10.1.${i >> 8}.${i & 255}`));
    const plan = decide(service, pods, undefined);
    if (plan.write === "none") throw new Error("nothing to write");
    expect(plan.endpoints.subsets?.[0]?.addresses).toHaveLength(MAX_ADDRESSES);
    expect(plan.endpoints.metadata.annotations).toEqual({ "endpoints.kubernetes.io/over-capacity": "truncated" });
  });
});
