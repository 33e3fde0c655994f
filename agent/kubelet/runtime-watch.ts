import type { Clock } from "../clock/index.ts";
import { createWake } from "../clock/index.ts";
import type { CriClient } from "../cri/index.ts";
import type { Log } from "../log/index.ts";
import { fingerprints, type RuntimeSnapshot, snapshotRuntime } from "./observe.ts";
import { decideRelistMs, SETTLE_MS } from "./relist-pace.ts";
import { followRuntimeEvents } from "./runtime-events.ts";

export interface RuntimeWatch {
  /** Asks the runtime now, not when it would be time to. */
  relist(): void;
  /** When the runtime last told all it has (epoch ms); undefined: not yet. */
  relistedMs(): number | undefined;
  /** Settles when the signal was aborted. */
  readonly finished: Promise<void>;
}

/**
 * Tells which pods have changed in the runtime, until the signal is aborted: by its events, and by what differs from one
 * list of everything to the next. While the runtime is away it says nothing; when it is back, the next relist tells what
 * has changed meanwhile.
 */
export function watchRuntime({
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
}): RuntimeWatch {
  const wake = createWake();
  let hasEvents = false;
  let known = new Map<string, string>();
  let isAway = false;
  let changedMs = 0;
  let relistedMs: number | undefined;
  /** When containers and sandboxes were said to have ended, until the lists say so. Bounded by what has just run. */
  const ending = new Map<string, number>();

  async function relist(): Promise<void> {
    const startedMs = clock.nowMs();
    try {
      const snapshot = await snapshotRuntime(cri);
      relistedMs = startedMs;
      if (isAway) log("info", "the container runtime is back");
      isAway = false;
      forgetEnded(ending, snapshot, clock.nowMs());
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
  }

  async function relistAgainAndAgain(): Promise<void> {
    while (!signal.aborted) {
      await relist();
      const nowMs = clock.nowMs();
      const [firstMs] = ending.values();
      const unsettledMs = firstMs === undefined ? undefined : nowMs - firstMs;
      const pauseMs = decideRelistMs({ hasEvents, isAway, unsettledMs, sinceChangeMs: nowMs - changedMs });
      await wake.wait(pauseMs, clock, signal);
    }
  }

  const events = followRuntimeEvents({
    ...{ cri, clock, log, signal },
    sink: {
      onPod: onChange,
      onExit(id) {
        ending.set(id, clock.nowMs());
        wake.notify();
      },
      onStream(isOpen) {
        hasEvents = isOpen;
        wake.notify();
      },
    },
  });
  return {
    relist: wake.notify,
    relistedMs: () => relistedMs,
    finished: Promise.all([relistAgainAndAgain(), events]).then(() => {}),
  };
}

/** Those that the runtime does not take for alive any more, or that it has been asked about long enough. */
function forgetEnded(ending: Map<string, number>, { sandboxes, containers }: RuntimeSnapshot, nowMs: number): void {
  if (ending.size === 0) return;
  const alive = new Set([
    ...sandboxes.filter(({ state }) => state === "SANDBOX_READY").map(({ id }) => id),
    ...containers.filter(({ state }) => state === "CONTAINER_RUNNING").map(({ id }) => id),
  ]);
  for (const [id, sinceMs] of ending) if (!alive.has(id) || nowMs - sinceMs > SETTLE_MS) ending.delete(id);
}
