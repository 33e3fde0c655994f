import { jsonEqual } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { parseAmounts, printAmounts, type ResourceAmounts } from "../../../shared/api/pod-requests.ts";
import type { ResourceQuota } from "../../../shared/api/types.ts";
import { type Evaluator, isSameAmounts, usageOf } from "../../quota/index.ts";

/** The objects of one resource in a quota's namespace. */
export interface Counted {
  evaluator: Evaluator;
  objects: KubeObject[];
}

export type Plan = { write: "none" } | { write: "status"; status: NonNullable<ResourceQuota["status"]> };

/**
 * Whether a quota is to be counted that was found at a start. What was deleted while nobody looked has woken nobody; what
 * was made has been charged, so that one of which nothing is used is right.
 */
export function mayHaveChanged({ spec, status }: ResourceQuota): boolean {
  if (!jsonEqual(spec?.hard, status?.hard)) return true;
  return [...parseAmounts(status?.used)].some(([, { nanos }]) => nanos !== 0n);
}

/**
 * The status of a quota: what its spec allows, and what the objects that are there use of it. What nobody counts keeps
 * the use it had. `nowMs`: epoch ms.
 */
export function decide(quota: ResourceQuota, counted: readonly Counted[], nowMs: number): Plan {
  const { spec = {}, status = {} } = quota;
  const hard = parseAmounts(spec.hard);
  const before = parseAmounts(status.used);
  const used: ResourceAmounts = new Map([...before].filter(([name]) => hard.has(name)));
  for (const { evaluator, objects } of counted) {
    for (const [name, amount] of usageOf(quota, evaluator, objects, nowMs)) used.set(name, amount);
  }
  const isRight =
    status.hard !== undefined &&
    status.used !== undefined &&
    isSameAmounts(parseAmounts(status.hard), hard) &&
    isSameAmounts(before, used);
  return isRight
    ? { write: "none" }
    : { write: "status", status: { hard: printAmounts(hard), used: printAmounts(used) } };
}
