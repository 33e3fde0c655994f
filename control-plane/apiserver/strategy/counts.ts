import { invalidValue, NOT_NEGATIVE } from "../../../shared/api/field-error.ts";
import { checkPercent } from "../../../shared/api/names.ts";
import type { StatusCause } from "../../../shared/api/status.ts";

export type IntOrPercent = number | string;

export const checkNotNegative = (value: number | undefined, field: string): StatusCause[] =>
  value !== undefined && value < 0 ? [invalidValue(field, value, NOT_NEGATIVE)] : [];

/** The count of hash collisions only grows. */
export const checkNotDecremented = (value: number | undefined, old: number | undefined): StatusCause[] =>
  old !== undefined && (value ?? -1) < old
    ? [invalidValue("status.collisionCount", value ?? 0, "cannot be decremented")]
    : [];

/** A number that is not negative, or a percentage. */
export function checkIntOrPercent(value: IntOrPercent | undefined, field: string): StatusCause[] {
  if (value === undefined) return [];
  if (typeof value === "number") return checkNotNegative(value, field);
  return checkPercent(value).map((message) => invalidValue(field, value, message));
}

/** The share of a valid percentage; undefined for a number. */
export const percentOf = (value: IntOrPercent | undefined): number | undefined =>
  typeof value === "string" && /^[0-9]+%$/.test(value) ? Number(value.slice(0, -1)) : undefined;

export const checkAtMostAll = (value: IntOrPercent | undefined, field: string): StatusCause[] =>
  (percentOf(value) ?? 0) > 100 ? [invalidValue(field, value, "must not be greater than 100%")] : [];

/** Zero, `0%`, not said, or a text that is neither a percentage nor a number (a bare number is refused elsewhere). */
export const isZero = (value: IntOrPercent | undefined): boolean => {
  if (typeof value !== "string") return !value;
  return (percentOf(value) ?? (/^[+-]?[0-9]+$/.test(value) ? Number(value) : 0)) === 0;
};

interface ReplicaCounts {
  counts: string[];
  withinReplicas: string[];
  /** What the message calls the ready ones. */
  readyName?: string;
}

/** Counts of a status that may not exceed `replicas`, then those that may not exceed the ready ones. */
export function checkReplicaCounts(
  status: Record<string, unknown> | undefined,
  { counts, withinReplicas, readyName = "readyReplicas" }: ReplicaCounts,
  path = "status",
): StatusCause[] {
  const value = (name: string) => Number(status?.[name] ?? 0);
  const causes = counts.flatMap((name) => checkNotNegative(value(name), `${path}.${name}`));
  for (const name of withinReplicas) {
    if (value(name) > value("replicas")) {
      causes.push(invalidValue(`${path}.${name}`, value(name), "cannot be greater than status.replicas"));
    }
  }
  if (value("availableReplicas") > value("readyReplicas")) {
    causes.push(
      invalidValue(`${path}.availableReplicas`, value("availableReplicas"), `cannot be greater than ${readyName}`),
    );
  }
  return causes;
}
