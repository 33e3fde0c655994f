import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATHS_ANNOTATION } from "../../agent/podnet/index.ts";
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
  });
}
