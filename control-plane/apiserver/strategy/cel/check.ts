import { invalidValue } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { NOWHERE, parseTokens } from "../../../../shared/cel/syntax.ts";
import { type Failure, tokensOf } from "../../../../shared/cel/tokens.ts";
import { type Scope, typeOf } from "./types.ts";

/*
 * What can be said of a CEL expression without a whole compiler: whether it follows the grammar, which variables and
 * functions it names, and where types that are plain do not go together. What is not known here passes. Messages are
 * cel-go's.
 */

export interface CelContext extends Scope {
  /** Shared by the expressions of one object. */
  budget: CelBudget;
  /** What it must evaluate to; nothing is said of types when absent. */
  wanted?: { types: readonly string[]; message(got: string): string };
}

/**
 * How much may still be said of an object's expressions, in UTF-16 units: a fault is shown with its whole line, so that
 * a body of a few megabytes could ask for an answer of gigabytes.
 */
export interface CelBudget {
  left: number;
}

/** Far more than anyone reads. */
export const celBudget = (): CelBudget => ({ left: 4 * 1024 * 1024 });

/** Types that messages about a whole expression call otherwise. */
const PRINTED: Record<string, string> = {
  duration: "google.protobuf.Duration",
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
};

/** Upstream's, in code points. */
const MAX_EXPRESSION_LENGTH = 100_000;
/** Failures of an expression. */
const MAX_REPORTED = 100;
const MAX_REPORT_LENGTH = 1024 * 1024;

/** As cel-go shows where it is: the line, and a mark below. */
function printFailure(expression: string, { at, text }: Failure): string {
  if (at === NOWHERE) return `ERROR: <input>:-1:0: ${text}`;
  const start = expression.lastIndexOf("\n", at - 1) + 1;
  const line = expression.slice(0, at).split("\n").length;
  const end = expression.indexOf("\n", at);
  const source = expression.slice(start, end < 0 ? undefined : end).replaceAll("\t", " ");
  // An empty expression has nothing to show.
  if (expression === "") return `ERROR: <input>:1:0: ${text}`;
  return `ERROR: <input>:${line}:${at - start + 1}: ${text}\n | ${source}\n | ${".".repeat(at - start)}^`;
}

/** As many as cel-go shows, but for long lines. */
function explain(expression: string, failures: Failure[], maxLength: number): string {
  const shown: string[] = [];
  let length = 0;
  for (const failure of failures.slice(0, MAX_REPORTED)) {
    if (length > maxLength) break;
    const text = printFailure(expression, failure);
    length += text.length;
    shown.push(text);
  }
  const more = failures.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more errors were truncated`] : [])].join("\n");
}

/**
 * Why an expression cannot be right; an empty list does not say that it is, nor does one when the budget is used up,
 * which is so only where others are wrong. `printed`: as the message shows it.
 */
export function checkCel(expression: string, field: string, context: CelContext, printed = expression): StatusCause[] {
  const { budget } = context;
  if (budget.left <= 0) return [];
  const { type, failures } = examine(expression, context);
  if (failures.length > 0) {
    const why = explain(expression, failures, Math.min(MAX_REPORT_LENGTH, budget.left));
    budget.left -= printed.length + why.length;
    return [invalidValue(field, printed, `compilation failed: ${why}`)];
  }
  const got = type === undefined ? undefined : (PRINTED[type] ?? type);
  if (!context.wanted || got === undefined || context.wanted.types.includes(got)) return [];
  return [invalidValue(field, printed, context.wanted.message(got))];
}

function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Types are looked at only when the grammar is followed. */
function examine(expression: string, scope: Scope): { type?: string; failures: Failure[] } {
  const size = expression.length > MAX_EXPRESSION_LENGTH ? codePointsOf(expression) : 0;
  if (size > MAX_EXPRESSION_LENGTH) {
    const text = `expression code point size exceeds limit: size: ${size}, limit ${MAX_EXPRESSION_LENGTH}`;
    return { failures: [{ at: NOWHERE, text }] };
  }
  const { tokens, failures } = tokensOf(expression);
  const parsed = parseTokens(tokens);
  // cel-go reads no further after one failure more than it shows.
  const all = [...failures, ...parsed.failures].sort((a, b) => a.at - b.at).slice(0, MAX_REPORTED + 1);
  return parsed.node === undefined || all.length > 0 ? { failures: all } : typeOf(parsed.node, scope);
}
