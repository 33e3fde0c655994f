import { yieldToIo } from "../runtime/index.ts";

/** Calls under way at once: between them, requests from outside get their turn. */
const PARALLEL = 8;

/**
 * Takes the step for each item, some at a time, and goes on when one fails.
 * @returns the items whose step succeeded, in their order, and the first error
 */
export async function inParallel<T>(
  items: readonly T[],
  step: (item: T) => Promise<unknown>,
): Promise<{ done: T[]; error?: unknown }> {
  const done: T[] = [];
  const errors: unknown[] = [];
  for (let i = 0; i < items.length; i += PARALLEL) {
    const chunk = items.slice(i, i + PARALLEL);
    const results = await Promise.allSettled(chunk.map(step));
    for (const [j, result] of results.entries()) {
      if (result.status === "rejected") errors.push(result.reason);
      else done.push(chunk[j] as T);
    }
    await yieldToIo();
  }
  return errors.length > 0 ? { done, error: errors[0] } : { done };
}
