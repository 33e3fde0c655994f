/**
 * Asks again and again until the answer is truthy, and returns it. Errors of `ask` count as "not yet".
 * @throws Error after `timeoutMs` (generous by default: a busy machine must not fail a test), with the last answer
 */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T> | T,
  { timeoutMs = 120_000, intervalMs = 100 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Exclude<NonNullable<T>, false | "" | 0>> {
  const deadlineMs = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer as Exclude<NonNullable<T>, false | "" | 0>;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadlineMs) throw new Error(`waited ${timeoutMs / 1000} s for ${what}; last: ${String(last)}`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
