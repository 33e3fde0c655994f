import type { Log } from "../log/index.ts";
import { noteAnnounced } from "../node/index.ts";
import type { Announcement } from "./elect.ts";

/** What the announcer does to the machine. */
export interface Machine {
  /** Which addresses are ours, as the kernel remembers it. */
  readGuard(): Promise<string[]>;
  writeGuard(addresses: readonly string[]): Promise<void>;
  /** The interface that has each address. */
  addresses(): Promise<Map<string, string>>;
  interfaceTowards(address: string): Promise<string>;
  claim(
    address: string,
    device: string,
    options: { isNew: boolean; isLeased: boolean; isChecked: boolean },
  ): Promise<void>;
  withdraw(address: string, device: string): Promise<void>;
  isAnsweredByOther(address: string, device: string): Promise<boolean>;
  /** Settles when the neighbours know; nobody waits for it. */
  tellNeighbours(address: string, device: string): Promise<void>;
}

export interface AnnouncerOptions {
  machine: Machine;
  /** Undefined while the objects are not known. */
  wanted(): Announcement[] | undefined;
  /** Whether `wanted` is from what the API says now, so that others see the same. */
  isCurrent(): boolean;
  onTaken(announcement: Announcement): void;
  log: Log;
}

export interface Outcome {
  /** How many addresses are held. */
  held: number;
  /** Whether they must be renewed soon, or asked for again. */
  isPressing: boolean;
}

/**
 * Brings the machine to what is wanted. An address is guarded before it is there and until it is gone. What was elected by
 * objects that may be old is taken, and kept, only while nobody else answers there.
 */
export async function announce({
  machine,
  wanted,
  isCurrent,
  onTaken,
  log,
}: AnnouncerOptions): Promise<Outcome | undefined> {
  const announcements = wanted();
  if (!announcements) return undefined;
  const before = await machine.readGuard();
  if (announcements.length === 0 && before.length === 0) {
    noteAnnounced([]);
    return { held: 0, isPressing: false };
  }
  const present = await machine.addresses();
  const isSure = isCurrent();
  const taken = new Map<string, { announcement: Announcement; device: string; isNew: boolean }>();
  let hasYielded = false;
  for (const announcement of announcements) {
    const { address } = announcement;
    const isOurs = before.includes(address);
    const has = present.get(address);
    if (has && !isOurs) {
      log("warn", "an address of a load balancer is the machine's own: it is not announced", { address });
      continue;
    }
    try {
      const device = has ?? (await machine.interfaceTowards(address));
      if (!isSure && (await machine.isAnsweredByOther(address, device))) {
        hasYielded = true;
        log("warn", "another machine answers at an address: it is left to it", { address });
        continue;
      }
      taken.set(address, { announcement, device, isNew: !has });
    } catch (error) {
      hasYielded = true;
      log("warn", "an address cannot be announced", { address, error: String(error) });
    }
  }
  noteAnnounced([...before, ...taken.keys()]);
  const lost = before.filter((address) => !taken.has(address));
  await writeIfChanged(machine, before, [...before, ...taken.keys()]);
  for (const address of lost) {
    const device = present.get(address);
    if (device) await machine.withdraw(address, device);
    log("info", "an address is no longer announced", { address });
  }
  for (const [address, { announcement, device, isNew }] of taken) {
    const { hasRivals } = announcement;
    await machine.claim(address, device, { isNew, isLeased: hasRivals, isChecked: !isSure });
    if (!isNew) continue;
    log("info", "an address is announced", { address, device, service: announcement.service });
    onTaken(announcement);
    machine.tellNeighbours(address, device).catch((error: unknown) => {
      log("warn", "the neighbours could not be told of an address", { address, error: String(error) });
    });
  }
  await writeIfChanged(machine, [...new Set([...before, ...taken.keys()])].sort(), [...taken.keys()]);
  noteAnnounced(taken.keys());
  const isPressing = hasYielded || [...taken.values()].some(({ announcement }) => announcement.hasRivals);
  return { held: taken.size, isPressing };
}

async function writeIfChanged(machine: Machine, before: readonly string[], after: readonly string[]): Promise<void> {
  const addresses = [...new Set(after)].sort();
  if (addresses.join() !== before.join()) await machine.writeGuard(addresses);
}
