/**
 * What objects use of ResourceQuotas, and whether there is enough left: pure. Admission charges a quota before a write;
 * the controller counts again what is there. Nothing here reads or writes.
 */
export { isSameAmounts } from "./amounts.ts";
export { decideCharge } from "./charge.ts";
export type { Evaluator, QuotaWrite } from "./evaluator.ts";
export { usageOf } from "./match.ts";
export { evaluatorOf } from "./registry.ts";
