/** The promise's outcome, or a rejection as soon as the signal is aborted. Leaves nothing on the signal. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const give = () => reject(new Error("no longer wanted"));
  if (signal.aborted) give();
  signal.addEventListener("abort", give, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", give);
  }
}
