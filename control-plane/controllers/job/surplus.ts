import type { Job, Pod } from "../../../shared/api/types.ts";
import { byUsefulness } from "../pod-usefulness.ts";
import { completionIndexOf } from "./completion-index.ts";
import { isIndexed } from "./spec.ts";

/**
 * Which active pods are too many: of an Indexed Job those without an index that it has and all but the most useful of
 * each index; then the least useful, until at least `atLeast` are chosen.
 */
export function decideSurplus(job: Job, active: Pod[], atLeast: number): Pod[] {
  const { remove, keep } = isIndexed(job)
    ? splitByIndex(active, job.spec.completions ?? 0)
    : { remove: [], keep: active };
  if (remove.length >= atLeast) return remove;
  return [...remove, ...[...keep].sort(byUsefulness).slice(0, atLeast - remove.length)];
}

function splitByIndex(active: Pod[], completions: number): { remove: Pod[]; keep: Pod[] } {
  const byIndex = Map.groupBy(active, completionIndexOf);
  const remove: Pod[] = [];
  const keep: Pod[] = [];
  for (const [index, pods] of byIndex) {
    const isWanted = index !== undefined && index < completions;
    const sorted = [...pods].sort(byUsefulness);
    const best = isWanted ? sorted.pop() : undefined;
    if (best) keep.push(best);
    remove.push(...sorted);
  }
  return { remove, keep };
}
