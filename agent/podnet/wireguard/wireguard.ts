import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../shared/message-of.ts";
import { linkExists } from "../../cni/index.ts";
import type { Log } from "../../log/index.ts";
import { runProgram } from "../../programs/index.ts";
import { findProgram } from "../../runtime/index.ts";
import { writeFileAtomically } from "../../state/index.ts";
import { type ActualLink, readLink } from "../kernel.ts";
import { isInPlace, parseDump, renderConfig, type WireGuardDevice } from "./config.ts";
import { ensureKey, type KeyPair } from "./key.ts";

const runIp = (...args: string[]) => runProgram("ip", args);

/** In the state directory. */
const DIRECTORY = "wireguard";
/** Whoever removes it asks for a new one. */
export const KEY_FILE = "private.key";
/** The number of a port that was free, when the usual one was not. */
const PORT_FILE = "port";
const FIRST_PORT = 51_820;
const PORTS = 32;

export const wireGuardDir = (stateDir: string) => join(stateDir, DIRECTORY);

/** This node's end: what others have to know of it, or why there is none. */
export type OwnEnd = { publicKey: string; port: number } | { without: string };

/** The one place that touches WireGuard's device, by `ip` and `wg`. */
export class WireGuard {
  readonly #name: string;
  readonly #dir: string;
  readonly #log: Log;
  #isSupported = false;
  #key: KeyPair | undefined;
  #port: number | undefined;
  readonly #wasSet = new Map<string, string>();

  /** @param name of the device */
  constructor({ name, stateDir, log }: { name: string; stateDir: string; log: Log }) {
    this.#name = name;
    this.#dir = wireGuardDir(stateDir);
    this.#log = log;
  }

  /** Finds out whether the machine can have WireGuard, and makes the key if there is none. */
  async ownEnd(): Promise<OwnEnd> {
    if (!findProgram("wg")) return { without: "this node has no wg (of the package wireguard-tools)" };
    const without = await this.#tryDevice();
    if (without !== undefined) return { without };
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    this.#key = await ensureKey(join(this.#dir, KEY_FILE));
    this.#port ??= await this.#readPort();
    return { publicKey: this.#key.publicKey, port: this.#port };
  }

  /**
   * Takes the steps to what shall be; to no device at all if it is undefined. What is right is not touched.
   * @throws Error with the words of what failed
   */
  async carryOut(device: WireGuardDevice | undefined): Promise<void> {
    const found = await readLink(this.#name);
    if (!device || !this.#key) {
      if (found) await runIp("link", "delete", "dev", this.#name);
      this.#wasSet.clear();
      return;
    }
    if (!found) await runIp("link", "add", "name", this.#name, "type", "wireguard");
    await this.#configure(device, this.#key);
    await this.#setLink(device, found);
  }

  /** Whoever watches the directory has a new one made. */
  forgetKey = (): Promise<void> => rm(join(this.#dir, KEY_FILE), { force: true });

  async #configure(device: WireGuardDevice, { privateKey }: KeyPair): Promise<void> {
    const actual = parseDump(await runProgram("wg", ["show", this.#name, "dump"]));
    if (isInPlace(device, actual, { privateKey, wasSet: this.#wasSet })) return;
    this.#log("info", "WireGuard's peers change", {
      peers: device.peers.slice(0, 50).map(({ node, endpoint, allowedIps }) => ({ node, endpoint, allowedIps })),
      count: device.peers.length,
    });
    // A file: what stands on a pipe of ours cannot be opened by name, and arguments everybody may read.
    const file = join(this.#dir, "device.conf");
    await writeFileAtomically(file, renderConfig(device, privateKey));
    try {
      await this.#listening(() => runProgram("wg", ["syncconf", this.#name, file]));
    } finally {
      await rm(file, { force: true });
    }
    this.#wasSet.clear();
    for (const { publicKey, endpoint } of device.peers)
      if (endpoint !== undefined) this.#wasSet.set(publicKey, endpoint);
  }

  async #setLink({ mtu, addresses }: WireGuardDevice, found: ActualLink | undefined): Promise<void> {
    const name = this.#name;
    const lines = [
      ...(found?.mtu === mtu ? [] : [`link set dev ${name} mtu ${mtu}`]),
      ...(found ? [] : [`link set dev ${name} addrgenmode none`]),
      ...(found?.addresses ?? [])
        .filter((each) => !addresses.includes(each))
        .map((each) => `address delete ${each} dev ${name}`),
      ...addresses
        .filter((each) => !found?.addresses.includes(each))
        .map((each) => `address replace ${each} dev ${name}`),
    ];
    if (lines.length > 0) await runProgram("ip", ["-force", "-batch", "-"], { input: `${lines.join("\n")}\n` });
    if (!found?.isUp) await this.#listening(() => runIp("link", "set", "dev", name, "up"));
  }

  /** Somebody else's port is left to him: the next one is tried, and told to the others. */
  async #listening(action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (/Address already in use/.test(String(error))) {
        this.#port = FIRST_PORT + (((this.#port ?? FIRST_PORT) - FIRST_PORT + 1) % PORTS);
        await writeFileAtomically(join(this.#dir, PORT_FILE), `${this.#port}\n`);
      }
      throw error;
    }
  }

  async #readPort(): Promise<number> {
    const port = Number(await readFile(join(this.#dir, PORT_FILE), "utf8").catch(() => ""));
    return Number.isInteger(port) && port >= FIRST_PORT && port < FIRST_PORT + PORTS ? port : FIRST_PORT;
  }

  /** The kernel loads its module when it is first asked for a device. @returns why there can be none */
  async #tryDevice(): Promise<string | undefined> {
    if (this.#isSupported) return undefined;
    if (!(await linkExists(this.#name))) {
      try {
        await runIp("link", "add", "name", this.#name, "type", "wireguard");
        await runIp("link", "delete", "dev", this.#name);
      } catch (error) {
        if (/Unknown device type|not supported/.test(String(error))) return "this node's kernel has no WireGuard";
        return `this node cannot make a WireGuard device (${messageOf(error).slice(0, 100)})`;
      }
    }
    this.#isSupported = true;
    return undefined;
  }
}
