import { invalidValue } from "../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../shared/api/status.ts";

/*
 * What can be said of a CEL expression without compiling it: brackets and quotes that do not close, an operator
 * without its right side, a literal of a wrong type, a variable that nobody declares. All that looks right passes;
 * a compiler will replace this. Messages are cel-go's where the case is clear, of our own otherwise.
 */

/** Where an expression stands decides which variables it may name and what it must give. */
export interface CelContext {
  /** Names that may begin a path. */
  roots: readonly string[];
  /** Fields of `variables`; undefined when there is none. */
  variables?: readonly string[];
  /** What it must evaluate to; nothing is said of types when absent. */
  wanted?: { types: readonly string[]; message(got: string): string };
}

/** Far above what a policy needs; the compiler's own limit is on its cost. */
const MAX_EXPRESSION_LENGTH = 100_000;

const TOKEN =
  /(?<space>\s+|\/\/[^\n]*)|(?<string>[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))|(?<name>`[^`\n]*`|[_a-zA-Z][_a-zA-Z0-9]*)|(?<number>0x[0-9a-fA-F]+u?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+)|\d+u?)|(?<operator>&&|\|\||[=!<>]=|[-+*/%<>!?:.,()[\]{}])/y;

type TokenKind = "string" | "name" | "number" | "operator";

interface Token {
  kind: TokenKind;
  text: string;
  at: number;
}

interface Failure {
  at: number;
  text: string;
}

const WANTS_MORE =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const BINARY = new Set(["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "?", ":", ","]);
const CLOSES: Record<string, string> = { ")": "(", "]": "[", "}": "{" };
const WORDS = new Set(["true", "false", "null", "in"]);
/** Types, and namespaces of functions. */
const BUILT_IN = new Set(
  "bool bytes cel cidr double duration dyn format google int ip isCIDR jsonpatch JSONPatch list map math null_type Object optional base64 quantity semver sets string strings timestamp type uint url".split(
    " ",
  ),
);

const syntaxError = (at: number, detail: string): Failure => ({ at, text: `Syntax error: ${detail}` });

function tokensOf(expression: string): Token[] | Failure {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN.source, "y");
  while (pattern.lastIndex < expression.length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(expression)?.groups;
    if (!groups) return syntaxError(at, `token recognition error at: '${expression[at]}'`);
    for (const kind of ["string", "name", "number", "operator"] as const) {
      const text = groups[kind];
      if (text !== undefined) tokens.push({ kind, text, at });
    }
  }
  return tokens;
}

/** Brackets, and what stands last. */
function checkShape(tokens: Token[], end: number): Failure | undefined {
  const open: string[] = [];
  for (const { kind, text, at } of tokens) {
    if (kind !== "operator") continue;
    if ("([{".includes(text)) open.push(text);
    else if (CLOSES[text] && open.pop() !== CLOSES[text])
      return syntaxError(at, `extraneous input '${text}' expecting <EOF>`);
  }
  const last = tokens.at(-1);
  if (last?.text === ".") return syntaxError(end, "no viable alternative at input '.'");
  if (last?.kind === "operator" && (BINARY.has(last.text) || last.text === "!")) {
    return syntaxError(end, `mismatched input '<EOF>' expecting ${WANTS_MORE}`);
  }
  return open.length > 0 ? syntaxError(end, "missing closing bracket at '<EOF>'") : undefined;
}

/** Variables of macros: `.all(x, …)`, `.transformMap(k, v, …)`, `cel.bind(x, …)`. */
function boundNames(tokens: Token[]): Set<string> {
  const bound = new Set<string>();
  for (const [i, { text }] of tokens.entries()) {
    if (text !== "(" || tokens[i - 2]?.text !== ".") continue;
    for (let j = i + 1; tokens[j]?.kind === "name" && tokens[j + 1]?.text === "," && j < i + 4; j += 2) {
      bound.add(tokens[j]?.text ?? "");
    }
  }
  return bound;
}

function checkNames(tokens: Token[], { roots, variables }: CelContext): Failure[] {
  const failures: Failure[] = [];
  const bound = boundNames(tokens);
  for (const [i, { kind, text, at }] of tokens.entries()) {
    const before = tokens[i - 1]?.text;
    const after = tokens[i + 1]?.text;
    const isOptional = before === "?" && tokens[i - 2]?.text === ".";
    // A field, a function, a message's type or its field.
    if (kind !== "name" || before === "." || isOptional || after === "(" || after === "{") continue;
    const opener = before === "?" ? tokens[i - 2]?.text : before;
    if (after === ":" && (opener === "{" || opener === ",")) continue;
    if (WORDS.has(text) || BUILT_IN.has(text) || bound.has(text)) continue;
    if (text === "variables" && variables) {
      const field = tokens[i + 2];
      if (after === "." && field?.kind === "name" && !variables.includes(field.text)) {
        failures.push({ at: tokens[i + 1]?.at ?? at, text: `undefined field '${field.text}'` });
      }
    } else if (!roots.includes(text))
      failures.push({ at, text: `undeclared reference to '${text}' (in container '')` });
  }
  return failures;
}

/** The type of an expression that is one literal. */
function literalType(tokens: Token[]): string | undefined {
  const [token, more] = tokens[0]?.text === "-" ? tokens.slice(1) : tokens;
  if (!token || more) return undefined;
  if (token.kind === "string") return /^[rR]?[bB]/.test(token.text) ? "bytes" : "string";
  if (token.kind === "number") {
    if (token.text.endsWith("u")) return "uint";
    return /^0x/.test(token.text) || /^\d+$/.test(token.text) ? "int" : "double";
  }
  if (token.text === "true" || token.text === "false") return "bool";
  return token.text === "null" ? "null_type" : undefined;
}

/** As cel-go shows where it is: the line, and a mark below. */
function printFailure(expression: string, { at, text }: Failure): string {
  const start = expression.lastIndexOf("\n", at - 1) + 1;
  const line = expression.slice(0, at).split("\n").length;
  const end = expression.indexOf("\n", at);
  const source = expression.slice(start, end < 0 ? undefined : end);
  return `ERROR: <input>:${line}:${at - start + 1}: ${text}\n | ${source}\n | ${".".repeat(at - start)}^`;
}

/** Why an expression cannot be right; an empty list does not say that it is. `printed`: as the message shows it. */
export function checkCel(expression: string, field: string, context: CelContext, printed = expression): StatusCause[] {
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    return [invalidValue(field, printed.slice(0, 100), `code size limit of ${MAX_EXPRESSION_LENGTH} exceeded`)];
  }
  const refuse = (failures: Failure[]) => [
    invalidValue(
      field,
      printed,
      `compilation failed: ${failures.map((failure) => printFailure(expression, failure)).join("\n")}`,
    ),
  ];
  const tokens = tokensOf(expression);
  if (!Array.isArray(tokens)) return refuse([tokens]);
  const broken = checkShape(tokens, expression.length);
  if (broken) return refuse([broken]);
  const unknown = checkNames(tokens, context);
  if (unknown.length > 0) return refuse(unknown);
  const type = literalType(tokens);
  if (!context.wanted || type === undefined || context.wanted.types.includes(type)) return [];
  return [invalidValue(field, printed, context.wanted.message(type))];
}
