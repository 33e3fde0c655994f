/**
 * Announces the addresses of load balancers that come from a pool: of the nodes that could, one answers for each, as every
 * node finds out by itself from the objects that all see. Which Service has which address is the control plane's part
 * (controllers/service-lb), and where its packets go from here the service proxy's.
 */
import { announcedIps } from "../../shared/api/load-balancer.ts";
import type { Service } from "../../shared/api/types.ts";
import { createWake } from "../clock/index.ts";
import { keyOf } from "../informer/index.ts";
import type { NetworkContext } from "../network/index.ts";
import { noteAnnounced } from "../node/index.ts";
import { findProgram } from "../runtime/index.ts";
import { addressesOfMachine, withdraw } from "./addresses.ts";
import { announce } from "./announcer.ts";
import { decideAnnouncements } from "./elect.ts";
import { announcementEvents } from "./events.ts";
import { readGuard } from "./guard.ts";
import { thisMachine } from "./machine.ts";

/** A third of what a claim lasts. */
const RENEW_MS = 20_000;
/** What somebody took away by hand is put back. */
const REPAIR_MS = 60_000;
const RETRY_MS = 5_000;

/** A part of the node's network. What is announced stays when it stops, and lapses unless somebody renews it. */
export async function startAnnouncing(context: NetworkContext): Promise<{ stop(): Promise<void> }> {
  const { instance, nodeName, services, endpointSlices, nodes, tunnel, clock, log, signal } = context;
  const balanced = new Map<string, Service>();
  const sets = [services, endpointSlices, nodes];
  const machine = thisMachine(instance, { clock, signal });
  const tell = announcementEvents(context);
  const options = {
    machine,
    wanted: () =>
      sets.every((set) => set.isKnown())
        ? decideAnnouncements({
            nodeName,
            services: [...balanced.values()],
            endpointSlices: balanced.size > 0 ? endpointSlices.list() : [],
            nodes: nodes.list(),
          })
        : undefined,
    isCurrent: () => tunnel.isConnected && sets.every((set) => set.isSynced()),
    onTaken: tell,
    log,
  };

  const wake = createWake();
  const take = (key: string) => {
    const service = services.get(key);
    if (service && announcedIps(service).length > 0) balanced.set(key, service);
    else balanced.delete(key);
  };
  for (const service of services.list()) take(keyOf(service));
  services.onChange((keys) => {
    const before = balanced.size;
    for (const key of keys) take(key);
    if (before + balanced.size > 0 || keys.size === 0) wake.notify();
  });
  for (const set of [endpointSlices, nodes])
    set.onChange((keys) => {
      if (balanced.size > 0 || keys.size === 0) wake.notify();
    });

  async function run(): Promise<void> {
    while (!signal.aborted) {
      /** Until the next look without a change; undefined: there is nothing to look after. */
      let restMs: number | undefined = RETRY_MS;
      try {
        const outcome = await announce(options);
        restMs =
          !outcome || outcome.held + Number(outcome.isPressing) === 0
            ? undefined
            : outcome.isPressing
              ? RENEW_MS
              : REPAIR_MS;
      } catch (error) {
        if (!signal.aborted)
          log("error", "addresses of load balancers could not be announced", { error: String(error) });
      }
      await wake.wait(restMs, clock, signal);
    }
  }
  const running = run();
  return { stop: () => running };
}

/** Learns, as the agent starts, which of the machine's addresses are load balancers': before it tells its own. */
export async function rememberAnnounced(instance: string): Promise<void> {
  noteAnnounced(await readGuard(instance).catch(() => []));
}

/** For when the node goes: takes every announced address off the machine. */
export async function withdrawAll(instance: string): Promise<void> {
  if (!findProgram("nft")) return; // nor can it have announced any
  const present = await addressesOfMachine();
  for (const address of await readGuard(instance)) {
    const device = present.get(address);
    if (device) await withdraw(address, device);
  }
}
