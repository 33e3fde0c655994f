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

  it("puts ports into one subset that the same pods offer, in upstream's order", () => {
    const ports = [
      { name: "h", port: 80, targetPort: "web", protocol: "TCP" },
      { name: "u", port: 53, targetPort: 53, protocol: "UDP" },
      { name: "m", port: 9100, targetPort: 9100, protocol: "TCP" },
    ];
    const of = { ...service, spec: { ...service.spec, ports } } as Service;
    const serving = (name: string, ip: string, containerPort: number): Pod => {
      const { metadata, status } = pod(name, ip);
      const containers = [{ name: "c", ports: [{ name: "web", containerPort }] }];
      return { metadata, spec: { nodeName: "n1", containers }, status };
    };
    const plan = decide(of, [serving("a", "10.1.0.1", 8080), serving("b", "10.1.0.2", 9090)], undefined);
    if (plan.write === "none") throw new Error("nothing to write");
    const texts = plan.endpoints.subsets?.map(
      (subset) =>
        `${subset.addresses?.map(({ ip }) => ip)} ${subset.ports?.map((port) => `${port.name}:${port.port}`)}`,
    );
    expect(texts?.sort()).toEqual(["10.1.0.1 h:8080", "10.1.0.1,10.1.0.2 u:53,m:9100", "10.1.0.2 h:9090"]);
  });

  it("notes what change it follows, but writes nothing for that alone", () => {
    const first = decide(service, [pod("a", "10.1.0.2")], undefined, "2026-10-21T08:00:00Z");
    if (first.write === "none") throw new Error("nothing to write");
    const NOTE = "endpoints.kubernetes.io/last-change-trigger-time";
    expect(first.endpoints.metadata.annotations).toEqual({ [NOTE]: "2026-10-21T08:00:00Z" });
    expect(decide(service, [pod("a", "10.1.0.2")], first.endpoints, "2026-10-21T09:00:00Z")).toEqual({ write: "none" });
    const second = decide(service, [], first.endpoints);
    expect(second.write === "none" ? undefined : second.endpoints.metadata.annotations).toEqual({});
  });

  it("says so when it leaves addresses out", () => {
    const pods = Array.from({ length: MAX_ADDRESSES + 5 }, (_, i) => pod(`p${i}`, `10.1.${i >> 8}.${i & 255}`));
    const plan = decide(service, pods, undefined);
    if (plan.write === "none") throw new Error("nothing to write");
    expect(plan.endpoints.subsets?.[0]?.addresses).toHaveLength(MAX_ADDRESSES);
    expect(plan.endpoints.metadata.annotations).toEqual({ "endpoints.kubernetes.io/over-capacity": "truncated" });
  });
});
