import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WireGuardDevice } from "./config.ts";
import { WireGuard } from "./wireguard.ts";

/*
 * The steps by which the device is made, with programs that stand in for `ip` and `wg`: most machines' kernels have no
 * WireGuard. What the true ones make of them is tried in the virtual machine (test/vm/sites.test.ts).
 */

// Each step is a program: on a busy machine they take their time.
vi.setConfig({ testTimeout: 60_000 });

/** Knows of one device, writes down what it is asked to change, and refuses what a file `refuse-<word>` says. */
const IP = `#!/bin/sh
cd "$(dirname "$0")"
refuse() { if [ -f "refuse-$1" ]; then cat "refuse-$1" >&2; exit 2; fi; }
case "$*" in
  "-json link show dev "* | "-json address show dev "*)
    [ -f device ] || exit 1
    cat device ;;
  *)
    echo "ip $*" >> steps
    case "$*" in
      "link add "*) refuse add; echo '[{"ifname":"hearthw-x","mtu":1420,"flags":[],"addr_info":[]}]' > device ;;
      "link delete "*) rm -f device dump ;;
      *" up") refuse up; echo '[{"ifname":"hearthw-x","mtu":1420,"flags":["UP"],"addr_info":[{"local":"10.244.0.0","prefixlen":32,"scope":"global"}]}]' > device ;;
      *batch*) cat >> steps ;;
    esac ;;
esac
`;
/** Has what it was given last; `dump` is what a test makes it say. */
const WG = `#!/bin/sh
cd "$(dirname "$0")"
case "$1" in
  show) if [ -f dump ]; then cat dump; else printf '(none)\\t(none)\\t0\\toff\\n'; fi ;;
  *) echo "wg $1 $2" >> steps; cp "$3" given; stat -c %a "$3" > given-mode ;;
esac
`;

const DEVICE: WireGuardDevice = {
  ...{ name: "hearthw-x", mtu: 1420, addresses: ["10.244.0.0/32"], listenPort: 51_820 },
  peers: [
    {
      ...{ node: "cloud", publicKey: `${"b".repeat(42)}A=`, endpoint: "203.0.113.9:51820" },
      ...{ allowedIps: ["10.244.1.0/24"], keepaliveSeconds: 25 },
    },
  ],
};

let dir = "";
let programs = "";
let wireguard: WireGuard;
const create = () => new WireGuard({ name: "hearthw-x", stateDir: dir, log: () => undefined });
const read = (name: string) => readFile(join(programs, name), "utf8").catch(() => "");
const steps = async () => {
  const lines = (await read("steps")).split("\n").filter(Boolean);
  await rm(join(programs, "steps"), { force: true });
  return lines;
};
/** As the kernel would tell it. */
const dumpOf = (privateKey: string, port: number) =>
  `${privateKey}\t(public)\t${port}\toff\n${DEVICE.peers[0]!.publicKey}\t(none)\t203.0.113.9:51820\t10.244.1.0/24\t0\t0\t0\t25\n`;
const keyFile = () => join(dir, "wireguard/private.key");

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "hearth-wireguard-"));
  programs = join(dir, "programs");
  await mkdir(programs);
  for (const [name, text] of Object.entries({ ip: IP, wg: WG })) {
    await writeFile(join(programs, name), text);
    await chmod(join(programs, name), 0o755);
  }
  vi.stubEnv("PATH", `${programs}:${process.env["PATH"]}`);
  wireguard = create();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

describe("this node's end", () => {
  it("is a key of its own, and a device that can be made", async () => {
    const end = await wireguard.ownEnd();
    expect(end).toEqual({ publicKey: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/), port: 51_820 });
    expect(await steps()).toEqual(["ip link add name hearthw-x type wireguard", "ip link delete dev hearthw-x"]);
    expect(await wireguard.ownEnd()).toEqual(end);
    expect(await create().ownEnd()).toEqual(end);
  });

  it.each([
    { words: "Error: Unknown device type.", without: "this node's kernel has no WireGuard" },
    { words: "RTNETLINK answers: Operation not supported", without: "this node's kernel has no WireGuard" },
    {
      words: "RTNETLINK answers: Operation not permitted",
      without: "this node cannot make a WireGuard device (ip: RTNETLINK answers: Operation not permitted)",
    },
  ])("is none where the kernel says: $words", async ({ words, without }) => {
    await writeFile(join(programs, "refuse-add"), words);
    expect(await wireguard.ownEnd()).toEqual({ without });
    await rm(join(programs, "refuse-add"));
    expect(await wireguard.ownEnd()).toHaveProperty("publicKey");
  });

  it("has another key when its file was removed", async () => {
    const first = await wireguard.ownEnd();
    await rm(keyFile());
    expect(await wireguard.ownEnd()).not.toEqual(first);
  });
});

describe("the device", () => {
  it("is made, given its peers by a file that nobody else can read, and then left alone", async () => {
    await wireguard.ownEnd();
    await steps();
    await wireguard.carryOut(DEVICE);
    expect(await steps()).toEqual([
      "ip link add name hearthw-x type wireguard",
      "wg syncconf hearthw-x",
      "ip -force -batch -",
      "link set dev hearthw-x mtu 1420",
      "link set dev hearthw-x addrgenmode none",
      "address replace 10.244.0.0/32 dev hearthw-x",
      "ip link set dev hearthw-x up",
    ]);
    const privateKey = (await readFile(keyFile(), "utf8")).trim();
    expect(await read("given")).toContain(`PrivateKey = ${privateKey}\nListenPort = 51820\n`);
    expect(await read("given-mode")).toBe("600\n");
    await expect(stat(join(dir, "wireguard/device.conf"))).rejects.toThrow("ENOENT");
    await writeFile(join(programs, "dump"), dumpOf(privateKey, 51_820));
    await wireguard.carryOut(DEVICE);
    expect(await steps()).toEqual([]);
  });

  it("gets another key, and what somebody took from it, and nothing more", async () => {
    await wireguard.ownEnd();
    await wireguard.carryOut(DEVICE);
    const privateKey = (await readFile(keyFile(), "utf8")).trim();
    await steps();
    await rm(keyFile());
    await wireguard.ownEnd();
    await writeFile(join(programs, "dump"), dumpOf(privateKey, 51_820));
    await wireguard.carryOut(DEVICE);
    expect(await steps()).toEqual(["wg syncconf hearthw-x"]);
    expect(await read("given")).not.toContain(privateKey);
  });

  it("listens on the next port when somebody has the first, also after a restart", async () => {
    await wireguard.ownEnd();
    await writeFile(join(programs, "refuse-up"), "RTNETLINK answers: Address already in use");
    await expect(wireguard.carryOut(DEVICE)).rejects.toThrow("Address already in use");
    expect(await wireguard.ownEnd()).toMatchObject({ port: 51_821 });
    await rm(join(programs, "refuse-up"));
    const again = create();
    expect(await again.ownEnd()).toMatchObject({ port: 51_821 });
    await again.carryOut({ ...DEVICE, listenPort: 51_821 });
    expect(await read("given")).toContain("ListenPort = 51821\n");
  });

  it("goes when nothing needs it, once", async () => {
    await wireguard.ownEnd();
    await wireguard.carryOut(DEVICE);
    await steps();
    await wireguard.carryOut(undefined);
    expect(await steps()).toEqual(["ip link delete dev hearthw-x"]);
    await wireguard.carryOut(undefined);
    expect(await steps()).toEqual([]);
  });
});
