import type { SuccessPolicy } from "../../../shared/api/types.ts";
import { type IndexSet, overlapOf, parseIndexSet, sizeOf } from "./index-set.ts";

/** Which rule of a successPolicy the succeeded indexes meet, as the Job's condition tells it; undefined: none yet. */
export function metSuccessRule(
  policy: SuccessPolicy | undefined,
  succeeded: IndexSet,
  completions: number,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  for (const [i, { succeededIndexes, succeededCount }] of (policy?.rules ?? []).entries()) {
    const wanted = succeededIndexes === undefined ? undefined : parseIndexSet(succeededIndexes, completions);
    // Of a rule whose indexes say nothing, nothing is met.
    if (wanted?.length === 0) continue;
    const met = wanted ? overlapOf(wanted, succeeded) : sizeOf(succeeded);
    const isMet = (succeededCount !== undefined && met >= succeededCount) || (wanted && met === sizeOf(wanted));
    if (isMet) return `Matched rules at index ${i}`;
  }
  return undefined;
}
