import type { Drawing } from "../strategy.ts";

/** Draws before the search goes on in order: a nearly full range must end too. */
const RANDOM_DRAWS = 64;

/** A free number of a range: at random in its upper band, else the first one left. Undefined: none is. */
export function draw(
  { random }: Drawing,
  range: { first: number; dynamic: number; last: number },
  isTaken: (candidate: number) => boolean,
): number | undefined {
  for (let tries = 0; tries < RANDOM_DRAWS; tries++) {
    const candidate = range.dynamic + Math.floor(random() * (range.last - range.dynamic + 1));
    if (!isTaken(candidate)) return candidate;
  }
  for (let candidate = range.dynamic; candidate <= range.last; candidate++) if (!isTaken(candidate)) return candidate;
  for (let candidate = range.first; candidate < range.dynamic; candidate++) if (!isTaken(candidate)) return candidate;
  return undefined;
}
