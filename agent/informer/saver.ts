import type { Clock } from "../clock/index.ts";

/** Many changes at once are one write of the disk. */
const MIN_PAUSE_MS = 1_000;
/** Writing takes no more than a fiftieth of the time, however much there is to write. */
const PAUSE_FACTOR = 50;

/**
 * @param signal when it is aborted, what is not written yet is written at once
 * @returns to be called after each change: what was changed is written soon after, and never twice at the same time
 */
export function createSaver(
  write: () => Promise<void>,
  { clock, signal, onFailure }: { clock: Clock; signal: AbortSignal; onFailure: (error: unknown) => void },
): () => void {
  let isDirty = false;
  let isRunning = false;
  let pauseMs = MIN_PAUSE_MS;

  async function run(): Promise<void> {
    isRunning = true;
    while (isDirty) {
      await clock.sleep(pauseMs, signal);
      isDirty = false;
      const startedMs = clock.nowMs();
      await write().catch(onFailure);
      pauseMs = Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (clock.nowMs() - startedMs));
    }
    isRunning = false;
  }

  return () => {
    if (signal.aborted) return;
    isDirty = true;
    if (!isRunning) void run();
  };
}
