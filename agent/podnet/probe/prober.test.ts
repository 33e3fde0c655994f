import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseCidr } from "../../../shared/api/ip.ts";
import { type Clock, systemClock } from "../../clock/index.ts";
import { decidePaths } from "../decide-paths.ts";
import { vxlanId } from "../names.ts";
import { type Peer, peerOf } from "../peer.ts";
import { encodeProbe, PROBE_PORT, type ProbeMessage, parseProbe } from "./message.ts";
import { Prober } from "./prober.ts";

const LINK = `hpp${process.pid}`.slice(0, 15);
const ip = (...args: string[]) => {
  const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
};
/** Four times as fast. */
const clock: Clock = {
  nowMs: () => 4 * performance.now(),
  sleep: (ms, signal) => systemClock.sleep(ms / 4, signal),
};
const node = (name: string, address: string, cidr: string): Peer =>
  peerOf({ metadata: { name }, spec: { podCIDRs: [cidr] }, status: { addresses: [{ type: "InternalIP", address }] } });
/** Of this run alone: several may go on at one time. */
const THIRD = 4 * (process.pid % 60);
const NODES = {
  a: node("a", `198.19.${THIRD + 2}.1`, `198.19.${THIRD}.0/24`),
  b: node("b", `198.19.${THIRD + 2}.2`, `198.19.${THIRD + 1}.0/24`),
};
type Name = keyof typeof NODES;

/** Two agents on one machine, which has the addresses of both; what is routed between them is local. */
describe.skipIf(process.getuid?.() !== 0)("two probers (as root)", () => {
  let stopping = new AbortController();
  beforeAll(() => {
    ip("link", "add", LINK, "type", "bridge");
    ip("link", "set", LINK, "up");
    // The first ones of the ranges stand for those of the overlay, which carries nothing here.
    for (const address of [
      `198.19.${THIRD + 2}.1`,
      `198.19.${THIRD + 2}.2`,
      `198.19.${THIRD}.0`,
      `198.19.${THIRD}.1`,
      `198.19.${THIRD + 1}.0`,
      `198.19.${THIRD + 1}.1`,
    ]) {
      ip("address", "add", `${address}/32`, "dev", LINK);
    }
  });
  afterEach(() => {
    stopping.abort();
    stopping = new AbortController();
  });
  afterAll(() => void spawnSync("ip", ["link", "delete", LINK]));

  function start(remembered: string[] = []) {
    const probers = {} as Record<Name, Prober>;
    let look = () => {};
    /** @param isAskedFor the other one says that it does not reach this one */
    const follow = async (name: Name, isAskedFor = false) => {
      const other = name === "a" ? NODES.b : NODES.a;
      const { failing } = probers[name];
      const links = [
        {
          name: LINK,
          mtu: 1500,
          isEthernet: true,
          addresses: [parseCidr(name === "a" ? `198.19.${THIRD + 2}.1/30` : `198.19.${THIRD + 2}.2/30`)!],
        },
      ];
      const paths = decidePaths({ self: NODES[name], peers: [other], links, failing });
      const around = {
        ready: new Set([other.name]),
        askedFor: new Set(isAskedFor ? [other.name] : []),
        clusterUid: "u",
      };
      await probers[name].follow({ self: NODES[name], peers: [other], paths, ...around });
      kinds[name] = paths[0]!.kind;
      look();
    };
    const kinds: Partial<Record<Name, string>> = {};
    for (const name of ["a", "b"] as const) {
      probers[name] = new Prober({
        ...{ clock, signal: stopping.signal },
        sendByRelay: (to, bytes) => setImmediate(() => probers[to as Name].receiveByRelay(name, bytes)),
        onChange: () => void follow(name),
      });
      probers[name].remember(new Set(remembered));
      expect([...probers[name].failing]).toEqual(remembered);
      void probers[name].run();
      void follow(name);
    }
    const until = async (condition: () => boolean) => {
      while (!condition())
        await Promise.race([new Promise<void>((resolve) => (look = resolve)), systemClock.sleep(50)]);
    };
    return { probers, kinds, until, follow };
  }

  it("reach each other by the address of the bridge; when that is gone they agree on the relay, and back", async () => {
    const { probers, kinds, until, follow } = start();
    await until(() => kinds.a === "direct" && kinds.b === "direct");
    expect([...probers.a.failing, ...probers.a.silent, probers.a.needsRelay]).toEqual([false]);
    ip("address", "delete", `198.19.${THIRD + 1}.1/32`, "dev", LINK);
    await follow("a", true);
    await until(() => kinds.a === "relayed" && kinds.b === "relayed");
    expect([...probers.a.failing].sort()).toEqual(["b/direct4", "b/vxlan4"]);
    expect(probers.a.needsRelay).toBe(true);
    ip("address", "add", `198.19.${THIRD + 1}.1/32`, "dev", LINK);
    await until(() => kinds.a === "direct" && kinds.b === "direct");
    await until(() => !probers.a.needsRelay && !probers.b.needsRelay);
  }, 30_000);

  it("what was remembered counts until it is known otherwise", async () => {
    const { probers, kinds, until } = start(["b/direct4", "b/vxlan4"]);
    await until(() => kinds.a === "direct");
    expect(probers.a.failing.size).toBe(0);
  }, 30_000);

  it("answer those that they know, of their own cluster, and nobody else", async () => {
    const { probers, kinds, until } = start();
    await until(() => kinds.a === "direct" && kinds.b === "direct");
    await probers.b.clear(); // its addresses are free
    const heard: string[] = [];
    const at = async (address: string) => {
      const socket = createSocket("udp4").bind(PROBE_PORT, address);
      await once(socket, "listening");
      stopping.signal.addEventListener("abort", () => socket.close());
      socket.on("message", (bytes) => {
        const message = parseProbe(bytes);
        if (message?.type === "answer") heard.push(`${address} ${message.nonce}`);
      });
      return (way: ProbeMessage["way"], cluster: number, nonce: string) =>
        socket.send(
          encodeProbe({ type: "request", way, cluster, nonce: nonce.repeat(16) }),
          PROBE_PORT,
          `198.19.${THIRD + 2}.1`,
        );
    };
    ip("address", "replace", `198.19.${THIRD + 2}.3/32`, "dev", LINK);
    const [stranger, known] = await Promise.all([at(`198.19.${THIRD + 2}.3`), at(`198.19.${THIRD + 2}.2`)]);
    stranger("address", vxlanId("u"), "1");
    known("address", vxlanId("another"), "2");
    known("direct", vxlanId("u"), "3"); // not from its bridge
    known("address", vxlanId("u"), "4");
    await until(() => heard.length > 0);
    expect(heard).toEqual([`198.19.${THIRD + 2}.2 ${"4".repeat(16)}`]);
  }, 30_000);
});
