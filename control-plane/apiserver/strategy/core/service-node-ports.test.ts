import { describe, expect, it } from "vitest";
import type { Service, ServicePort } from "../../../../shared/api/types.ts";
import { allocateNodePorts, nodePortClaim } from "./service-node-ports.ts";

const service = (ports: Partial<ServicePort>[], spec: Partial<Service["spec"]> = {}): Service => ({
  metadata: { name: "s" },
  spec: { type: "NodePort", ports: ports.map((port) => ({ port: 80, protocol: "TCP", ...port })), ...spec },
});
const context = (dryRun = false, ...taken: number[]) => ({
  random: () => 0,
  taken: new Set(taken.map(nodePortClaim)),
  ranges: [],
  dryRun,
});
const nodePorts = ({ spec }: Service) => spec.ports?.map(({ nodePort }) => nodePort);

describe("a new service", () => {
  it("shares a node port between protocols of one port", () => {
    const dns = service([{ port: 53 }, { port: 53, protocol: "UDP" }, { port: 80 }]);
    expect(allocateNodePorts(dns, undefined, context())).toEqual([]);
    expect(nodePorts(dns)).toEqual([30_086, 30_086, 30_087]);
  });

  it("does not draw what it names further down", () => {
    const named = service([{ port: 1 }, { port: 2, nodePort: 30_086 }]);
    allocateNodePorts(named, undefined, context());
    expect(nodePorts(named)).toEqual([30_087, 30_086]);
  });

  it.each([
    { port: 31_000, why: "Invalid value: 31000: provided port is already allocated" },
    {
      port: 80,
      why: "Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767",
    },
  ])("cannot have $port", ({ port, why }) => {
    const causes = allocateNodePorts(service([{ nodePort: port }]), undefined, context(false, 31_000));
    expect(causes).toMatchObject([{ field: "spec.ports[0].nodePort", message: why }]);
  });

  it("gets numbers behind the range in a dry run, and there even a port that is none", () => {
    const drawn = service([{ port: 1 }, { port: 2 }]);
    allocateNodePorts(drawn, undefined, context(true));
    expect(nodePorts(drawn)).toEqual([32_769, 32_770]);
    expect(allocateNodePorts(service([{ nodePort: 80 }]), undefined, context(true))).toEqual([]);
  });

  it("is refused for its health check port", () => {
    const local = service([{ nodePort: 31_000 }], {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 31_000,
    });
    expect(() => allocateNodePorts(local, undefined, context())).toThrow(
      "failed to allocate requested HealthCheck NodePort 31000: provided port is already allocated",
    );
  });
});

describe("a changed service", () => {
  it("keeps what it has and draws for what is new", () => {
    const old = service([{ port: 1, nodePort: 31_000 }]);
    const changed = service([{ port: 1, nodePort: 31_000 }, { port: 2 }]);
    allocateNodePorts(changed, old, context(false, 31_000));
    expect(nodePorts(changed)).toEqual([31_000, 30_086]);
  });
});
