import type { KubeObject } from "../../shared/api/object.ts";
import type { ResourceAmounts } from "../../shared/api/pod-requests.ts";
import { parseQuantity, type Quantity } from "../../shared/api/quantity.ts";
import type { ResourceQuota } from "../../shared/api/types.ts";

/** A write that may use something up. */
export interface QuotaWrite {
  operation: "CREATE" | "UPDATE" | "DELETE";
  subresource?: string;
  object: KubeObject;
  /** What is stored; undefined for a create. */
  old?: KubeObject;
}

export type ScopeRequirement = NonNullable<
  NonNullable<NonNullable<ResourceQuota["spec"]>["scopeSelector"]>["matchExpressions"]
>[number];

/** What the objects of one resource use of quotas. Pure. */
export interface Evaluator {
  /** Whether such a write can use more than before. */
  handles(write: QuotaWrite): boolean;
  /** Those of a quota's names that the resource uses. */
  matching(names: string[]): string[];
  /** What an object must say of itself under a quota of `names`; undefined: it says it. */
  missing?(names: string[], object: KubeObject): string | undefined;
  /** Whether an object falls under a scope; without it, under none. */
  isInScope?(requirement: ScopeRequirement, object: KubeObject): boolean;
  /** @param nowMs epoch ms: what is overdue to be deleted uses nothing more */
  usage(object: KubeObject, nowMs: number): ResourceAmounts;
  /** Whether a change that is none of a quota's admission leaves something free. */
  isFreed?(object: KubeObject, old: KubeObject): boolean;
}

export const count = (number: number): Quantity => parseQuantity(String(number));

/** Which values a requirement takes, as a label selector would: an absent value is in no set. */
export function isSelected({ operator, values = [] }: ScopeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
