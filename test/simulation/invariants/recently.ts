/**
 * How far behind the truth whoever decides may be: an object that dies with work in hand sleeps two minutes at most, and
 * the feed may be late. A rule is broken only where it was broken by all that was true in this time.
 */
export const BEHIND_MS = 180_000;

/** A number of late, by key: what it is, and what it was. */
export class RecentNumbers {
  readonly #values = new Map<string, { value: number; untilMs: number }[]>();

  /** @returns all values of late, the present one last */
  see(key: string, value: number, nowMs: number): number[] {
    const values = (this.#values.get(key) ?? []).filter(({ untilMs }) => untilMs >= nowMs);
    if (values.at(-1)?.value !== value) {
      for (const each of values) each.untilMs = Math.min(each.untilMs, nowMs + BEHIND_MS);
      values.push({ value, untilMs: Number.POSITIVE_INFINITY });
    }
    this.#values.set(key, values);
    return values.map((each) => each.value);
  }

  of(key: string): number[] {
    return (this.#values.get(key) ?? []).filter(({ untilMs }) => untilMs >= Date.now()).map(({ value }) => value);
  }
}
