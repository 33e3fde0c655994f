import { parseAmounts, printAmounts, type ResourceAmounts } from "../../shared/api/pod-requests.ts";
import type { ResourceQuota } from "../../shared/api/types.ts";
import { addAmounts, exceeded, excess, mask, nonZero, printList } from "./amounts.ts";
import type { Evaluator, QuotaWrite } from "./evaluator.ts";
import { limits } from "./match.ts";

/** Whether a write is within the quotas: those to note more use in, or why it is refused. */
export type Charge = { ok: true; charged: ResourceQuota[] } | { ok: false; why: string };

const refused = (why: string): Charge => ({ ok: false, why });

/**
 * What a write uses of the quotas of its namespace. The quotas are left alone: `charged` are copies with their new
 * `status.used`, in the order given, of those alone that change.
 * @param nowMs epoch ms
 */
export function decideCharge(
  quotas: readonly ResourceQuota[],
  evaluator: Evaluator,
  write: QuotaWrite,
  nowMs: number,
): Charge {
  if (!evaluator.handles(write)) return { ok: true, charged: [] };
  const interested = quotas.filter((quota) => limits(quota, evaluator, write.object));
  for (const quota of interested) {
    const why = unready(quota, evaluator, write);
    if (why) return refused(why);
  }
  const usage = evaluator.usage(write.object, nowMs);
  const charged: ResourceQuota[] = [];
  for (const quota of interested) {
    const delta = nonZero(deltaOf(quota, evaluator, write, usage, nowMs));
    if (delta.size === 0) continue;
    const hard = parseAmounts(quota.status?.hard);
    const used = parseAmounts(quota.status?.used);
    const requested = mask(delta, hard.keys());
    const after = addAmounts(used, requested);
    const over = exceeded(mask(after, requested.keys()), hard);
    // What is known of an object's status has happened already, and is only noted.
    if (over.length > 0 && write.subresource !== "status") {
      const [want, have, most] = [requested, used, hard].map((amounts) => printList(mask(amounts, over)));
      return refused(`exceeded quota: ${quota.metadata.name}, requested: ${want}, used: ${have}, limited: ${most}`);
    }
    if (requested.size > 0) charged.push({ ...quota, status: { ...quota.status, used: printAmounts(after) } });
  }
  return { ok: true, charged };
}

/** Why a quota cannot be asked: the object leaves out what it counts, or the quota has not been counted yet. */
function unready(quota: ResourceQuota, evaluator: Evaluator, { object }: QuotaWrite): string | undefined {
  const { name } = quota.metadata;
  const names = evaluator.matching(Object.keys(quota.status?.hard ?? {}));
  const missing = evaluator.missing?.(names, object);
  if (missing) return `failed quota: ${name}: ${missing}`;
  const isCounted = names.every((resource) => quota.status?.used?.[resource] !== undefined);
  return isCounted ? undefined : `status unknown for quota: ${name}, resources: ${[...names].sort().join(",")}`;
}

/** All of it, or what an update adds to what the quota counts already. */
function deltaOf(
  quota: ResourceQuota,
  evaluator: Evaluator,
  { old }: QuotaWrite,
  usage: ResourceAmounts,
  nowMs: number,
): ResourceAmounts {
  if (!old || !limits(quota, evaluator, old)) return usage;
  return excess(usage, evaluator.usage(old, nowMs));
}
