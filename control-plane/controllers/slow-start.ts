import { yieldToIo } from "../runtime/index.ts";

/** Upstream's SlowStartInitialBatchSize: a refusal (quota, say) is met by one doomed call, not by hundreds. */
const FIRST_BATCH = 1;

/** Calls under way at once: between them, requests from outside get their turn. */
const PARALLEL = 8;

/**
 * Calls `step` `count` times, in batches of 1, 2, 4 and so on, the next one only when all of the last succeeded.
 * @returns how many succeeded, and the first error
 */
export async function slowStart(count: number, step: () => Promise<void>): Promise<{ done: number; error?: unknown }> {
  let succeeded = 0;
  let remaining = count;
  for (let size = Math.min(remaining, FIRST_BATCH); size > 0; size = Math.min(2 * size, remaining)) {
    for (let left = size; left > 0; left -= PARALLEL) {
      const chunk = Math.min(left, PARALLEL);
      const results = await Promise.allSettled(Array.from({ length: chunk }, step));
      const failed = results.filter((result) => result.status === "rejected");
      succeeded += chunk - failed.length;
      if (failed[0]) return { done: succeeded, error: failed[0].reason };
      await yieldToIo();
    }
    remaining -= size;
  }
  return { done: succeeded };
}
