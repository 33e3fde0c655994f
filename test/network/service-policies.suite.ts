import { beforeAll, describe, expect, it } from "vitest";
import type { EndpointSlice, Service } from "../../shared/api/types.ts";
import { waitFor } from "../harness/wait-for.ts";
import { clusterIp, NAMESPACE, nodePort, type ServiceLab, service, slice } from "./service-lab/index.ts";

/** How long to wait for what must be dropped. */
const DROPPED_MS = 500;

type Endpoint = NonNullable<EndpointSlice["endpoints"]>[number];

/** Part of the suite of Services, with its lab. */
export function describeServicePolicies(serviceLab: () => ServiceLab): void {
  describe("who may be chosen", () => {
    let lab: ServiceLab;
    const both = { "web-1": expect.any(Number), "web-2": expect.any(Number) };
    const ready = (pod: "web-1" | "web-2", more: object = {}): Endpoint => endpoint(pod, { ready: true }, more);
    const endpoint = (pod: "web-1" | "web-2", conditions: Endpoint["conditions"], more: object = {}): Endpoint => ({
      addresses: [lab.addresses[pod]],
      nodeName: pod.replace("web", "node"),
      conditions,
      ...more,
    });
    const draining = { ready: false, serving: true, terminating: true };
    const gone = { ready: false, serving: false, terminating: true };
    const unready = { ready: false, serving: false, terminating: false };

    beforeAll(() => {
      lab = serviceLab();
    });

    it("the proxy tells load balancers and monitoring of itself, at kube-proxy's ports", async () => {
      const [node] = lab.lab.nodes as [(typeof lab.lab.nodes)[0]];
      const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n`;
      await lab.create(service("asks-for-health", { type: "LoadBalancer", loadBalancerClass: "example.com/other" }));
      const healthz = await waitFor("the health port to be open", async () => {
        const answer = await lab.outside.ask({ address: node.address, port: 10_256, send: request("/healthz") });
        return answer !== "ECONNREFUSED" && answer;
      });
      expect(healthz).toMatch(/^HTTP\/1\.1 200 /);
      const health = JSON.parse(healthz.slice(healthz.indexOf("{"), healthz.lastIndexOf("}") + 1));
      expect(health).toMatchObject({ nodeEligible: true, healthy: true, status: { IPv4: { healthy: true } } });
      const metrics = await node.execute("curl", ["-sf", "http://127.0.0.1:10249/metrics"]);
      const of = (name: string) =>
        Number(
          metrics
            .split("\n")
            .find((line) => line.startsWith(`${name} `))
            ?.split(" ")[1],
        );
      expect(of('kubeproxy_sync_proxy_rules_duration_seconds_count{ip_family="IPv4"}')).toBeGreaterThan(0);
      expect(of('kubeproxy_sync_proxy_rules_duration_seconds_sum{ip_family="IPv4"}')).toBeGreaterThan(0);
      expect(of('kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv4"}')).toBeGreaterThan(1.7e9);
      expect(await node.execute("curl", ["-sf", "http://127.0.0.1:10249/proxyMode"])).toBe("nftables");
      expect(await lab.outside.ask({ address: node.address, port: 10_249 })).toBe("ECONNREFUSED");
    });

    it("externalTrafficPolicy Local: the client's address is kept, where endpoints are; health is told", async () => {
      const local = await lab.createWithSlice(
        service("local", {
          type: "LoadBalancer",
          loadBalancerClass: "example.com/other",
          externalTrafficPolicy: "Local",
          externalIPs: ["198.51.100.30"],
        }),
        slice("local", [ready("web-1"), ready("web-2")]),
      );
      const none = await lab.createWithSlice(
        service("local-drained", { type: "NodePort", externalTrafficPolicy: "Local" }),
        slice("local-drained", [endpoint("web-1", draining), ready("web-2")]),
      );
      await lab.fence();
      const [node1, node2, node3] = lab.lab.nodes.map(({ address }) => address) as [string, string, string];
      const port = nodePort(local);
      const [outside] = lab.outsideAddresses;
      expect(await lab.outside.ask({ address: node1, port })).toBe(`web-1 ${outside}`);
      expect(await lab.outside.ask({ address: node2, port })).toBe(`web-2 ${outside}`);
      expect(await lab.outside.ask({ address: node3, port, timeoutMs: DROPPED_MS })).toBe("timeout");
      expect(await lab.outside.ask({ address: "198.51.100.30", port: 80 })).toBe(`web-2 ${outside}`);
      // From inside the cluster, what is asked of a node without endpoints leads on to others.
      expect(await lab.nodes[2]!.tally({ address: node3, port, count: 40 })).toEqual(both);
      expect(await lab.pods["client-3"].tally({ address: "198.51.100.30", port: 80, count: 40 })).toEqual(both);
      expect(await lab.pods["client-3"].tally({ address: clusterIp(local), port: 80, count: 40 })).toEqual(both);
      // The last local one serves while it drains.
      expect(await lab.outside.ask({ address: node1, port: nodePort(none) })).toBe(`web-1 ${outside}`);
      expect(await lab.outside.ask({ address: node2, port: nodePort(none) })).toBe(`web-2 ${outside}`);

      const health = (address: string) =>
        lab.outside.ask({
          address,
          port: local.spec!.healthCheckNodePort!,
          send: `GET / HTTP/1.1\r\nHost: ${address}\r\nConnection: close\r\n\r\n`,
        });
      const [at1, at3] = await Promise.all([health(node1), health(node3)]);
      expect(at1).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(at1.toLowerCase()).toContain("x-load-balancing-endpoint-weight: 1\r\n");
      expect(bodyOf(at1)).toEqual({
        service: { namespace: NAMESPACE, name: "local" },
        localEndpoints: 1,
        serviceProxyHealthy: true,
      });
      expect(at3).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
      expect(bodyOf(at3)).toMatchObject({ localEndpoints: 0 });
      await lab.patch(slice("local", []), { endpoints: [endpoint("web-1", draining), ready("web-2")] });
      await waitFor("a node with endpoints that drain to say so", async () => (await health(node1)).includes(" 503 "));
      await lab.delete(local);
      await waitFor("the health port to be closed", async () => (await health(node1)) === "ECONNREFUSED");
    });

    it("internalTrafficPolicy Local: only the own node's", async () => {
      const local = await lab.createWithSlice(
        service("inside", { type: "NodePort", internalTrafficPolicy: "Local" }),
        slice("inside", [ready("web-1"), ready("web-2")]),
      );
      await lab.fence();
      const target = { address: clusterIp(local), port: 80, count: 20 };
      for (const from of [lab.pods["client-1"], lab.nodes[0]!]) {
        expect(await from.tally(target)).toEqual({ "web-1": 20 });
      }
      expect(await lab.nodes[1]!.tally(target)).toEqual({ "web-2": 20 });
      for (const from of [lab.pods["client-3"], lab.nodes[2]!]) {
        expect(await from.ask({ ...target, count: 1, timeoutMs: DROPPED_MS })).toBe("timeout");
      }
      const { address } = lab.lab.node(3);
      expect(await lab.outside.tally({ address, port: nodePort(local), count: 40 })).toEqual(both);
    });

    it("external addresses, and those of a load balancer, to its source ranges", async () => {
      const [outside, another] = lab.outsideAddresses as [string, string];
      const [external, balanced] = await Promise.all([
        lab.createWithSlice(
          service("external", { externalIPs: ["198.51.100.10"] }),
          slice("external", [ready("web-1"), ready("web-2")]),
        ),
        lab.createWithSlice(
          service("ranged", {
            type: "LoadBalancer",
            loadBalancerClass: "example.com/other",
            loadBalancerSourceRanges: [`${outside}/32`],
          }),
          slice("ranged", [ready("web-1"), ready("web-2")]),
        ),
      ]);
      await lab.patch(balanced, { status: { loadBalancer: { ingress: [{ ip: "198.51.100.20" }] } } }, "/status");
      await lab.fence();
      const at = { address: "198.51.100.10", port: 80, count: 40 };
      for (const from of [lab.outside, lab.pods["client-1"], lab.pods["client-3"], lab.nodes[2]!]) {
        expect(await from.tally(at), from.name).toEqual(both);
      }
      const ingress = { address: "198.51.100.20", port: 80 };
      expect(await lab.outside.tally({ ...ingress, localAddress: outside, count: 40 })).toEqual(both);
      expect(await lab.outside.ask({ ...ingress, localAddress: another, timeoutMs: DROPPED_MS })).toBe("timeout");
      // Not for the ClusterIP, nor for an address that leads elsewhere without us (a proxy, which looks by itself).
      expect(await lab.pods["client-1"].tally({ address: clusterIp(balanced), port: 80, count: 40 })).toEqual(both);
      await lab.patch(balanced, { spec: { loadBalancerSourceRanges: null } });
      await lab.patch(
        balanced,
        { status: { loadBalancer: { ingress: [{ ip: "198.51.100.21" }, { ip: "198.51.100.22", ipMode: "Proxy" }] } } },
        "/status",
      );
      await lab.fence();
      expect(
        await lab.outside.tally({ ...ingress, address: "198.51.100.21", localAddress: another, count: 40 }),
      ).toEqual(both);
      const keys = Object.keys(await lab.map("service-ips", 2));
      expect(keys).toContain("198.51.100.21 tcp 80");
      expect(keys).not.toContain("198.51.100.20 tcp 80");
      expect(keys).not.toContain("198.51.100.22 tcp 80");
      await Promise.all([lab.delete(external), lab.delete(balanced)]);
    });

    it("SVC-13: ready ones, else those that serve while they end; refused when there are none", async () => {
      const cases: [name: string, endpoints: () => Endpoint[], answers: string[]][] = [
        ["both", () => [ready("web-1"), ready("web-2")], ["web-1", "web-2"]],
        ["no-conditions", () => [endpoint("web-1", undefined), ready("web-2")], ["web-1", "web-2"]],
        ["drains", () => [ready("web-1"), endpoint("web-2", draining)], ["web-1"]],
        ["only-drains", () => [endpoint("web-1", unready), endpoint("web-2", draining)], ["web-2"]],
        ["both-drain", () => [endpoint("web-1", draining), endpoint("web-2", draining)], ["web-1", "web-2"]],
        ["gone", () => [endpoint("web-1", gone), endpoint("web-2", unready)], ["ECONNREFUSED"]],
      ];
      const made = await Promise.all(
        cases.map(([name, endpoints]) =>
          lab.createWithSlice(service(`case-${name}`, {}), slice(`case-${name}`, endpoints())),
        ),
      );
      await lab.fence();
      for (const [index, [name, , answers]] of cases.entries()) {
        const target = { address: clusterIp(made[index]!), port: 80 };
        for (const from of [lab.pods["client-3"], lab.nodes[0]!]) {
          // Refusals are counted: the kernel says no more than six a second to one address.
          const count = answers[0] === "ECONNREFUSED" ? 1 : 40;
          expect(Object.keys(await from.tally({ ...target, count })).sort(), name).toEqual(answers);
        }
      }
    });

    it("trafficDistribution: the same node's, the same zone's, else all", async () => {
      const kubectl = lab.lab.kubectl;
      const zone = (node: string, value: string) =>
        kubectl.run("label", "node", node, `topology.kubernetes.io/zone${value}`, "--overwrite");
      await Promise.all([zone("node-1", "=east"), zone("node-2", "=west"), zone("node-3", "=west")]);
      try {
        const [near, zonal] = (await lab.create(
          service("same-node", { selector: { app: "web" }, trafficDistribution: "PreferSameNode" }),
          service("same-zone", { selector: { app: "web" }, trafficDistribution: "PreferSameZone" }),
        )) as [Service, Service];
        const hinted = async (name: string) => {
          const path = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices?labelSelector=kubernetes.io/service-name%3D${name}`;
          const { items } = await lab.get<{ items: EndpointSlice[] }>(path);
          const endpoints = items.flatMap((each) => each.endpoints ?? []);
          return endpoints.length === 2 && endpoints.every(({ hints }) => hints?.forZones);
        };
        await waitFor("hints", async () => (await hinted("same-node")) && (await hinted("same-zone")));
        await lab.fence();
        const askFrom = (from: (typeof lab.nodes)[number], made: Service) =>
          from.tally({ address: clusterIp(made), port: 80, count: 30 });
        for (const made of [near, zonal]) {
          expect(await askFrom(lab.pods["client-1"], made)).toEqual({ "web-1": 30 });
          expect(await askFrom(lab.nodes[1]!, made)).toEqual({ "web-2": 30 });
          expect(await askFrom(lab.pods["client-3"], made)).toEqual({ "web-2": 30 });
        }
        await zone("node-3", "=north");
        await waitFor("all, where no zone is the own", async () => {
          const tally = await askFrom(lab.pods["client-3"], zonal);
          return tally["web-1"]! > 0 && tally["web-2"]! > 0;
        });
        await Promise.all([lab.delete(near), lab.delete(zonal)]);
      } finally {
        await Promise.all(["node-1", "node-2", "node-3"].map((node) => zone(node, "-")));
      }
    });
  });
}

const bodyOf = (response: string): unknown =>
  JSON.parse(response.slice(response.indexOf("{"), response.lastIndexOf("}") + 1));
