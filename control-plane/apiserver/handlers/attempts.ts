import type { ResourceRequest } from "../resource-request.ts";

/**
 * Lost races of one write before the client hears of a conflict. Upstream's guaranteed update goes on for ever; here a
 * mistake that makes every try fail shall end.
 */
const MAX_ATTEMPTS = 100;
/** Losers wait up to so long, more with each loss, or they would all come again at once. */
const MAX_PAUSE_MS = 20;

/** The tries of a read-change-write: leave the loop with the first that wins. Each begins without the last one's warnings. */
export async function* attempts({ warnings }: Pick<ResourceRequest, "warnings">): AsyncGenerator<void> {
  const given = warnings.length;
  for (let lost = 0; lost < MAX_ATTEMPTS; lost++) {
    if (lost > 0) await scheduler.wait(Math.random() * Math.min(lost, MAX_PAUSE_MS));
    warnings.length = given;
    yield;
  }
}
