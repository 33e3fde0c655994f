import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { join } from "node:path";
import { decode, encode } from "dns-packet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_COREFILE } from "../../agent/dns/corefile.ts";
import { waitFor } from "../harness/wait-for.ts";
import { echoPod, type NetworkLab } from "./network-lab.ts";

const NAMESPACE = "names";
const DNS = "10.96.0.10";
const DIG = join(import.meta.dirname, "names-lab/dig.ts");
const KUBE_DNS = "kube-dns.kube-system.svc.cluster.local";

/** A pod with more in its spec than `echoPod` says. */
const clientPod = (name: string, spec: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${NAMESPACE}, labels: {app: client}}
spec:
  terminationGracePeriodSeconds: 1
  nodeName: node-2
  ${spec}
  containers:
  - {name: main, image: "alpine/socat:1.8.0.3", command: [sleep, "3600"]}
---
`;

const OBJECTS = `
${clientPod("plain", "")}
${clientPod("default", "dnsPolicy: Default")}
${clientPod("host", "hostNetwork: true")}
${clientPod("host-cluster", "hostNetwork: true\n  dnsPolicy: ClusterFirstWithHostNet")}
${clientPod("few-dots", 'dnsConfig: {options: [{name: ndots, value: "2"}]}')}
${clientPod("nats-0", "hostname: nats-0\n  subdomain: nats").replace("app: client", "app: nats")}
${echoPod("nats-1", { node: "node-1", app: "nats", namespace: NAMESPACE })}
apiVersion: v1
kind: Service
metadata: {name: nats, namespace: ${NAMESPACE}}
spec: {clusterIP: None, selector: {app: nats}, ports: [{name: client, port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: elsewhere, namespace: ${NAMESPACE}}
spec: {type: ExternalName, externalName: api.example.com}
`;

/** Names, asked of the nodes from their own networks and from pods. */
export function describeNames(lab: () => NetworkLab): void {
  describe("names", () => {
    /** The resolver outside of the cluster: every name has one address there. */
    let outside: Socket;
    let asked: string[] = [];
    const dig = async (...question: string[]) =>
      (
        await lab()
          .node(1)
          .execute(process.execPath, [DIG, DNS, ...question])
      )
        .trim()
        .split("\n");
    const answersOf = async (...question: string[]) => (await dig(...question)).slice(1).sort();
    const resolvConf = (pod: string) => lab().inPod(pod, "cat /etc/resolv.conf", NAMESPACE);
    const addressOf = async (pod: string) =>
      (await lab().kubectl.run("get", "pod", pod, "-n", NAMESPACE, "-o", "jsonpath={.status.podIP}")).trim();

    beforeAll(async () => {
      const { kubectl } = lab();
      outside = createSocket("udp4");
      outside.on("message", (bytes, from) => {
        const { id = 0, questions = [] } = decode(bytes);
        const { name, type } = questions[0]!;
        asked.push(`${type} ${name}`);
        const answers = type === "A" ? [{ name, type, ttl: 300, data: "192.0.2.80" } as const] : [];
        outside.send(encode({ type: "response", id, flags: 0x0180, questions, answers }), from.port, from.address);
      });
      outside.bind(0, lab().lab.hostAddress);
      await once(outside, "listening");
      await kubectl.run("create", "namespace", NAMESPACE);
      const corefile = DEFAULT_COREFILE.replace(
        "/etc/resolv.conf",
        `${lab().lab.hostAddress}:${outside.address().port}`,
      );
      await kubectl.apply(`
apiVersion: v1
kind: ConfigMap
metadata: {name: coredns, namespace: kube-system}
data: ${JSON.stringify({ Corefile: corefile })}
---
${OBJECTS}`);
      await Promise.all([lab().ready("app=client", NAMESPACE), lab().ready("app=nats", NAMESPACE)]);
      await waitFor("the resolver outside", async () => (await answersOf("ready.example.com", "A")).length === 1);
    }, 120_000);

    afterAll(async () => {
      outside?.close();
      await lab().kubectl.run("delete", "configmap", "coredns", "-n", "kube-system", "--ignore-not-found");
      await lab().kubectl.run("delete", "namespace", NAMESPACE, "--ignore-not-found", "--wait=false");
    });

    it("SVC-07 DNS-02 to DNS-05 every node answers for kube-dns as CoreDNS does", async () => {
      for (const number of [1, 2, 3] as const) {
        const printed = await lab()
          .node(number)
          .execute(process.execPath, [DIG, DNS, KUBE_DNS, "A", `_dns._udp.${KUBE_DNS}`, "SRV"]);
        expect(printed.trim().split("\n")).toEqual([
          "status: NOERROR, flags: qr aa rd; QUERY: 1, ANSWER: 1, AUTHORITY: 0, ADDITIONAL: 1",
          `${KUBE_DNS}. 30 IN A 10.96.0.10`,
          "status: NOERROR, flags: qr aa rd; QUERY: 1, ANSWER: 1, AUTHORITY: 0, ADDITIONAL: 2",
          `_dns._udp.${KUBE_DNS}. 30 IN SRV 0 100 53 ${KUBE_DNS}.`,
        ]);
      }
      expect(await dig("api.example.com.default.svc.cluster.local", "A")).toEqual([
        "status: NXDOMAIN, flags: qr aa rd; QUERY: 1, ANSWER: 0, AUTHORITY: 1, ADDITIONAL: 1",
      ]);
      const pod = "10-244-0-2.kube-system.pod.cluster.local";
      expect(await answersOf("+tcp", pod, "A")).toEqual([`${pod}. 30 IN A 10.244.0.2`]);
      expect(await answersOf("10.0.96.10.in-addr.arpa", "PTR")).toEqual([
        `10.0.96.10.in-addr.arpa. 30 IN PTR ${KUBE_DNS}.`,
      ]);
    });

    it("DNS-08 to DNS-10 headless Services have their pods' addresses and hostnames", async () => {
      const name = `nats.${NAMESPACE}.svc.cluster.local`;
      const [first, second] = await Promise.all(["nats-0", "nats-1"].map(addressOf));
      const both = [first!, second!].map((address) => `${name}. 30 IN A ${address}`).sort();
      await waitFor("both endpoints", async () => (await answersOf(name, "A")).length === 2);
      expect(await answersOf(name, "A")).toEqual(both);
      expect(await answersOf(`nats-0.${name}`, "A")).toEqual([`nats-0.${name}. 30 IN A ${first}`]);
      const orders = await dig(...Array.from({ length: 20 }, () => [name, "A"]).flat());
      const firsts = orders.filter((_, index) => index % 3 === 1);
      expect(new Set(firsts).size).toBe(2);
    });

    it("DNS-07 a new Service has its name at once, after a denial", async () => {
      const name = `late.${NAMESPACE}.svc.cluster.local`;
      expect((await dig(name, "A"))[0]).toMatch(/NXDOMAIN/);
      await lab().kubectl.run("create", "service", "clusterip", "late", "-n", NAMESPACE, "--tcp=80");
      await waitFor("the new name", async () => (await answersOf(name, "A")).length === 1, { timeoutMs: 5000 });
    });

    it("DNS-01 DNS-06 other names are asked of other servers, and another's name leads there", async () => {
      expect(await dig("www.example.com", "A")).toEqual([
        "status: NOERROR, flags: qr rd ra; QUERY: 1, ANSWER: 1, AUTHORITY: 0, ADDITIONAL: 0",
        "www.example.com. 30 IN A 192.0.2.80",
      ]);
      expect((await answersOf(`elsewhere.${NAMESPACE}.svc.cluster.local`, "A")).length).toBe(2);
    });

    it("DNS-11 to DNS-13 DNS-16 pods' resolv.conf", async () => {
      const cluster = `search ${NAMESPACE}.svc.cluster.local svc.cluster.local cluster.local`;
      const plain = await resolvConf("plain");
      expect(plain.split("\n")[0]).toContain(cluster);
      expect(plain).toContain("nameserver 10.96.0.10\noptions ndots:5\n");
      expect(await resolvConf("host-cluster")).toBe(plain);
      const nodes = await resolvConf("default");
      expect(nodes).not.toContain("cluster.local");
      expect(await resolvConf("host")).toBe(nodes);
      expect(await resolvConf("few-dots")).toContain("options ndots:2");
    });

    it("DNS-14 to DNS-16 search domains come first with few dots, the name as it is with enough or a dot at its end", async () => {
      const askedOutside = async (pod: string, name: string) => {
        asked = [];
        await lab().inPod(pod, `socat -T1 -u TCP4:${name}:81,connect-timeout=0.5 - 2>&1 || true`, NAMESPACE);
        return asked.filter((each) => each.startsWith("A "));
      };
      const name = `nats-0.nats.${NAMESPACE}.svc`;
      expect(await askedOutside("plain", name)).toEqual([]);
      expect(await askedOutside("few-dots", name)).toEqual([`A ${name}`]);
      expect(await askedOutside("plain", `full.${name}.`)).toEqual([`A full.${name}`]);
    });

    it("an agent that starts without the control plane answers what it remembers", async () => {
      const node = lab().node(1);
      const away = ["route", "add", "blackhole", `${lab().lab.hostAddress}/32`];
      await node.stopAgent();
      await node.execute("ip", away);
      try {
        await node.startAgent();
        await waitFor("the name", async () => (await answersOf(KUBE_DNS, "A")).length === 1);
        expect((await dig(`nobody.${NAMESPACE}.svc.cluster.local`, "A"))[0]).toMatch(/NXDOMAIN/);
      } finally {
        await node.execute("ip", away.with(1, "delete"));
      }
    });
  });
}
