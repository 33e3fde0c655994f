import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ipv6Of } from "../harness/lab.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LanClient } from "./lan-client.ts";
import { type NetworkLab, NODE_NAMES } from "./network-lab.ts";

const NAMESPACE = "dual";
const PODS = NODE_NAMES.map((node) => `dual-${node}`);
const [FIRST, SECOND, THIRD] = PODS as [string, string, string];

/** Answers with its name on port 80, in both families, and knows its addresses. */
const pod = (name: string, node: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${NAMESPACE}, labels: {app: dual, name: ${name}}}
spec:
  terminationGracePeriodSeconds: 1
  nodeName: ${node}
  containers:
  - name: echo
    image: alpine/socat:1.8.0.3
    command: [sh, -c, "socat UDP6-RECVFROM:80,fork SYSTEM:hostname & exec socat TCP6-LISTEN:80,fork,reuseaddr SYSTEM:hostname"]
    env:
    - {name: POD_IPS, valueFrom: {fieldRef: {fieldPath: status.podIPs}}}
    - {name: HOST_IPS, valueFrom: {fieldRef: {fieldPath: status.hostIPs}}}
    readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 1}
---
`;

const service = (name: string, spec: string) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${NAMESPACE}}
spec: {selector: {app: dual}, ports: [{port: 80}], ${spec}}
---
`;

interface Shown {
  spec: {
    podCIDRs: string[];
    clusterIPs: string[];
    ipFamilies: string[];
    ports: { nodePort: number }[];
  };
  status: {
    addresses: { type: string; address: string }[];
    podIPs: { ip: string }[];
    hostIPs: { ip: string }[];
    loadBalancer: { ingress?: { ip: string }[] };
  };
}

