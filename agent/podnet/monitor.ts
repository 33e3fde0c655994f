import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import { followProgram } from "../programs/index.ts";

const RESTART_MS = 10_000;

/**
 * Tells of every change that the kernel reports of links, addresses and routes, so that what was taken away by hand is
 * back in a moment. Pods' own interfaces come and go; they are passed over. Ends with the signal.
 */
export function watchKernel({
  clock,
  log,
  signal,
  onChange,
}: {
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  onChange(): void;
}): void {
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await runMonitor(signal, onChange).catch((error: unknown) => {
        log("warn", "the kernel's changes cannot be watched; the network is looked at from time to time", {
          error: String(error),
        });
      });
      await clock.sleep(RESTART_MS, signal);
      if (!signal.aborted) onChange(); // what it missed
    }
  };
  void watch();
}

async function runMonitor(signal: AbortSignal, onChange: () => void): Promise<void> {
  const onLine = (line: string) => {
    if (isOfInterest(line)) onChange();
  };
  await followProgram("ip", ["-oneline", "monitor", "link", "address", "route"], { onLine, signal });
  if (!signal.aborted) throw new Error("ip monitor has ended");
}

/** @param line of `ip -oneline monitor` */
export const isOfInterest = (line: string): boolean =>
  line.trim() !== "" && !/\bveth|\blocal table|\bff00::\/8/.test(line);
