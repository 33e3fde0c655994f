import { invalidValue } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { parseTokens } from "./syntax.ts";
import { type Failure, tokensOf } from "./tokens.ts";
import { type Scope, typeOf } from "./types.ts";

/*
 * What can be said of a CEL expression without a whole compiler: whether it follows the grammar, which variables and
 * functions it names, and where types that are plain do not go together. What is not known here passes. Messages are
 * cel-go's.
 */

export interface CelContext extends Scope {
  /** What it must evaluate to; nothing is said of types when absent. */
  wanted?: { types: readonly string[]; message(got: string): string };
}

/** Types that messages about a whole expression call otherwise. */
const PRINTED: Record<string, string> = {
  duration: "google.protobuf.Duration",
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
};

/** Far above what a policy needs; the compiler's own limit is on its cost. */
const MAX_EXPRESSION_LENGTH = 100_000;

/** As cel-go shows where it is: the line, and a mark below. */
function printFailure(expression: string, { at, text }: Failure): string {
  const start = expression.lastIndexOf("\n", at - 1) + 1;
  const line = expression.slice(0, at).split("\n").length;
  const end = expression.indexOf("\n", at);
  const source = expression.slice(start, end < 0 ? undefined : end).replaceAll("\t", " ");
  // An empty expression has nothing to show.
  if (expression === "") return `ERROR: <input>:1:0: ${text}`;
  return `ERROR: <input>:${line}:${at - start + 1}: ${text}\n | ${source}\n | ${".".repeat(at - start)}^`;
}

/** Why an expression cannot be right; an empty list does not say that it is. `printed`: as the message shows it. */
export function checkCel(expression: string, field: string, context: CelContext, printed = expression): StatusCause[] {
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    return [invalidValue(field, printed.slice(0, 100), `code size limit of ${MAX_EXPRESSION_LENGTH} exceeded`)];
  }
  const { type, failures } = examine(expression, context);
  if (failures.length > 0) {
    const why = failures.map((failure) => printFailure(expression, failure)).join("\n");
    return [invalidValue(field, printed, `compilation failed: ${why}`)];
  }
  const got = type === undefined ? undefined : (PRINTED[type] ?? type);
  if (!context.wanted || got === undefined || context.wanted.types.includes(got)) return [];
  return [invalidValue(field, printed, context.wanted.message(got))];
}

/** Types are looked at only when the grammar is followed. */
function examine(expression: string, scope: Scope): { type?: string; failures: Failure[] } {
  const { tokens, failures } = tokensOf(expression);
  const parsed = parseTokens(tokens);
  const all = [...failures, ...parsed.failures].sort((a, b) => a.at - b.at);
  return parsed.node === undefined || all.length > 0 ? { failures: all } : typeOf(parsed.node, scope);
}
