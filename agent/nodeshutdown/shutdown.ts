import { messageOf } from "../../shared/message-of.ts";
import type { Pod } from "../api/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import type { Logind } from "./logind.ts";
import { groupByPriority, type PriorityPeriod, totalSeconds } from "./plan.ts";

/** What a pod's status says that was ended for it. */
export const SHUTDOWN_REASON = "Terminated";
export const SHUTDOWN_MESSAGE = "Pod was terminated in response to imminent node shutdown.";

const RECONNECT_MS = 1_000;
const MAX_RECONNECT_MS = 60_000;
/** How long logind is waited for to take a setting over. */
const OVERRIDE_CHECKS_MS = [100, 200, 400, 800, 1600];

export interface ShutdownSink {
  activePods(): Pod[];
  /** Settles when the pod's containers have ended. */
  end(pod: Pod, graceSeconds: number): Promise<void>;
  /** Told when a shutdown begins, before any pod is ended, and when it is called off. */
  onShutdown(isShuttingDown: boolean): void;
}

/**
 * Holds up the machine's shutdown while pods are ended, until the signal is aborted. Without systemd, or where it does
 * not let itself be held up for as long as pods need, that is told once, and tried again.
 */
export async function followShutdown({
  logind,
  periods,
  sink,
  clock,
  log,
  signal,
}: {
  logind: Logind;
  periods: readonly PriorityPeriod[];
  sink: ShutdownSink;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  if (periods.length === 0) return;
  let pauseMs = RECONNECT_MS;
  while (!signal.aborted) {
    let lock: { release(): Promise<void> } | undefined;
    try {
      await allowDelay(logind, totalSeconds(periods), clock, signal);
      lock = await logind.inhibit();
      const listensSinceMs = clock.nowMs();
      for await (const isShuttingDown of logind.shutdowns(signal)) {
        log("info", isShuttingDown ? "the machine is about to go down" : "the shutdown was called off");
        sink.onShutdown(isShuttingDown);
        if (isShuttingDown) {
          await endPods(periods, sink, { clock, log });
          await lock?.release();
          lock = undefined;
        } else {
          lock ??= await logind.inhibit();
        }
      }
      // One that is never told anything (the bus lets nobody listen, say) must not be started each second.
      if (!signal.aborted && clock.nowMs() - listensSinceMs < MAX_RECONNECT_MS) {
        throw new Error("the connection to logind has ended");
      }
      pauseMs = RECONNECT_MS;
    } catch (error) {
      if (pauseMs === RECONNECT_MS && !signal.aborted) {
        log("warn", "a shutdown of the machine will not wait for pods", { error: messageOf(error) });
      }
    } finally {
      await lock?.release().catch(() => {}); // it ends with us
    }
    await clock.sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, MAX_RECONNECT_MS);
  }
}

async function allowDelay(logind: Logind, seconds: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if ((await logind.maxDelayMs()) >= seconds * 1000) return;
  await logind.overrideMaxDelay(seconds);
  for (const waitMs of OVERRIDE_CHECKS_MS) {
    await clock.sleep(waitMs, signal);
    if ((await logind.maxDelayMs()) >= seconds * 1000) return;
  }
  throw new Error(`logind does not take over InhibitDelayMaxSec=${seconds}`);
}

/** One group after the other; one that takes longer than it has is not waited for. */
async function endPods(
  periods: readonly PriorityPeriod[],
  { activePods, end }: ShutdownSink,
  { clock, log }: { clock: Clock; log: Log },
): Promise<void> {
  for (const { waitSeconds, pods } of groupByPriority(periods, activePods())) {
    const timer = new AbortController();
    const ends = pods.map(({ pod, graceSeconds }) =>
      end(pod, graceSeconds).catch((error: unknown) => {
        log("error", "a pod cannot be ended", { pod: pod.metadata.name, error: messageOf(error) });
      }),
    );
    await Promise.race([Promise.all(ends), clock.sleep(waitSeconds * 1000, timer.signal)]);
    timer.abort();
  }
}
