import type { Listing } from "./nft.ts";
import { hookRules, type TableOptions } from "./render.ts";
import type { Ruleset } from "./ruleset.ts";

/** What of a table is not as it should be, for the log; undefined if all is. Counts what is there, as nobody edits a rule. */
export function findDrift(found: Listing | undefined, ruleset: Ruleset, options: TableOptions): string | undefined {
  if (!found) return "the table is gone";
  const chains = new Map(hookRules(options));
  for (const [name, { rules }] of ruleset.chains) chains.set(name, rules.length);
  return (
    differenceOf("rules of chain", chains, found.chains) ??
    differenceOf(
      "elements of set",
      new Map([...ruleset.sets].map(([name, { elements }]) => [name, elements.size])),
      found.sets,
    )
  );
}

function differenceOf(
  what: string,
  wanted: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number>,
): string | undefined {
  for (const [name, count] of wanted) {
    if (!found.has(name)) return `${what} ${name}: it is gone`;
    const actual = found.get(name);
    if (actual !== count) return `${what} ${name}: ${actual} instead of ${count}`;
  }
  for (const name of found.keys()) if (!wanted.has(name)) return `${what} ${name}: not ours`;
  return undefined;
}
