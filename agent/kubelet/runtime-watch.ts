import { type CriClient, isCriUnavailable, isCriUnimplemented } from "../cri/index.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import * as names from "./names.ts";
import { fingerprints, type RuntimeSnapshot, snapshotRuntime } from "./observe.ts";

/** How soon an exit is noticed when the runtime sends no events (containerd before 1.7). */
const RELIST_MS = 1_000;
/** For a moment after each change: init containers and short jobs come one after the other. */
const RELIST_BUSY_MS = 250;
const BUSY_MS = 5_000;
/** With events a relist only mends what was missed. */
const RELIST_WITH_EVENTS_MS = 60_000;
const EVENTS_RETRY_MS = 5_000;

/**
 * Tells which pods have changed in the runtime, until the signal is aborted. While the runtime is away it says nothing;
 * when it is back, the next relist tells what has changed meanwhile.
 */
export async function watchRuntime({
  cri,
  clock,
  log,
  signal,
  onChange,
  onSnapshot,
}: {
  cri: CriClient;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** @param fingerprint what the runtime has of the pod now; undefined if only that something happened is known */
  onChange: (uid: string, fingerprint?: string) => void;
  onSnapshot: (snapshot: RuntimeSnapshot) => void;
}): Promise<void> {
  let hasEvents = false;
  let known = new Map<string, string>();
  let isAway = false;
  let changedMs = 0;

  const events = followEvents({
    cri,
    clock,
    log,
    signal,
    onChange,
    onStream: (open) => {
      hasEvents = open;
    },
  });
  while (!signal.aborted) {
    try {
      const snapshot = await snapshotRuntime(cri);
      if (isAway) log("info", "the container runtime is back");
      isAway = false;
      const current = fingerprints(snapshot);
      for (const uid of new Set([...current.keys(), ...known.keys()])) {
        if (current.get(uid) === known.get(uid)) continue;
        changedMs = clock.nowMs();
        onChange(uid, current.get(uid) ?? "");
      }
      known = current;
      onSnapshot(snapshot);
    } catch (error) {
      if (!isAway) log("warn", "the container runtime does not answer", { error: String(error) });
      isAway = true;
    }
    const isBusy = clock.nowMs() - changedMs < BUSY_MS;
    await clock.sleep(hasEvents && !isAway ? RELIST_WITH_EVENTS_MS : isBusy ? RELIST_BUSY_MS : RELIST_MS, signal);
  }
  await events;
}

async function followEvents({
  cri,
  clock,
  log,
  signal,
  onChange,
  onStream,
}: {
  cri: CriClient;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  onChange: (uid: string) => void;
  onStream: (open: boolean) => void;
}): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of cri.containerEvents(signal)) {
        onStream(true);
        const uid = event.podSandboxStatus?.metadata.uid ?? event.containersStatuses[0]?.labels[names.POD_UID_LABEL];
        if (uid) onChange(uid);
      }
    } catch (error) {
      if (isCriUnimplemented(error)) return;
      if (!isCriUnavailable(error)) log("debug", "the runtime's event stream broke", { error: String(error) });
    }
    onStream(false);
    await clock.sleep(EVENTS_RETRY_MS, signal);
  }
}
