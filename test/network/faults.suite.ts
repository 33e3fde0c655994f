import { beforeAll, describe, expect, it } from "vitest";
import type { Service } from "../../shared/api/types.ts";
import { waitFor } from "../harness/wait-for.ts";
import type { Kept } from "./caller/index.ts";
import type { NetworkLab } from "./network-lab.ts";
import { clusterIp, FAST_PORT, nodePort, type ServiceLab, service, slice } from "./service-lab/index.ts";

/** Within which rules are there again that somebody took away. */
const REPAIRED_MS = 10_000;
/** A table that is none of ours, with what looks like ours in it. */
const OTHERS = `
table ip others {
	map service-ips {
		type ipv4_addr . inet_proto . inet_service : verdict
	}

	chain services {
		type filter hook forward priority filter + 50; policy accept;
		ip daddr 203.0.113.7 counter packets 0 bytes 0 drop
	}
}
`;

/** Part of the suite of Services, with its lab; the last one, since it takes the control plane away for a while. */
export function describeServiceFaults(serviceLab: () => ServiceLab): void {
  describe("faults", () => {
    let lab: ServiceLab;
    let network: NetworkLab;
    /** To both pods' fast servers over TCP and UDP. */
    let web: Service;

    beforeAll(async () => {
      lab = serviceLab();
      network = lab.lab;
      const ports = (["TCP", "UDP"] as const).map((protocol) => ({ name: protocol.toLowerCase(), protocol }));
      web = await lab.createWithSlice(
        service("faults", {
          type: "NodePort",
          ports: ports.map((each) => ({ ...each, port: 90, targetPort: FAST_PORT })),
        }),
        slice(
          "faults",
          everyone(),
          ports.map((each) => ({ ...each, port: FAST_PORT })),
        ),
      );
      await lab.fence();
    });

    const endpoint = (pod: "web-1" | "web-2") => ({
      addresses: [lab.addresses[pod]],
      nodeName: pod.replace("web", "node"),
    });
    const everyone = () => [endpoint("web-1"), endpoint("web-2")];
    const at = () => ({ address: clusterIp(web), port: 90 });
    const nft = (...args: string[]) => network.node(1).execute("nft", args);
    const both = { "web-1": expect.any(Number), "web-2": expect.any(Number) };

    /** Not by asking: each connection that was begun without rules takes its port with it for two minutes. */
    const repaired = (what: string) =>
      waitFor(
        `${what} to be there again`,
        async () => {
          const isUsed = (await nft("list", "chain", "ip", "kube-proxy", "services")).includes("@service-ips");
          return isUsed && `${clusterIp(web)} tcp 90` in (await lab.map("service-ips"));
        },
        { timeoutMs: REPAIRED_MS },
      );

    it("rules that are taken away by hand come back; those of other programs stay as they are", async () => {
      await network.node(1).execute("sh", ["-c", `printf '%s' '${OTHERS}' | nft -f -`]);
      const others = await nft("list", "table", "ip", "others");
      const key = `{ ${clusterIp(web)} . tcp . 90 }`;
      const deeds: [what: string, ...args: string[]][] = [
        ["an entry", "delete", "element", "ip", "kube-proxy", "service-ips", key],
        ["the rules of a chain", "flush", "chain", "ip", "kube-proxy", "services"],
        ["the table", "delete", "table", "ip", "kube-proxy"],
      ];
      for (const [what, ...args] of deeds) {
        await nft(...args);
        await repaired(what);
        for (const from of [lab.pods["client-1"], lab.nodes[0]!]) {
          expect(await from.tally({ ...at(), count: 40 }), `${what} from ${from.name}`).toEqual(both);
        }
      }
      expect(await nft("list", "table", "ip", "others")).toBe(others);
      await nft("flush", "ruleset");
      await repaired("everything");
      await lab.fence();
      expect(await lab.pods["client-1"].tally({ ...at(), count: 40 })).toEqual(both);
    });

    it("an agent that is restarted cuts no connection, and new ones are made meanwhile", async () => {
      await network.node(1).execute("sh", ["-c", `printf '%s' '${OTHERS}' | nft -f -`]);
      const others = await nft("list", "table", "ip", "others");
      const throughNode1 = { address: network.node(1).address, port: nodePort(web) };
      const kept: [what: string, end: () => Promise<Kept>][] = [];
      for (const [from, target] of [
        [lab.pods["client-1"], at()],
        [lab.nodes[0]!, at()],
        [lab.outside, throughNode1],
      ] as const) {
        for (const how of ["stream", "knock"] as const) {
          kept.push([`${how} from ${from.name}`, await from.keep({ ...target, how, intervalMs: 10 })]);
        }
        kept.push([
          `datagrams from ${from.name}`,
          await from.keep({ ...target, protocol: "UDP", how: "knock", intervalMs: 10 }),
        ]);
      }
      await network.node(1).stopAgent();
      await network.node(1).startAgent();
      await lab.fence(); // what is asked for now is done by the new agent
      for (const [what, end] of kept) {
        const { sent, received, errors } = await end();
        expect(errors, what).toEqual({});
        expect(received, what).toBe(sent);
        expect(sent, what).toBeGreaterThan(100);
      }
      expect(await nft("list", "table", "ip", "others")).toBe(others);
      await nft("delete", "table", "ip", "others");
    });

    it("an endpoint that goes gets nothing new once its slice's change was taken up", async () => {
      const from = [lab.pods["client-1"], lab.pods["client-3"], lab.nodes[1]!, lab.outside];
      const target = (caller: (typeof from)[number]) =>
        caller === lab.outside ? { address: network.node(3).address, port: nodePort(web) } : at();
      // All the time, on a constant port too: its flow may not go on to the one that is gone.
      const knock = () =>
        Promise.all(
          from.flatMap((caller) => [
            caller.keep({ ...target(caller), how: "knock", intervalMs: 20 }),
            caller.keep({ ...target(caller), protocol: "UDP", localPort: 40_090, how: "knock", intervalMs: 20 }),
          ]),
        );
      for (const left of ["web-1", "web-2"] as const) {
        const before = await knock();
        await lab.patch(slice("faults", []), { endpoints: [endpoint(left)] });
        await lab.fence();
        await lab.fence(); // flows are forgotten at the end of a sync: before the next one
        await Promise.all(before.map((end) => end()));
        const after = await knock();
        await sleep(500);
        for (const [index, end] of after.entries()) {
          const { from: answerers, errors } = await end();
          const what = `${index % 2 === 0 ? "connections" : "datagrams"} from ${from[index >> 1]!.name}`;
          expect([Object.keys(answerers), errors], what).toEqual([[left], {}]);
        }
      }
      await lab.patch(slice("faults", []), { endpoints: everyone() });
      await lab.fence();
    });

    it("without a control plane Services work on, and an agent that starts meanwhile knows them", async () => {
      process.kill(network.cluster.controlPlanePid());
      try {
        await network.node(1).stopAgent();
        await nft("delete", "table", "ip", "kube-proxy");
        expect(await lab.pods["client-1"].ask({ ...at(), timeoutMs: 300 })).not.toMatch(/^web/);
        await network.node(1).startAgent();
        await repaired("the table without the API");
        for (const from of [lab.pods["client-1"], lab.pods["client-3"], ...lab.nodes]) {
          expect(await from.tally({ ...at(), count: 40 }), from.name).toEqual(both);
        }
      } finally {
        await network.cluster.up("--no-node");
      }
      await lab.fence();
      expect(await lab.pods["client-1"].tally({ ...at(), count: 40 })).toEqual(both);
    });
  });
}

const sleep = (ms: number) => new Promise<number>((resolve) => setTimeout(() => resolve(ms), ms));
