import {
  duplicate,
  invalidEach,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../shared/api/field-error.ts";
import { checkQualifiedName, regexMessage } from "../../../shared/api/names.ts";
import type { StatusCause } from "../../../shared/api/status.ts";

/** A condition of meta/v1; what was decoded may lack any field. */
export interface MetaCondition {
  type?: string;
  status?: string;
  observedGeneration?: number;
  lastTransitionTime?: unknown;
  reason?: string;
  message?: string;
}

const STATUSES = ["False", "True", "Unknown"];
const REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const REASON_PATTERN = new RegExp(`^${REASON}$`);
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

function checkReason(reason: string, field: string): StatusCause[] {
  if (reason === "") return [required(field)];
  const why = regexMessage(
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    REASON,
    "my_name",
    "MY_NAME",
    "MyName",
    "ReasonA,ReasonB",
    "ReasonA:ReasonB",
  );
  return [
    ...(REASON_PATTERN.test(reason) ? [] : [invalidValue(field, reason, why)]),
    ...(reason.length > MAX_REASON_BYTES ? [tooLong(field, MAX_REASON_BYTES)] : []),
  ];
}

function checkCondition(condition: MetaCondition, path: string): StatusCause[] {
  const { type = "", status = "", observedGeneration = 0, lastTransitionTime, reason = "", message = "" } = condition;
  const causes = invalidEach(`${path}.type`, type, checkQualifiedName(type));
  if (!STATUSES.includes(status)) causes.push(notSupported(`${path}.status`, status, STATUSES));
  if (observedGeneration < 0) {
    const why = "must be greater than or equal to zero";
    causes.push(invalidValue(`${path}.observedGeneration`, observedGeneration, why));
  }
  if (!lastTransitionTime) causes.push(required(`${path}.lastTransitionTime`));
  causes.push(...checkReason(reason, `${path}.reason`));
  if (message.length > MAX_MESSAGE_BYTES) causes.push(tooLong(`${path}.message`, MAX_MESSAGE_BYTES));
  return causes;
}

/** Conditions as meta/v1 wants them, each type once (apimachinery, ValidateConditions). */
export function checkConditions(conditions: readonly MetaCondition[] | undefined, path: string): StatusCause[] {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap((condition, i) => {
    const { type = "" } = condition;
    const repeated = seen.has(type) ? [duplicate(`${path}[${i}].type`, type)] : [];
    seen.add(type);
    return [...repeated, ...checkCondition(condition, `${path}[${i}]`)];
  });
}
