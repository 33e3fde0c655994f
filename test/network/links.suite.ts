import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { overlayName, PATHS_ANNOTATION, routeProtocol } from "../../agent/podnet/index.ts";
import type { LabNode } from "../harness/lab.ts";
import { readMachineNetwork } from "../harness/machine-network.ts";
import { waitFor } from "../harness/wait-for.ts";
import { echoPod, type NetworkLab, NODE_NAMES } from "./network-lab.ts";

const NAMESPACE = "links";

/** The way between pods of different nodes. */
export function describeLinks(lab: () => NetworkLab): void {
  describe("links", () => {
    const names = NODE_NAMES.map((node) => `link-${node}`);
    const addresses = new Map<string, string>();
    const ask = (from: string, to: string) =>
      lab().inPod(from, `socat -T 3 -u TCP:${addresses.get(to)}:80,connect-timeout=3 -`, NAMESPACE);
    const pathsOf = async (node: string): Promise<Record<string, string>> => {
      const found = JSON.parse(await lab().kubectl.run("get", "node", node, "-o", "json"));
      return JSON.parse(found.metadata.annotations?.[PATHS_ANNOTATION] ?? "{}");
    };

    beforeAll(async () => {
      const { kubectl } = lab();
      await kubectl.run("create", "namespace", NAMESPACE);
      await kubectl.apply(
        NODE_NAMES.map((node) => echoPod(`link-${node}`, { node, app: "link", namespace: NAMESPACE })).join(""),
      );
      await lab().ready("app=link", NAMESPACE);
      for (const name of names) {
        addresses.set(name, await kubectl.run("get", "pod", "-n", NAMESPACE, name, "-o", "jsonpath={.status.podIP}"));
      }
    }, 180_000);

    afterAll(async () => {
      await lab().kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
    });

    it("CNI-04: each pod has its own address, and pods of all nodes reach one another by it, unmasqueraded", async () => {
      expect(new Set(addresses.values()).size).toBe(names.length);
      const pairs = names.flatMap((from) => names.map((to) => ({ from, to })));
      await Promise.all(
        pairs.map(async ({ from, to }) => expect(await ask(from, to), `${from} to ${to}`).toBe(`${to}\n`)),
      );
      // Who it says that it hears is who asked.
      const listen = lab().inPod(names[2]!, "socat -T 5 TCP-LISTEN:8080 SYSTEM:'echo $SOCAT_PEERADDR'", NAMESPACE);
      const heard = waitFor("an answer", async () => {
        const answer = await lab()
          .inPod(names[0]!, `socat -T 3 TCP:${addresses.get(names[2]!)}:8080 -`, NAMESPACE)
          .catch(() => "");
        return answer.trim() || undefined;
      });
      expect(await heard).toBe(addresses.get(names[0]!));
      await listen;
    });

    it("a Node tells how the others are reached, and that it has a network", async () => {
      await waitFor("the paths of node-1", async () => Object.keys(await pathsOf("node-1")).length === 2);
      expect(await pathsOf("node-1")).toEqual({ "node-2": "direct", "node-3": "direct" });
      const text = await lab().kubectl.run("describe", "node", "node-1");
      expect(text).toMatch(/NetworkUnavailable\s+False .*RouteCreated\s+RouteController created a route/);
    });

    it("CNI-01, CNI-02, CNI-03, CNI-05: the runtime's plugin makes the pod's network, in the namespace of its sandbox", async () => {
      const node = lab().node(1);
      const { plugins } = JSON.parse(await node.execute("cat", [`${node.dir}/containerd/net.d/90-hearth.conflist`]));
      expect(plugins.map(({ type }: { type: string }) => type)).toEqual(["bridge", "portmap"]);
      const address = addresses.get(names[0]!)!;
      const [inPod, onBridge] = await Promise.all([
        lab().inPod(names[0]!, "ip -4 -o addr show eth0; ip route; readlink /proc/self/ns/net", NAMESPACE),
        node.execute("ip", ["-json", "route", "get", address]),
      ]);
      expect(inPod).toContain(`inet ${address}/24`);
      expect(inPod).toMatch(/default via 10\.244\.\d+\.1 dev eth0/);
      expect(JSON.parse(onBridge)[0].dev).toBe(bridgeOf(node));
      const inode = /net:\[(\d+)\]/.exec(inPod)?.[1];
      const files = await node.execute("sh", ["-c", "stat -L -c %i /run/netns/cni-*"]);
      expect(files.split("\n")).toContain(inode);
    });

    it("what is taken away by hand is back in seconds: routes, rules, the addresses of the bridge", async () => {
      const node = lab().node(2);
      const protocol = String(routeProtocol(node.instance));
      const routes = () => node.execute("ip", ["route", "show", "proto", protocol]);
      const before = (await routes()).trim().split("\n").sort();
      expect(before).toHaveLength(2);
      await node.execute("ip", ["route", "flush", "proto", protocol]);
      await node.execute("ip", ["address", "flush", "dev", bridgeOf(node)]);
      await node.execute("nft", ["delete", "table", "inet", `hearth-pods-${node.instance}`]);
      await waitFor("the routes and rules", async () => {
        const rules = await node.execute("nft", ["list", "table", "inet", `hearth-pods-${node.instance}`]);
        return (await routes()).trim().split("\n").sort().join() === before.join() && rules.includes("masquerade");
      });
      expect(await ask(names[0]!, names[1]!)).toBe(`${names[1]}\n`);
    });

    it("a node that moves behind a router is reached over VXLAN, and over a route when it is back", async () => {
      const third = lab().node(3);
      await lab().lab.moveToOtherLan(third);
      await waitFor("VXLAN from node-1", async () => (await pathsOf("node-1"))["node-3"] === "vxlan");
      await waitFor("VXLAN from node-3", async () => (await pathsOf("node-3"))["node-1"] === "vxlan");
      const device = JSON.parse(
        await third.execute("ip", ["-json", "link", "show", "dev", overlayName(third.instance)]),
      );
      expect(device[0].mtu).toBe(1450);
      await Promise.all([
        waitFor("node-3's pod", async () => (await ask(names[0]!, names[2]!)) === `${names[2]}\n`),
        waitFor(
          "node-1's pod",
          async () =>
            (await third.execute(process.execPath, ["-e", READ_ALL, addresses.get(names[0]!)!])) === `${names[0]}\n`,
        ),
      ]);
      await lab().lab.moveBack(third);
      await waitFor(
        "routes",
        async () =>
          (await pathsOf("node-1"))["node-3"] === "direct" && (await pathsOf("node-3"))["node-1"] === "direct",
      );
      await waitFor("node-3's pod", async () => (await ask(names[0]!, names[2]!)) === `${names[2]}\n`);
      await expect(third.execute("ip", ["link", "show", "dev", overlayName(third.instance)])).rejects.toThrow();
      await lab().kubectl.run("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s");
    });

    it("CNI-06: another plugin's configuration takes over, and ours is back when it goes", async () => {
      const node = lab().node(2);
      const protocol = String(routeProtocol(node.instance));
      const own = `${node.dir}/containerd/net.d/10-own.conflist`;
      await node.execute("sh", [
        "-c",
        `echo '{"cniVersion":"1.0.0","name":"own","plugins":[{"type":"ptp"}]}' > ${own}`,
      ]);
      try {
        const routes = () => node.execute("ip", ["route", "show", "proto", protocol]);
        await waitFor("our routes to go", async () => (await routes()) === "");
        const tables = () => node.execute("nft", ["list", "tables"]);
        await waitFor("our table to go", async () => !(await tables()).includes("hearth-pods"));
        await waitFor("the ways to be told as not ours", async () => Object.keys(await pathsOf("node-2")).length === 0);
      } finally {
        await node.execute("rm", [own]);
      }
      await waitFor("our routes", async () => (await node.execute("ip", ["route", "show", "proto", protocol])) !== "");
      await waitFor("an answer", async () => (await ask(names[0]!, names[1]!)) === `${names[1]}\n`);
    });

    it("agent uninstall leaves rules, links, routes and kernel parameters as they were", async () => {
      const { kubectl, lab: machines, imageFiles } = lab();
      const node = await machines.addMachine("node-4", imageFiles);
      await node.execute("sysctl", ["-qw", "net.ipv4.ip_forward=0"]);
      const look = () => readMachineNetwork((program, args) => node.execute(program, args));
      const before = await look();
      await machines.join(node);
      await kubectl.run("wait", "--for=create", "node/node-4", "--timeout=60s");
      await kubectl.run("wait", "--for=condition=Ready", "node/node-4", "--timeout=120s");
      await kubectl.apply(
        echoPod("leaving", { node: "node-4", namespace: NAMESPACE }).replace(
          "containerPort: 80, protocol: TCP",
          "containerPort: 80, hostPort: 8181, protocol: TCP",
        ),
      );
      await lab().ready("app=leaving", NAMESPACE);
      expect(await node.execute("sysctl", ["-n", "net.ipv4.ip_forward"])).toBe("1\n");
      expect(await node.uninstall()).toContain('removed the node "node-4"');
      expect(await look()).toEqual(before);
      await kubectl.run("delete", "node", "node-4");
      await waitFor("node-1 to forget the way", async () => !("node-4" in (await pathsOf("node-1"))));
    });
  });
}

const bridgeOf = ({ instance }: LabNode) => `hearth-${instance}`.slice(0, 15);

/** For a machine without tools of its own: prints what port 80 of an address says. */
const READ_ALL = 'require("net").connect(80, process.argv[1]).on("error", (e) => { throw e; }).pipe(process.stdout)';
