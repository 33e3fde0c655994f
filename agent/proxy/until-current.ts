import type { ProxyContext } from "./proxy.ts";

/** For so long a started agent trusts the rules that it found more than its memory: the API tells what there is sooner. */
export const GRACE_MS = 10_000;

/**
 * Settles when what the proxy knows may take the place of what the kernel has. What an agent remembers is a little older
 * than the rules that it wrote: where there are some, it waits for the API to tell what there is now, so that no Service
 * goes for the time in between. Without the API for a while, or without rules, what it remembers is what there is.
 * @param hasRules whether an earlier agent's rules are in the kernel
 * @param isGone aborted when somebody takes them away: nothing is left to wait for
 */
export async function untilCurrent(
  { services, endpointSlices, nodes, podCidrs, onPodCidrs, clock, signal }: ProxyContext,
  { hasRules, isGone }: { hasRules: boolean; isGone: AbortSignal },
): Promise<void> {
  const sets = [services, endpointSlices, nodes];
  await Promise.all(sets.map(({ known }) => known));
  if (!hasRules) return;
  const isCurrent = new AbortController();
  const look = () => {
    if (sets.every((set) => set.isSynced()) && podCidrs().length > 0) isCurrent.abort();
  };
  const ends = sets.map((set) => set.onChange(look));
  onPodCidrs(look);
  look();
  await clock.sleep(GRACE_MS, AbortSignal.any([signal, isGone, isCurrent.signal]));
  for (const end of ends) end();
}
