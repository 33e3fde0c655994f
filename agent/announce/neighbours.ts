import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "../clock/index.ts";
import { findProgram } from "../runtime/index.ts";

const exec = promisify(execFile);

/** How often neighbours are told, once a second: a switch may miss one, and Linux takes no second change within a second. */
const TIMES = 3;
const PROBES = 2;
const TIMEOUT_MS = 10_000;
const DISCARD_PORT = 9;

/**
 * Tells the neighbours that an IPv4 address is here now (gratuitous ARP). Without `arping` (of iputils or busybox) a datagram
 * is sent from it to a neighbour that does not exist: the kernel asks for that one with a broadcast that names the address
 * as its sender, which neighbours learn from all the same (RFC 826).
 * @param neighbour an address of the interface's network that nobody has
 * @throws Error if it could not be sent
 */
export async function tellNeighbours(
  { address, device, neighbour }: { address: string; device: string; neighbour: string | undefined },
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const arping = findProgram("arping");
  if (arping) {
    await exec(arping, ["-U", "-q", "-c", String(TIMES), "-w", String(TIMES + 1), "-I", device, address], {
      timeout: TIMEOUT_MS,
      signal,
    });
    return;
  }
  if (!neighbour) throw new Error(`nobody can be told of ${address}: arping is missing (package iputils-arping)`);
  for (let i = 0; i < TIMES && !signal.aborted; i++) {
    await sendDatagram(address, neighbour);
    await clock.sleep(1000, signal);
  }
}

async function sendDatagram(from: string, to: string): Promise<void> {
  const socket = createSocket("udp4");
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once("error", reject);
    socket.bind({ address: from, port: 0, exclusive: true }, () => {
      socket.send("", DISCARD_PORT, to, (error) => (error ? reject(error) : resolve()));
    });
    await promise;
  } finally {
    socket.close();
  }
}

/** Whether another machine answers at an IPv4 address. Nobody is known to where there is no `arping`. */
export async function isAnsweredByOther(address: string, device: string): Promise<boolean> {
  const arping = findProgram("arping");
  if (!arping || address.includes(":")) return false;
  try {
    await exec(arping, ["-D", "-q", "-c", String(PROBES), "-w", String(PROBES + 1), "-I", device, address], {
      timeout: TIMEOUT_MS,
    });
    return false;
  } catch (error) {
    if ((error as { code?: unknown }).code === 1) return true;
    throw error;
  }
}

/** The kernel takes an address up a moment after it was told of it. */
const TAKEN_UP_MS = 300;

/**
 * Has the kernel tell the neighbours of an IPv6 address that `action` puts on an interface (an unsolicited neighbour
 * advertisement), and not ask first whether somebody has it: whoever had it may still answer. Settings are as before
 * afterwards.
 */
export async function withAdvertisement(device: string, clock: Clock, action: () => Promise<void>): Promise<void> {
  const settings = { accept_dad: "0", ndisc_notify: "1" };
  const before = new Map<string, string>();
  try {
    for (const [name, value] of Object.entries(settings)) {
      const file = `/proc/sys/net/ipv6/conf/${device}/${name}`;
      before.set(file, await readFile(file, "utf8"));
      await writeFile(file, value);
    }
    await action();
    await clock.sleep(TAKEN_UP_MS);
  } finally {
    for (const [file, value] of before) await writeFile(file, value);
  }
}
