import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATHS_ANNOTATION, relayName } from "../../agent/podnet/index.ts";
import type { LabNode } from "../harness/lab.ts";
import { waitFor } from "../harness/wait-for.ts";
import { echoPod, type NetworkLab } from "./network-lab.ts";

const NAMESPACE = "relay";
const PODS = ["relay-one", "relay-two"] as const;
/** More than all queues and windows on the way hold. */
const BIG_BYTES = 3_000_000;

/** Nodes whose ways to each other a firewall closes, one after the other. */
export function describeRelay(lab: () => NetworkLab): void {
  describe("relay", () => {
    const addresses = new Map<string, string>();
    const pathOf = async (node: string, other: string): Promise<string> => {
      const found = JSON.parse(await lab().kubectl.run("get", "node", node, "-o", "json"));
      return JSON.parse(found.metadata.annotations?.[PATHS_ANNOTATION] ?? "{}")[other] ?? "";
    };
    /** Both nodes tell it so of each other. */
    const told = (one: string, other: string, words: RegExp) =>
      waitFor(`${one} and ${other} to say ${words}`, async () => {
        const both = await Promise.all([pathOf(one, other), pathOf(other, one)]);
        return both.every((each) => words.test(each));
      });
    const ask = (from: string, to: string) =>
      lab().inPod(from, `socat -T 3 -u TCP:${addresses.get(to)}:80,connect-timeout=3 -`, NAMESPACE);
    const askByUdp = (from: string, to: string) =>
      lab().inPod(from, `echo | socat -T 2 - UDP:${addresses.get(to)}:80`, NAMESPACE);
    /** As the switch has it in nft's words: frames between two machines, of what is given. */
    const between = async (one: LabNode, other: LabNode, what: string): Promise<string[]> => {
      const texts = await Promise.all(
        [one, other].map((node) => node.execute("ip", ["-json", "link", "show", "eth0"])),
      );
      const [a, b] = texts.map((text) => JSON.parse(text)[0].address);
      return [`ether saddr ${a} ether daddr ${b} ${what} drop`, `ether saddr ${b} ether daddr ${a} ${what} drop`];
    };

    beforeAll(async () => {
      const { kubectl } = lab();
      await kubectl.run("create", "namespace", NAMESPACE);
      await kubectl.apply(
        PODS.map((name, i) => echoPod(name, { node: `node-${i + 1}`, app: "relay", namespace: NAMESPACE })).join(""),
      );
      await lab().ready("app=relay", NAMESPACE);
      for (const name of PODS) {
        addresses.set(name, await kubectl.run("get", "pod", "-n", NAMESPACE, name, "-o", "jsonpath={.status.podIP}"));
      }
    }, 180_000);

    afterAll(async () => {
      await lab().lab.filter([]);
      await lab().kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
    });

    it("pods reach each other through the control plane while nothing else carries their packets, and the Node says so", async () => {
      const [one, two] = PODS;
      const [first, second, third] = lab().nodes as [LabNode, LabNode, LabNode];
      await told("node-1", "node-2", /^direct$/);
      // The first two are cut off from each other; the third one's network passes no addresses but the nodes' own.
      await lab().lab.filter([
        ...(await between(first, second, "")),
        ...(await between(first, third, "ip saddr 10.244.0.0/16")),
      ]);
      await Promise.all([
        told("node-1", "node-2", /^relayed: no packets get through by direct, vxlan$/),
        told("node-1", "node-3", /^vxlan$/),
      ]);
      expect(await Promise.all([ask(one, two), ask(two, one)])).toEqual([`${two}\n`, `${one}\n`]);
      for (const [from, to] of [PODS, PODS.toReversed()] as [string, string][]) {
        await waitFor("an answer by UDP", async () => (await askByUdp(from, to)) === `${to}\n`);
      }
      expect(await first.execute("ip", ["route", "get", addresses.get(two)!])).toContain(relayName(first.instance));

      const listen = lab().inPod(two, "socat -u TCP-LISTEN:8080 - | md5sum", NAMESPACE);
      const sent = await waitFor("a big transfer to begin", () =>
        lab()
          .inPod(
            one,
            `head -c ${BIG_BYTES} /dev/urandom > /tmp/big && socat -u OPEN:/tmp/big TCP:${addresses.get(two)}:8080,connect-timeout=3 && md5sum < /tmp/big`,
            NAMESPACE,
          )
          .catch(() => ""),
      );
      expect(await listen).toBe(sent);

      const { kubectl } = lab();
      const isDescribed = async (text: RegExp) => text.test(await kubectl.run("describe", "node", "node-1"));
      await waitFor("the event of the relay", () =>
        isDescribed(/PodNetworkRelayed .*Pods of other nodes are reached through the control plane, slowly: node-2/),
      );
      await lab().lab.filter([]);
      await Promise.all([told("node-1", "node-2", /^direct$/), told("node-1", "node-3", /^direct$/)]);
      expect(await ask(one, two)).toBe(`${two}\n`);
      await waitFor("the device of the relay to go", async () => {
        const links = await first.execute("ip", ["-brief", "link"]);
        return !links.includes(relayName(first.instance));
      });
      // By whichever way came back first.
      await waitFor("the event of its end", () => isDescribed(/PodNetworkNotRelayed .*node-2 \((direct|vxlan)\)/));
    }, 300_000);
  });
}
