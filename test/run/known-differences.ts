import type { Counts } from "./counts.ts";

/** Scenario id → why our answer differs from the recorded one, and may. */
export type KnownDifferences = Record<string, string>;

export interface OracleVerdict {
  /** Scenarios whose answers are the recorded ones. */
  agreeing: number;
  /** Differ and are not listed: to be fixed, or listed with a reason. */
  unexpected: string[];
  /** Listed, but agree: to be taken off the list. */
  outdated: string[];
  counts: Counts;
}

/** Judges a run by the list. `ran`: every scenario that was compared; `differing`: those whose answers differ. */
export function judgeScenarios(ran: string[], differing: Set<string>, known: KnownDifferences): OracleVerdict {
  const unexpected = ran.filter((id) => differing.has(id) && !(id in known));
  const outdated = ran.filter((id) => !differing.has(id) && id in known);
  const failed = unexpected.length + outdated.length;
  return {
    agreeing: ran.filter((id) => !differing.has(id)).length,
    unexpected,
    outdated,
    counts: { passed: ran.length - failed, failed },
  };
}

/** The ids of the lines `✗ <id> <title>` in the comparing program's output. */
export function parseDiffering(output: string): Set<string> {
  return new Set([...output.matchAll(/^✗ (\S+)/gm)].map((match) => match[1]!));
}
