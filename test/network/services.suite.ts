import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Service } from "../../shared/api/types.ts";
import { waitFor } from "../harness/wait-for.ts";
import { describeServiceFaults } from "./faults.suite.ts";
import type { NetworkLab } from "./network-lab.ts";
import {
  clusterIp,
  drainingPod,
  FAST_PORT,
  NAMESPACE,
  nodePort,
  ServiceLab,
  service,
  slice,
  TARGET_PORT,
} from "./service-lab/index.ts";
import { describeServicePolicies } from "./service-policies.suite.ts";

/** What both of two endpoints get of 2,000 even choices; beyond it once in a thousand million runs (6.1 standard deviations). */
const QUERIES = 2_000;
const [FEWEST, MOST] = [1_000 - 137, 1_000 + 137];
const AT_ONCE_MS = 1_000;

export function describeServices(networkLab: () => NetworkLab): void {
  describe("services", () => {
    let lab: ServiceLab;
    /** Both web pods, TCP 80 and its node port, and to the fast server over TCP and UDP. */
    let web: Service;

    beforeAll(async () => {
      lab = await ServiceLab.build(networkLab());
      [web] = (await lab.create(
        service("web", {
          type: "NodePort",
          selector: { app: "web" },
          ports: [
            { name: "http", port: 80, targetPort: TARGET_PORT },
            { name: "fast", port: 90, targetPort: FAST_PORT },
            { name: "fast-udp", port: 90, targetPort: FAST_PORT, protocol: "UDP" },
          ],
        }),
      )) as [Service];
      await lab.endpoints("web", "web-1", "web-2");
      await lab.fence();
    }, 300_000);

    afterAll(async () => {
      await lab?.remove();
    }, 120_000);

    const everyone = () => [lab.pods["client-1"], lab.pods["client-3"], lab.pods["web-1"], ...lab.nodes];
    const both = { "web-1": expect.any(Number), "web-2": expect.any(Number) };

    it("SVC-01, SVC-21: a ClusterIP answers in pods and on nodes, at the port that leads to another", async () => {
      for (const tally of await Promise.all(
        everyone().map((caller) => caller.tally({ address: clusterIp(web), port: 80, count: 40 })),
      )) {
        expect(tally).toEqual(both);
      }
      expect(await lab.outside.ask({ address: clusterIp(web), port: 80 })).toMatch(/^E(NET|HOST)UNREACH$/);
    });

    it("SVC-01: by its name, in a pod", async () => {
      const url = `TCP:web.${NAMESPACE}.svc.cluster.local:80`;
      const answer = await networkLab().inPod("client-3", `socat -u ${url} -; socat -u TCP:web:80 -`, NAMESPACE);
      expect(answer).toMatch(/^(web-\d 10\.\S+\n){2}$/);
    });

    it("SVC-02: a node port is open on every node, the one without endpoints too", async () => {
      const port = nodePort(web);
      expect(port).toBeGreaterThanOrEqual(30_000);
      expect(port).toBeLessThanOrEqual(32_767);
      for (const { address } of networkLab().nodes) {
        for (const from of [lab.outside, lab.pods["client-1"], lab.nodes[0]!]) {
          expect(await from.tally({ address, port, count: 40 }), `${from.name} to ${address}`).toEqual(both);
        }
      }
      expect(await lab.nodes[0]!.ask({ address: "127.0.0.1", port })).toBe("ECONNREFUSED");
    });

    it("SVC-03: a LoadBalancer of somebody else's class stays pending, its node port is open", async () => {
      const [balanced] = (await lab.create(
        service("balanced", {
          type: "LoadBalancer",
          loadBalancerClass: "example.com/other",
          selector: { app: "web" },
        }),
      )) as [Service];
      await lab.endpoints("balanced", "web-1", "web-2");
      await lab.fence();
      const shown = await networkLab().kubectl.run("get", "service", "balanced", "-n", NAMESPACE, "--no-headers");
      expect(shown).toMatch(/^balanced +LoadBalancer +10\.96\.\S+ +<pending> +80:3\d{4}\/TCP /);
      const address = networkLab().node(3).address;
      expect(await lab.outside.tally({ address, port: nodePort(balanced), count: 40 })).toEqual(both);
      await lab.delete(balanced);
    });

    it("SVC-04, SVC-05: a headless Service has no address and no rule", async () => {
      const [headless] = (await lab.create(service("headless", { clusterIP: "None", selector: { app: "web" } }))) as [
        Service,
      ];
      expect(headless.spec).toMatchObject({ clusterIP: "None", clusterIPs: ["None"] });
      await lab.endpoints("headless", "web-1", "web-2");
      await lab.fence();
      for (const node of networkLab().nodes) {
        expect(await node.execute("nft", ["list", "table", "ip", "kube-proxy"])).not.toContain(`${NAMESPACE}/headless`);
      }
      await lab.delete(headless);
    });

    it("SVC-06: the address is on no interface", async () => {
      for (const node of networkLab().nodes) {
        expect(await node.execute("ip", ["addr"])).not.toContain(clusterIp(web));
        expect(await node.execute("ss", ["-Hltn"])).not.toContain(clusterIp(web));
      }
    });

    it("SVC-07, SVC-08: every cluster has its two Services, and the API's address in a slice", async () => {
      const kubectl = networkLab().kubectl;
      const services = await kubectl.run("get", "services", "-A", "-o", "wide", "--no-headers");
      expect(services).toMatch(/^default +kubernetes +ClusterIP +10\.96\.0\.1 +<none> +443\/TCP +\S+ +<none>$/m);
      expect(services).toMatch(
        /^kube-system +kube-dns +ClusterIP +10\.96\.0\.10 +<none> +53\/UDP,53\/TCP,9153\/TCP +\S+ +k8s-app=kube-dns$/m,
      );
      const path = '{.endpoints[0].addresses[0]} {.ports[0].port}{"\\n"}';
      const slice = await kubectl.run("get", "endpointslices", "kubernetes", "-o", `jsonpath=${path}`);
      expect(slice).toMatch(/^\d+\.\d+\.\d+\.\d+ \d+\n$/);
    });

    it("SVC-09: found in a map by address and port, an endpoint chosen by numgen", async () => {
      const node = networkLab().node(1);
      expect((await node.execute("nft", ["list", "tables"])).split("\n")).toEqual(
        expect.arrayContaining(["table ip kube-proxy", "table ip6 kube-proxy"]),
      );
      const [ips, ports] = [await lab.map("service-ips"), await lab.map("service-nodeports")];
      expect(Object.keys(ips)).toContain(`${clusterIp(web)} tcp 80`);
      expect(Object.keys(ips)).toContain(`${clusterIp(web)} udp 90`);
      expect(Object.keys(ports)).toContain(`tcp ${nodePort(web)}`);
      expect(await node.execute("nft", ["list", "table", "ip", "kube-proxy"])).toMatch(/numgen random mod 2 /);
    });

    it("SVC-12, SVC-13, SVC-20: an unready pod gets nothing, and is asked again when it is ready", async () => {
      const kubectl = networkLab().kubectl;
      const conditions = () =>
        kubectl.run(
          ...["get", "endpointslices", "-n", NAMESPACE, "-l", "kubernetes.io/service-name=web", "-o"],
          'jsonpath={range .items[*].endpoints[*]}{.conditions} {.targetRef.name}{"\\n"}{end}',
        );
      const known = (await conditions()).trim().split("\n").sort();
      expect([...new Set(known)]).toEqual(
        ["web-1", "web-2"].map((pod) => `{"ready":true,"serving":true,"terminating":false} ${pod}`),
      );
      const [all] = (await lab.create(
        service("unready-too", { selector: { app: "web" }, publishNotReadyAddresses: true }),
      )) as [Service];
      try {
        await networkLab().inPod("web-2", "rm /tmp/ready", NAMESPACE);
        await lab.endpoints("web", "web-1");
        await lab.endpoints("unready-too", "web-1", "web-2");
        await lab.fence();
        expect(await conditions()).toContain('{"ready":false,"serving":false,"terminating":false} web-2');
        for (const from of everyone()) {
          expect(await from.tally({ address: clusterIp(web), port: 80, count: 30 })).toEqual({ "web-1": 30 });
        }
        expect(await lab.pods["client-3"].tally({ address: clusterIp(all), port: 80, count: 40 })).toEqual(both);
      } finally {
        await networkLab().inPod("web-2", "touch /tmp/ready", NAMESPACE);
      }
      await lab.endpoints("web", "web-1", "web-2");
      await lab.fence();
      for (const from of everyone()) {
        expect(await from.tally({ address: clusterIp(web), port: 80, count: 40 })).toEqual(both);
      }
    });

    it("SVC-13: a pod that drains serves on while it is the last", async () => {
      await networkLab().kubectl.apply(drainingPod("last", "node-2", { app: "last" }));
      const [last] = (await lab.create(service("last", { selector: { app: "last" } }))) as [Service];
      await lab.endpoints("last", "last");
      await networkLab().kubectl.run("delete", "pod", "last", "-n", NAMESPACE, "--wait=false");
      await lab.endpoints("last");
      await lab.fence();
      for (const from of [lab.pods["client-1"], lab.nodes[2]!]) {
        expect(await from.tally({ address: clusterIp(last), port: 80, count: 10 })).toEqual({ last: 10 });
      }
      await networkLab().inPod("last", "touch /tmp/done", NAMESPACE);
      await networkLab().kubectl.run("wait", "-n", NAMESPACE, "--for=delete", "pod/last", "--timeout=60s");
      await lab.fence();
      expect(await lab.pods["client-1"].ask({ address: clusterIp(last), port: 80 })).toBe("ECONNREFUSED");
    });

    it("SVC-15, SVC-16: asked by one client, one endpoint answers, until it was not asked for the time", async () => {
      const [sticky, brief] = (await lab.create(
        service("sticky", { selector: { app: "web" }, sessionAffinity: "ClientIP" }),
        service("sticky-briefly", {
          type: "NodePort",
          selector: { app: "web" },
          sessionAffinity: "ClientIP",
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 2 } },
        }),
      )) as [Service, Service];
      expect(sticky.spec!.sessionAffinityConfig).toEqual({ clientIP: { timeoutSeconds: 10_800 } });
      await lab.endpoints("sticky", "web-1", "web-2");
      await lab.endpoints("sticky-briefly", "web-1", "web-2");
      await lab.fence();
      for (const from of everyone()) {
        const tally = await from.tally({ address: clusterIp(sticky), port: 80, count: 30, atOnce: 1 });
        expect(Object.values(tally), from.name).toEqual([30]);
      }
      // Thirty clients, so that the same answers by chance are a matter of one in a thousand million.
      const target = { address: networkLab().node(3).address, port: nodePort(brief) };
      const ask = () =>
        Promise.all(lab.outsideAddresses.map((localAddress) => lab.outside.ask({ ...target, localAddress })));
      const first = await ask();
      expect(new Set(first.map((answer) => answer.split(" ")[0]))).toEqual(new Set(["web-1", "web-2"]));
      for (let again = 0; again < 4; again++) {
        await sleep(700); // four times are longer than the two seconds: each question begins the time anew
        expect(await ask()).toEqual(first);
      }
      await sleep(2_500);
      expect(await ask()).not.toEqual(first);
    });

    it("SVC-17: from a node the source is the node's address; from a pod, the pod's", async () => {
      const target = { address: clusterIp(web), port: 80, count: 30 };
      const askers = async (asked: Promise<{ text: string }[]>) =>
        new Set((await asked).filter(({ text }) => text.startsWith("web-2")).map(({ text }) => text.split(" ")[1]));
      expect(await askers(lab.pods["client-1"].asked(target))).toEqual(new Set([lab.addresses["client-1"]]));
      expect(await askers(lab.pods["client-3"].asked(target))).toEqual(new Set([lab.addresses["client-3"]]));
      const { address } = networkLab().node(3);
      expect(await askers(lab.nodes[2]!.asked(target))).toEqual(new Set([address]));
      const throughNode3 = { address, port: nodePort(web), count: 30 };
      expect(await askers(lab.outside.asked(throughNode3))).toEqual(new Set([address]));
    });

    it("SVC-17: a pod reaches itself by its Service", async () => {
      const own = service("own", { type: "NodePort", selector: { one: "web-1" } });
      const [made] = (await lab.create(own)) as [Service];
      await lab.endpoints("own", "web-1");
      await lab.fence();
      const self = lab.pods["web-1"];
      expect(await self.tally({ address: clusterIp(made), port: 80, count: 20 })).toEqual({ "web-1": 20 });
      for (const { address } of networkLab().nodes) {
        expect(await self.tally({ address, port: nodePort(made), count: 5 })).toEqual({ "web-1": 5 });
      }
    });

    it("SVC-18: two thousand queries are two thousand choices, even ones; those of one flow are a single one", async () => {
      const node = networkLab().node(3);
      const target = { address: clusterIp(web), port: 90, count: QUERIES, atOnce: 32 };
      for (const protocol of ["UDP", "TCP"] as const) {
        const {
          "web-1": first = 0,
          "web-2": second = 0,
          ...others
        } = await lab.pods["client-3"].tally({
          ...target,
          protocol,
        });
        expect(others).toEqual({});
        expect(first + second).toBe(QUERIES);
        for (const count of [first, second]) {
          expect(count, protocol).toBeGreaterThan(FEWEST);
          expect(count, protocol).toBeLessThan(MOST);
        }
      }
      const flows = await node.execute("conntrack", ["-L", "-p", "udp", "--orig-dst", clusterIp(web)]);
      const sources = flows.split("\n").flatMap((line) => line.match(/ src=(\S+) dst=\S+ sport=90\d+ /)?.[1] ?? []);
      const counted = ["web-1", "web-2"].map(
        (pod) => sources.filter((source) => source === lab.addresses[pod as "web-1"]).length,
      );
      expect(counted[0]! + counted[1]!).toBe(sources.length);
      expect(Math.min(...counted)).toBeGreaterThan(FEWEST - (QUERIES - sources.length));
      const one = await lab.nodes[2]!.tally({ ...target, protocol: "UDP", count: 200, atOnce: 1, localPort: 40_001 });
      expect(Object.values(one)).toEqual([200]);
    });

    it("SVC-19: without endpoints a client is refused at once", async () => {
      const ports = [
        { name: "tcp", port: 80, targetPort: TARGET_PORT },
        { name: "udp", port: 80, targetPort: TARGET_PORT, protocol: "UDP" },
      ];
      const empty = service("empty", { type: "NodePort", selector: { app: "nobody" }, ports });
      const [none] = (await lab.create(empty)) as [Service];
      await lab.fence();
      const refused = async (from: (typeof lab.nodes)[number], address: string, port: number) => {
        for (const protocol of ["TCP", "UDP"] as const) {
          const udp = none.spec!.ports![1]!.nodePort!;
          const at = port === 80 ? 80 : protocol === "TCP" ? port : udp;
          // Kernels send only so many refusals of datagrams, to whomever: one that was kept back comes with the next.
          const answers = await from.asked({ address, port: at, protocol, atOnce: 1, count: 2, timeoutMs: AT_ONCE_MS });
          const refusals = answers.filter(({ text }) => text === "ECONNREFUSED");
          const others = answers.filter(({ text }) => text !== "ECONNREFUSED" && text !== "timeout");
          const what = `${from.name} ${address} ${at}/${protocol}`;
          expect([refusals.length > 0, others], what).toEqual([true, []]);
          if (protocol === "TCP") expect(refusals, what).toHaveLength(2);
        }
      };
      for (const from of everyone()) await refused(from, clusterIp(none), 80);
      for (const { address } of networkLab().nodes) await refused(lab.outside, address, nodePort(none));
      // A port that the Service does not have is refused too, and whatever an endpoint's address comes by.
      expect(await lab.pods["client-1"].ask({ address: clusterIp(web), port: 81 })).toBe("ECONNREFUSED");
      await lab.create(slice("empty", [{ addresses: [lab.addresses["web-2"]] }], [{ name: "tcp", port: TARGET_PORT }]));
      await lab.fence();
      expect(await lab.pods["client-1"].ask({ address: clusterIp(none), port: 80 })).toMatch(/^web-2 /);
      expect(await lab.pods["client-1"].ask({ address: clusterIp(none), port: 80, protocol: "UDP" })).toBe(
        "ECONNREFUSED",
      );
    });

    it("SVC-20: a selector, a name of a port, a protocol and a number that change lead elsewhere", async () => {
      const named = { selector: { one: "web-1" }, ports: [{ name: "a", port: 80, targetPort: "web" }] };
      const [made] = (await lab.create(service("changing", named))) as [Service];
      const from = lab.pods["client-3"];
      const at = { address: clusterIp(made), port: 80 };
      await lab.endpoints("changing", "web-1");
      await lab.fence();
      expect(await from.ask(at)).toMatch(/^web-1 /);
      await lab.patch(made, { spec: { selector: { one: "web-2" } } });
      await lab.endpoints("changing", "web-2");
      await lab.fence();
      expect(await from.tally({ ...at, count: 20 })).toEqual({ "web-2": 20 });
      const changedPort = async (port: object) => {
        await lab.patch(made, { spec: { ports: [port] } });
        await waitFor("the slice to follow", async () => {
          const path = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices?labelSelector=kubernetes.io/service-name%3Dchanging`;
          const { items } = await lab.get<{ items: { ports: { name: string; protocol: string }[] }[] }>(path);
          const [found] = items.flatMap(({ ports }) => ports);
          return (
            found?.name === (port as { name: string }).name &&
            found.protocol === ((port as { protocol?: string }).protocol ?? "TCP")
          );
        });
        await lab.fence();
      };
      await changedPort({ name: "b", port: 80, targetPort: FAST_PORT, protocol: "UDP" });
      expect(await from.ask({ ...at, protocol: "UDP" })).toMatch(/^web-2 /);
      expect(await from.ask(at)).toBe("ECONNREFUSED");
      await changedPort({ name: "c", port: 8_000, targetPort: FAST_PORT });
      expect(await from.ask({ ...at, port: 8_000 })).toMatch(/^web-2 /);
      expect(await from.ask({ ...at, protocol: "UDP" })).toBe("ECONNREFUSED");
      await lab.delete(made);
      await lab.fence();
      expect(await from.ask({ ...at, port: 8_000 })).not.toMatch(/^web/);
      expect(
        Object.keys(await lab.map("service-ips", 3)).filter((key) => key.startsWith(`${clusterIp(made)} `)),
      ).toEqual([]);
    });

    it("a datagram from a port that was answered by an endpoint which is gone finds the new one", async () => {
      const udp = { ports: [{ name: "u", port: 53, targetPort: FAST_PORT, protocol: "UDP" }], type: "NodePort" };
      const moving = service("moving", udp);
      const at = (pod: "web-1" | "web-2") =>
        slice("moving", [{ addresses: [lab.addresses[pod]] }], [{ name: "u", port: FAST_PORT, protocol: "UDP" }]);
      const [made] = (await lab.create(moving)) as [Service];
      await lab.fence();
      // Asked all the time, so that no entry of conntrack expires: before there is an endpoint, with one, with another.
      const target = { protocol: "UDP", localPort: 40_053, timeoutMs: 300 } as const;
      const places: [(typeof lab.nodes)[number], { address: string; port: number }][] = [
        [lab.pods["client-1"], { address: clusterIp(made), port: 53 }],
        [lab.pods["client-3"], { address: clusterIp(made), port: 53 }],
        [lab.nodes[1]!, { address: clusterIp(made), port: 53 }],
        [lab.outside, { address: networkLab().node(3).address, port: nodePort(made) }],
      ];
      const ask = () => Promise.all(places.map(([from, where]) => from.ask({ ...where, ...target })));
      await ask();
      for (const pod of ["web-1", "web-2", "web-1"] as const) {
        if ((await lab.map("service-ips"))[`${clusterIp(made)} udp 53`]) await lab.patch(at(pod), at(pod));
        else await lab.create(at(pod));
        const knocks = await Promise.all(
          places.map(([from, where]) => from.keep({ ...where, ...target, how: "knock", intervalMs: 50 })),
        );
        await lab.fence();
        await Promise.all(knocks.map((end) => end()));
        // The kernel is told to forget right after the rules are there. Asking goes on, so nothing expires by itself.
        let answers: string[] = [];
        const isMoved = async () => {
          answers = await ask();
          return answers.every((answer) => answer.startsWith(`${pod} `));
        };
        await waitFor("the flows to move", isMoved, { timeoutMs: 10_000 }).catch(() => {});
        for (const answer of answers) expect(answer, `${pod} after the change`).toMatch(new RegExp(`^${pod} `));
      }
    });

    it("one port number for TCP and UDP leads to each", async () => {
      for (const protocol of ["TCP", "UDP"] as const) {
        for (const from of [lab.pods["client-1"], lab.nodes[2]!]) {
          expect(
            await from.tally({ address: clusterIp(web), port: 90, protocol, count: 40 }),
            `${protocol} from ${from.name}`,
          ).toEqual(both);
        }
      }
    });

    it("a Service that names another proxy is left to it", async () => {
      const metadata = { labels: { "service.kubernetes.io/service-proxy-name": "another" } };
      const [made] = (await lab.create(service("others", { selector: { app: "web" } }, metadata))) as [Service];
      await lab.endpoints("others", "web-1", "web-2");
      await lab.fence();
      const key = `${clusterIp(made)} tcp 80`;
      expect(Object.keys(await lab.map("service-ips"))).not.toContain(key);
      expect(await lab.pods["client-1"].ask({ address: clusterIp(made), port: 80, timeoutMs: 500 })).not.toMatch(
        /^web/,
      );
      await lab.patch(made, { metadata: { labels: { "service.kubernetes.io/service-proxy-name": null } } });
      await lab.fence();
      expect(await lab.pods["client-1"].tally({ address: clusterIp(made), port: 80, count: 40 })).toEqual(both);
      await lab.patch(made, { metadata: { labels: { "service.kubernetes.io/service-proxy-name": "another" } } });
      await lab.fence();
      expect(Object.keys(await lab.map("service-ips"))).not.toContain(key);
    });

    describeServicePolicies(() => lab);
    describeServiceFaults(() => lab);
  });
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
