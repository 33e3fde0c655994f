import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseCidr, parseIp } from "../../shared/api/ip.ts";
import { decidePaths } from "./decide-paths.ts";
import { carryOut, readActual, readLinks } from "./kernel.ts";
import { RELAY_ADDRESS, RELAY_SOURCE } from "./names.ts";
import { peerOf } from "./peer.ts";
import { type Actual, decideCommands, renderPlan } from "./plan.ts";
import { restoreSysctls, setSysctls } from "./sysctl.ts";

const LINK = `hpn${process.pid}`.slice(0, 15);
const OVERLAY = `hpv${process.pid}`.slice(0, 15);
const RELAY = `hpr${process.pid}`.slice(0, 15);
/** Of this run alone: several may go on at one time. */
const PORTS = { agent: 50_000 + 2 * (process.pid % 5_000), kernel: 50_001 + 2 * (process.pid % 5_000) };
const OURS = { overlays: [OVERLAY, RELAY], protocol: 95 };
const peer = (name: string, address: string, podCIDRs: string[]) => ({
  ...peerOf({ metadata: { name }, spec: { podCIDRs }, status: { addresses: [{ type: "InternalIP", address }] } }),
  wireguard: { without: "this kernel has none" },
});
const self = peer("a", "198.18.77.1", ["198.18.78.0/24", "fd77:0:0:a::/64"]);
const near = peer("b", "198.18.77.2", ["198.18.79.0/24"]);
const far = peer("c", "203.0.113.9", ["198.18.80.0/24", "fd77:0:0:c::/64"]);

const ip = (...args: string[]) => {
  const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
};

describe.skipIf(process.getuid?.() !== 0)("the kernel (as root)", { timeout: 60_000 }, () => {
  beforeEach(() => {
    ip("link", "add", LINK, "type", "bridge");
    ip("address", "add", "198.18.77.1/24", "dev", LINK);
    ip("link", "set", LINK, "up");
  });
  afterEach(() => {
    for (const name of [LINK, OVERLAY, RELAY]) spawnSync("ip", ["link", "delete", name]);
  });

  /** @returns how many steps it took */
  async function apply(peers: (typeof near)[], failing: ReadonlySet<string> = new Set()): Promise<number> {
    const links = await readLinks((name) => OURS.overlays.includes(name));
    const paths = decidePaths({ self, peers, links, failing });
    const plan = renderPlan({
      ...{ self, paths, clusterUid: `u${process.pid}`, overlay: { name: OVERLAY, mtu: 1450 } },
      relay: { name: RELAY, mtu: 1500, ports: PORTS },
    });
    const commands = decideCommands(plan, await readActual(OURS), OURS);
    await carryOut(commands);
    return Object.values(commands).flat().length;
  }
  const routes = ({ routes }: Actual) => routes.map(({ to, via }) => `${to} ${via}`);

  it("has what a plan says, in both families; what is there takes no step, what is taken away comes back", async () => {
    expect(await readLinks(() => false)).toContainEqual({
      ...{ name: LINK, mtu: 1500, isEthernet: true, addresses: [parseCidr("198.18.77.1/24")] },
    });
    expect(await apply([near, far])).toBeGreaterThan(8);
    expect(routes(await readActual(OURS)).sort()).toEqual([
      "198.18.79.0/24 198.18.77.2",
      "198.18.80.0/24 198.18.80.0",
      expect.stringMatching(/^fd77:0:0:c::\/64 fe80::/),
    ]);
    expect(await apply([near, far])).toBe(0);
    ip("route", "delete", "198.18.79.0/24");
    expect(await apply([near, far])).toBe(1);
    ip("link", "delete", OVERLAY);
    expect(await apply([near, far])).toBeGreaterThan(6);
    expect(await apply([near, far])).toBe(0);
    expect(await apply([near])).toBeGreaterThan(0);
    expect(await readActual(OURS)).toEqual({
      routes: [{ to: "198.18.79.0/24", via: "198.18.77.2", dev: LINK }],
      overlays: {},
    });
    await apply([]);
    expect(await readActual(OURS)).toEqual({ routes: [], overlays: {} });
  });

  it("a node that moves from the LAN to behind a router is reached there, and on the LAN when it is back", async () => {
    ip("address", "add", "fd77:1::1/64", "dev", LINK, "nodad");
    const onLan = { ...far, addresses: ["198.18.77.3", "fd77:1::3"].map((address) => parseIp(address)!) };
    const direct = ["198.18.80.0/24 198.18.77.3", "fd77:0:0:c::/64 fd77:1::3"];
    await apply([onLan]);
    expect(routes(await readActual(OURS)).sort()).toEqual(direct);
    await apply([far]);
    expect(routes(await readActual(OURS)).sort()).toEqual([
      "198.18.80.0/24 198.18.80.0",
      expect.stringMatching(/^fd77:0:0:c::\/64 fe80::/),
    ]);
    await apply([onLan]);
    expect(routes(await readActual(OURS)).sort()).toEqual(direct);
  });

  it("leads packets to the agent where no way carries them, and none to the device while it has a way", async () => {
    const failing = new Set(["b/direct4", "b/vxlan4"]);
    expect(await apply([near], failing)).toBeGreaterThan(8);
    expect(await apply([near], failing)).toBe(0);
    const actual = await readActual(OURS);
    expect(routes(actual).sort()).toEqual(["198.18.79.0/24 198.18.79.0", "198.18.79.1/32 198.18.77.2"]);
    const agent = createSocket("udp4");
    const heard = once(agent.bind(PORTS.agent, RELAY_ADDRESS), "message");
    await once(agent, "listening");
    const sender = createSocket("udp4").unref();
    sender.send("hello", 9, "198.18.79.7");
    const [frame, from] = (await heard) as [Buffer, { address: string; port: number }];
    expect(from).toMatchObject({ address: RELAY_SOURCE, port: PORTS.agent });
    expect(frame.subarray(-5).toString()).toBe("hello");
    agent.close();
    sender.close();
    ip("link", "delete", RELAY);
    expect(await apply([near], failing)).toBeGreaterThan(5);
    expect(await apply([near])).toBe(4);
    expect((await readActual(OURS)).overlays).toEqual({});
  });

  it("a step that fails is told, and the others are taken", async () => {
    const wrong = {
      devices: [],
      forwarding: [],
      routes: [
        "route replace 198.18.82.0/24 via 203.0.113.250 proto 95",
        `route replace 198.18.81.0/24 dev ${LINK} proto 95`,
      ],
    };
    await expect(carryOut(wrong)).rejects.toThrow(/Nexthop has invalid gateway|unreachable/);
    expect(routes(await readActual(OURS))).toEqual(["198.18.81.0/24 undefined"]);
  });

  it("parameters are put back to what they were at first", async () => {
    const stateDir = mkdtempSync(join(tmpdir(), "sysctls-"));
    const name = `net/ipv4/conf/${LINK}/rp_filter`;
    const read = () => readFileSync(`/proc/sys/${name}`, "utf8").trim();
    const before = read();
    for (const value of ["1", "2"]) await setSysctls(stateDir, { [name]: value });
    expect(read()).toBe("2");
    expect(await setSysctls(stateDir, { "net/ipv4/conf/none0/rp_filter": "1" })).toEqual([
      "net/ipv4/conf/none0/rp_filter",
    ]);
    await restoreSysctls(stateDir);
    expect(read()).toBe(before);
    rmSync(stateDir, { recursive: true });
  });
});
