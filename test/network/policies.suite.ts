import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../harness/wait-for.ts";
import { echoPod, type NetworkLab, NODE_NAMES } from "./network-lab.ts";

const SHOP = "np-shop";
const OTHER = "np-other";

/** Two on one node, so that there is traffic within a bridge; the rest elsewhere. */
const PODS = {
  a: { namespace: SHOP, node: NODE_NAMES[0] },
  b: { namespace: SHOP, node: NODE_NAMES[0] },
  c: { namespace: SHOP, node: NODE_NAMES[1] },
  d: { namespace: OTHER, node: NODE_NAMES[0] },
  e: { namespace: OTHER, node: NODE_NAMES[2] },
} as const;
type Name = keyof typeof PODS;
const NAMES = Object.keys(PODS) as Name[];

const inShop = (name: Name) => PODS[name].namespace === SHOP;

type Reach = (from: Name, to: Name, protocol: "tcp" | "udp") => boolean;
const everyone: Reach = () => true;

const policy = (name: string, spec: string, namespace = SHOP) => `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
---
`;
const app = (name: string) => `{matchLabels: {app: ${name}}}`;
const namespaceNamed = (name: string) => `{matchLabels: {kubernetes.io/metadata.name: ${name}}}`;

export function describePolicies(lab: () => NetworkLab): void {
  describe("network policies", () => {
    const ips = new Map<Name, string>();

    beforeAll(async () => {
      const { kubectl } = lab();
      const manifests = NAMES.map((name) => echoPod(name, PODS[name])).join("");
      const namespaces = [SHOP, OTHER].map(
        (name) => `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}\n---\n`,
      );
      await kubectl.apply(namespaces.join("") + manifests);
      const ready = NAMES.map((name) => lab().ready(`app=${name}`, PODS[name].namespace));
      await Promise.all(ready);
      await Promise.all(
        NAMES.map(async (name) => {
          const args = ["get", "pod", name, "-n", PODS[name].namespace, "-o", "jsonpath={.status.podIP}"];
          ips.set(name, await kubectl.run(...args));
        }),
      );
      await expectReach(everyone);
    }, 180_000);

    afterAll(async () => {
      await lab().kubectl.run("delete", "namespace", SHOP, OTHER, "--wait=false");
    });

    /** Who reaches whom over both protocols, all at once. A datagram may be lost when many come to a pod. */
    async function reach(): Promise<string[]> {
      const lines = NAMES.map(async (from) => {
        const targets = NAMES.filter((to) => to !== from).map((to) => `${to}=${ips.get(to)}`);
        const script = `
          for target in ${targets.join(" ")}; do
            name=\${target%=*}; ip=\${target#*=}
            (socat -u -T 2 TCP:$ip:80,connect-timeout=1 - 2>/dev/null | grep -q . && echo "$name tcp") &
            (for try in 1 2 3 4; do echo | timeout 1 socat -t 0.5 - UDP:$ip:80 2>/dev/null | grep -q . && echo "$name udp" && break; done) &
          done
          wait`;
        const answer = await lab().inPod(from, script, PODS[from].namespace);
        return answer
          .split("\n")
          .filter(Boolean)
          .map((line) => `${from} to ${line}`);
      });
      return (await Promise.all(lines)).flat().sort();
    }

    const wanted = (isAllowed: Reach): string[] =>
      NAMES.flatMap((from) =>
        NAMES.filter((to) => to !== from).flatMap((to) =>
          (["tcp", "udp"] as const)
            .filter((protocol) => isAllowed(from, to, protocol))
            .map((protocol) => `${from} to ${to} ${protocol}`),
        ),
      ).sort();

    /** Policies come into force a moment after they were made. */
    async function expectReach(isAllowed: Reach): Promise<void> {
      let last: string[] = [];
      const want = wanted(isAllowed);
      await waitFor(
        "the policies to be in force",
        async () => {
          last = await reach();
          return last.join() === want.join();
        },
        { timeoutMs: 30_000 },
      ).catch(() => expect(last).toEqual(want));
    }

    const apply = (...manifests: string[]) => lab().kubectl.apply(manifests.join(""));
    const remove = (...names: string[]) => lab().kubectl.run("delete", "networkpolicy", "-n", SHOP, ...names);

    it("dry runs print what they would do, and policies have no status (NP-01, NP-02, NP-05)", async () => {
      const deny = policy("default-deny", "{podSelector: {}, policyTypes: [Ingress, Egress]}");
      const dns = policy(
        "allow-dns",
        `{podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: ${namespaceNamed("kube-system")}, podSelector: {matchLabels: {k8s-app: kube-dns}}}], ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]}]}`,
      );
      const toApi = policy(
        "orders-to-apiserver",
        `{podSelector: ${app("orders")}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 172.23.0.2/32}}], ports: [{protocol: TCP, port: 6443}]}]}`,
      );
      expect(await lab().kubectl.apply(deny + dns + toApi, "--dry-run=server")).toBe(
        ["default-deny", "allow-dns", "orders-to-apiserver"]
          .map((name) => `networkpolicy.networking.k8s.io/${name} created (server dry run)\n`)
          .join(""),
      );
      await apply(policy("nobody", `{podSelector: ${app("nobody")}}`));
      expect(await lab().kubectl.run("get", "netpol", "-n", SHOP, "-o", "yaml")).not.toContain("status");
      await expectReach(everyone);
      await remove("nobody");
    });

    it("isolates what is selected, lets answers pass, and opens what another policy allows (NP-03, NP-04)", async () => {
      await apply(policy("default-deny", "{podSelector: {}, policyTypes: [Ingress, Egress]}"));
      await expectReach((from, to) => !inShop(from) && !inShop(to));
      const resolves = () =>
        lab()
          .inPod("b", "timeout 2 nslookup kubernetes.default.svc.cluster.local && echo resolved", SHOP)
          .then(
            (answer) => answer.includes("resolved"),
            () => false,
          );
      expect(await resolves()).toBe(false);
      await apply(
        policy(
          "allow-dns",
          `{podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: ${namespaceNamed("kube-system")}, podSelector: {matchLabels: {k8s-app: kube-dns}}}], ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]}]}`,
        ),
      );
      await waitFor("names to be allowed", resolves, { timeoutMs: 20_000 });
      await apply(
        policy(
          "out",
          `{podSelector: ${app("a")}, policyTypes: [Egress], egress: [{to: [{podSelector: ${app("c")}}], ports: [{port: 80}]}]}`,
        ),
        policy("in", `{podSelector: ${app("c")}, ingress: [{from: [{podSelector: ${app("a")}}]}]}`),
      );
      await expectReach((from, to, protocol) =>
        inShop(from) || inShop(to) ? from === "a" && to === "c" && protocol === "tcp" : true,
      );
    });

    it("its own node reaches an isolated pod, and probes succeed (NP-04)", async () => {
      const script = `exec 3<>/dev/tcp/${ips.get("b")}/80; cat <&3`;
      expect(await lab().node(1).execute("timeout", ["5", "bash", "-c", script])).toBe("b\n");
      const since = Date.now();
      // Its readiness probe has a period of one second.
      await waitFor("some probes", () => Date.now() - since > 2_500);
      const ready = ["get", "pods", "-n", SHOP, "-o", "jsonpath={.items[*].status.containerStatuses[*].ready}"];
      expect(await lab().kubectl.run(...ready)).toBe("true true true");
    });

    it("what others flushed is there again within seconds", async () => {
      const table = `hearth-policy-${lab().node(1).instance}`;
      await lab().node(1).execute("nft", ["delete", "table", "inet", table]);
      await waitFor("the table", () => lab().node(1).execute("nft", ["list", "table", "inet", table]), {
        timeoutMs: 15_000,
      });
    });

    it("a pod is isolated before its first packet", async () => {
      const early = Array.from({ length: 3 }, (_, index) => `early-${index}`);
      const script = `for i in $(seq 30); do socat -u TCP:${ips.get("d")}:80,connect-timeout=0.1 - && echo reached; done; echo done`;
      await lab().kubectl.apply(
        early
          .map(
            (name) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${SHOP}}
spec:
  nodeName: ${NODE_NAMES[0]}
  restartPolicy: Never
  terminationGracePeriodSeconds: 0
  containers: [{name: early, image: "alpine/socat:1.8.0.3", command: [sh, -c, "${script}"]}]
---
`,
          )
          .join(""),
      );
      const done = early.map((name) => `pod/${name}`);
      await lab().kubectl.run("wait", "-n", SHOP, "--for=jsonpath={.status.phase}=Succeeded", ...done, "--timeout=90s");
      for (const name of early) {
        const log = await lab().kubectl.run("logs", "-n", SHOP, name);
        expect(log.split("\n").filter((line) => !line.includes("socat["))).toEqual(["done", ""]);
      }
      await lab().kubectl.run("delete", "-n", SHOP, ...done, "--wait=false");
      await remove("default-deny", "allow-dns", "out", "in");
    });

    it("one item means both selectors, two mean either (NP-06, NP-07)", async () => {
      const from = (items: string) => policy("from", `{podSelector: ${app("a")}, ingress: [{from: [${items}]}]}`);
      const printed = [
        "get",
        "netpol",
        "from",
        "-n",
        SHOP,
        "-o",
        "jsonpath={.spec.policyTypes} {.spec.ingress[0].from}",
      ];
      await apply(from(`{namespaceSelector: ${namespaceNamed(OTHER)}, podSelector: ${app("d")}}`));
      expect(await lab().kubectl.run(...printed)).toBe(
        `["Ingress"] [{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"${OTHER}"}},"podSelector":{"matchLabels":{"app":"d"}}}]`,
      );
      await expectReach((source, to) => to !== "a" || source === "d");
      await apply(from(`{namespaceSelector: ${namespaceNamed(OTHER)}}, {podSelector: ${app("b")}}`));
      expect(await lab().kubectl.run(...printed)).toBe(
        `["Ingress"] [{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"${OTHER}"}}},{"podSelector":{"matchLabels":{"app":"b"}}}]`,
      );
      await expectReach((source, to) => to !== "a" || source !== "c");
      await remove("from");
    });

    it("blocks, holes and named ports hold; a table of one's own, and none without policies (NP-05, NP-08)", async () => {
      const block = (cidr: string, ...except: string[]) =>
        `{ipBlock: {cidr: ${cidr}${except.length > 0 ? `, except: [${except.join(", ")}]` : ""}}}`;
      await apply(
        policy(
          "block",
          `{podSelector: ${app("a")}, policyTypes: [Egress], egress: [{to: [${block("0.0.0.0/0", `${ips.get("b")}/32`)}], ports: [{port: udp, protocol: UDP}]}]}`,
        ),
      );
      await expectReach((from, to, protocol) => from !== "a" || (to !== "b" && protocol === "udp"));
      const table = `hearth-policy-${lab().node(1).instance}`;
      const tables = () => lab().node(1).execute("nft", ["list", "tables"]);
      expect(await tables()).toContain(`table inet ${table}`);
      await remove("block");
      await expectReach(everyone);
      await waitFor("the table to go", async () => !(await tables()).includes(table));
    });

    it("the next agent takes over, and what it finds holds in between", async () => {
      await apply(policy("deny", `{podSelector: ${app("a")}, policyTypes: [Ingress, Egress]}`));
      const isolated: Reach = (from, to) => from !== "a" && to !== "a";
      await expectReach(isolated);
      const node = lab().node(1);
      const list = () => node.execute("nft", ["list", "table", "inet", `hearth-policy-${node.instance}`]);
      const before = await list();
      await node.stopAgent();
      expect(await list()).toBe(before);
      await node.startAgent();
      await waitFor("pods of the node to be within reach", () => lab().inPod("a", "echo in", SHOP));
      await expectReach(isolated);
      await remove("deny");
      await expectReach(everyone);
    });
  });
}