/** Both families, beside each other: pods, Services, names, policies. */
export function describeDualStack(lab: () => NetworkLab): void {
  describe("dual stack", () => {
    let client: LanClient;
    /** The second addresses of pods. */
    const addresses = new Map<string, string>();

    const show = async (kind: string, name: string): Promise<Shown> =>
      JSON.parse(await lab().kubectl.run("get", kind, name, "-n", NAMESPACE, "-o", "json")) as Shown;
    const inPod = (name: string, command: string) => lab().inPod(name, command, NAMESPACE);
    const dial = (address: string, port = 80) => `socat -T 3 -u TCP6:[${address}]:${port},connect-timeout=2 -`;
    const asks = (from: string, address: string) => inPod(from, dial(address)).then((name) => name.trim());
    const fails = (from: string, address: string) =>
      asks(from, address).then(
        () => false,
        () => true,
      );
    const patch = (name: string, spec: object) =>
      lab().kubectl.run("patch", "service", name, "-n", NAMESPACE, "--type=merge", "-p", JSON.stringify({ spec }));
    const slices = async (name: string): Promise<string[]> => {
      const types = "jsonpath={range .items[*]}{.addressType} {end}";
      const by = `kubernetes.io/service-name=${name}`;
      const text = await lab().kubectl.run("get", "endpointslices", "-n", NAMESPACE, "-l", by, "-o", types);
      return text.trim().split(" ").sort();
    };
    /** Who answered at an address, once all did. */
    const answeredBy = (command: () => Promise<string>) => {
      const seen = new Set<string>();
      return waitFor("an answer of each pod", async () => {
        const answers = await Promise.all([1, 2, 3, 4].map(() => command().catch(() => "")));
        for (const answer of answers) if (answer.trim()) seen.add(answer.trim());
        return seen.size === PODS.length ? [...seen].sort() : undefined;
      });
    };

    beforeAll(async () => {
      const { kubectl, lab: machines } = lab();
      await kubectl.run("create", "namespace", NAMESPACE);
      await kubectl.apply(
        [
          ...NODE_NAMES.map((node, i) => pod(PODS[i]!, node)),
          service("grows", "type: NodePort"),
          service("six", "ipFamilies: [IPv6]"),
          service("bare", "clusterIP: None, ipFamilyPolicy: PreferDualStack"),
          service("balanced", "type: LoadBalancer, ipFamilyPolicy: RequireDualStack"),
        ].join(""),
      );
      const [built] = await Promise.all([
        LanClient.build(machines, machines.hostAddress.replace(/\.1$/, ".66")),
        lab().ready("app=dual", NAMESPACE),
      ]);
      client = built;
      for (const name of PODS) addresses.set(name, (await show("pod", name)).status.podIPs[1]!.ip);
    }, 180_000);

    afterAll(async () => {
      await client?.remove();
      await lab().kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
    });

    it("nodes have ranges and addresses of both families, and so have their pods, who know it", async () => {
      for (const [i, name] of NODE_NAMES.entries()) {
        const { spec, status } = await show("node", name);
        const own = [lab().node((i + 1) as 1).address, ipv6Of(lab().node((i + 1) as 1).address)];
        expect(spec.podCIDRs).toEqual([
          expect.stringMatching(/^10\.244\.\d+\.0\/24$/),
          expect.stringMatching(/^fd00:10:244:(\w+:)?:\/64$/),
        ]);
        expect(status.addresses.filter(({ type }) => type === "InternalIP").map(({ address }) => address)).toEqual(own);
        const pod = (await show("pod", PODS[i]!)).status;
        expect(pod.hostIPs.map(({ ip }) => ip)).toEqual(own);
        const ips = pod.podIPs.map(({ ip }) => ip);
        expect(ips).toEqual([expect.stringMatching(/^10\.244\./), expect.stringMatching(/^fd00:10:244:/)]);
        const told = await inPod(PODS[i]!, `echo $POD_IPS $HOST_IPS; grep ${PODS[i]} /etc/hosts | cut -f1`);
        expect(told.trim().split("\n")).toEqual([`${ips.join()} ${own.join()}`, ...ips]);
      }
    });

    it("pods of all nodes reach each other over IPv6 by their own addresses, the outside by their node's", async () => {
      const pairs = PODS.flatMap((from) => PODS.map((to) => ({ from, to })));
      await Promise.all(
        pairs.map(async ({ from, to }) => expect(await asks(from, addresses.get(to)!), `${from} to ${to}`).toBe(to)),
      );
      const heard = "TCP6-LISTEN:8080,reuseaddr SYSTEM:'echo $SOCAT_PEERADDR'";
      const listening = inPod(THIRD, `timeout 20 socat ${heard}`).catch(() => "");
      const outside = client.execute(`timeout 15 socat ${heard}`).catch(() => "");
      const told = (address: string) =>
        waitFor(
          "who is heard",
          async () => (await inPod(FIRST, dial(address, 8080)).catch(() => "")).trim() || undefined,
        );
      const [inside, out] = await Promise.all([told(addresses.get(THIRD)!), told(client.address6)]);
      expect(normal(inside)).toBe(normal(addresses.get(FIRST)!));
      expect(normal(out)).toBe(normal(ipv6Of(lab().node(1).address)));
      await Promise.all([listening, outside]);
    });

    it("a Service gets its second address when it asks for one, in slices, names and rules, and loses it", async () => {
      expect((await show("service", "grows")).spec).toMatchObject({
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
      });
      await patch("grows", { ipFamilyPolicy: "PreferDualStack" });
      const { spec } = await show("service", "grows");
      const [first, second] = spec.clusterIPs as [string, string];
      expect([first, second]).toEqual([expect.stringMatching(/^10\.96\./), expect.stringMatching(/^fd00:10:96::/)]);
      const nodePort = spec.ports[0]!.nodePort;
      const node = ipv6Of(lab().node(2).address);
      const names = async (kind: string, name: string) =>
        inPod(FIRST, `nslookup -type=${kind} ${name}.${NAMESPACE}.svc.cluster.local`).catch(() => "");
      const [byAddress, byNode] = await Promise.all([
        answeredBy(() => inPod(FIRST, dial(second))),
        answeredBy(() => client.execute(dial(node, nodePort))),
        waitFor("slices of both", async () => (await slices("grows")).join() === "IPv4,IPv6"),
        waitFor("both in its name", async () => {
          const [a, aaaa] = await Promise.all([names("a", "grows"), names("aaaa", "grows")]);
          return a.includes(first) && aaaa.includes(second);
        }),
        waitFor("each pod in the name of the one without addresses", async () => {
          const text = await names("aaaa", "bare");
          return [...addresses.values()].every((ip) => text.includes(ip));
        }),
      ]);
      expect([byAddress, byNode]).toEqual([[...PODS].sort(), [...PODS].sort()]);

      await patch("grows", { ipFamilyPolicy: "SingleStack" });
      expect((await show("service", "grows")).spec).toMatchObject({ ipFamilies: ["IPv4"], clusterIPs: [first] });
      await Promise.all([
        waitFor("one slice", async () => (await slices("grows")).join() === "IPv4"),
        waitFor("the rules to go", () => fails(FIRST, second)),
        waitFor("the name to lose it", async () => !(await names("aaaa", "grows")).includes(second)),
      ]);
      expect((await inPod(FIRST, `socat -T 3 -u TCP:${first}:80 -`)).trim()).toMatch(/^dual-/);
    });

    it("a Service may be of IPv6 alone, and a balancer has addresses of both", async () => {
      const { spec } = await show("service", "six");
      expect(spec).toMatchObject({ ipFamilies: ["IPv6"], clusterIPs: [expect.stringMatching(/^fd00:10:96::/)] });
      expect(await answeredBy(() => inPod(SECOND, dial(spec.clusterIPs[0]!)))).toEqual([...PODS].sort());
      const ips = await waitFor("addresses of the nodes", async () => {
        const { ingress = [] } = (await show("service", "balanced")).status.loadBalancer;
        return ingress.length === 2 * NODE_NAMES.length ? ingress.map(({ ip }) => ip) : undefined;
      });
      const nodes = [1, 2, 3].map((number) => lab().node(number as 1).address);
      expect([...ips].sort()).toEqual([...nodes, ...nodes.map(ipv6Of)].sort());
      const at = ipv6Of(lab().node(3).address);
      await waitFor("an answer", async () => (await client.execute(dial(at)).catch(() => "")).startsWith("dual-"));
      const datagram = `echo | socat -t 2 - UDP6:[${addresses.get(SECOND)}]:80`;
      expect((await inPod(THIRD, datagram)).trim()).toBe(SECOND);
    });

    it("policies hold for IPv6: by labels, and by ranges", async () => {
      const to = addresses.get(THIRD)!;
      const policy = (from: string) => `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: third, namespace: ${NAMESPACE}}
spec:
  podSelector: {matchLabels: {name: ${THIRD}}}
  policyTypes: [Ingress]
  ingress: [{from: [${from}]}]
`;
      const reach = async () => (await Promise.all([FIRST, SECOND].map((from) => fails(from, to)))).map((no) => !no);
      const until = (wanted: boolean[]) =>
        waitFor(`reached by ${wanted}`, async () => (await reach()).join() === wanted.join());
      await lab().kubectl.apply(policy(`{podSelector: {matchLabels: {name: ${FIRST}}}}`));
      await until([true, false]);
      await lab().kubectl.apply(
        policy(`{ipBlock: {cidr: "fd00:10:244::/48", except: ["${addresses.get(FIRST)}/128"]}}`),
      );
      await until([false, true]);
      await lab().kubectl.run("delete", "networkpolicy", "third", "-n", NAMESPACE);
      await until([true, true]);
    });
  });
}

/** However it is written. */
const normal = (address: string) => new URL(`http://[${address.replace(/^\[|\]$/g, "")}]`).hostname;
