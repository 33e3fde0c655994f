import type { Failure, Token } from "./tokens.ts";

/** A part of an expression. `at`: where cel-go says it is. `depth`: how many parts lie within one another in it. */
export type Node = { at: number; depth: number } & Part;

type Part =
  /** `text`: as it is written, with quotes and suffixes. */
  | { op: "literal"; type: string; text: string }
  | { op: "name"; name: string }
  | { op: "select"; of: Node; field: string; isOptional: boolean }
  | { op: "call"; name: string; target?: Node; args: Node[] }
  | { op: "index"; of: Node; index: Node; isOptional: boolean }
  /** `hasOptional`: some items or entries are only there where they have a value. */
  | { op: "list"; items: Node[]; hasOptional: boolean }
  | { op: "map"; entries: [key: Node, value: Node][]; hasOptional: boolean }
  | { op: "message"; type: string; values: Node[] }
  | { op: "unary"; operator: "!" | "-"; of: Node }
  | { op: "binary"; operator: string; left: Node; right: Node }
  | { op: "logic"; operator: string; operands: Node[] }
  | { op: "choice"; when: Node; yes: Node; no: Node };

/** Those whose nesting cel-go counts. */
const NESTED = new Set<Part["op"]>(["binary", "choice", "index", "select"]);

/** Where limits of the whole expression are told of. */
export const NOWHERE = -1;

/** The expression does not follow the grammar; what follows the first fault is not looked at. */
class SyntaxFailure extends Error {
  readonly failure: Failure;

  constructor(at: number, detail: string) {
    super(detail);
    this.failure = { at, text: at === NOWHERE ? detail : `Syntax error: ${detail}` };
  }
}

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
/** From the loosest to the tightest. */
const LEVELS = [["||"], ["&&"], ["<", "<=", ">=", ">", "==", "!=", "in"], ["+", "-"], ["*", "/", "%"]];
/** The first of them, whose chains cel-go balances. */
const LOGIC_LEVELS = 2;
/** Upstream's; whatever walks over the tree counts on it, so that no expression uses up the stack. */
const MAX_DEPTH = 250;
const RESERVED = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

/** @throws SyntaxFailure when parts lie too deep within one another */
function nodeOf(part: Part, at: number, within: Node[] = []): Node {
  let depth = 0;
  for (const inner of within) depth = Math.max(depth, inner.depth);
  if (NESTED.has(part.op) || (part.op === "call" && part.target)) depth++;
  if (depth > MAX_DEPTH) throw new SyntaxFailure(NOWHERE, "max recursion depth exceeded");
  return { ...part, at, depth };
}

/** Whether a literal can be held; texts always can. */
function isInRange(kind: string, text: string): boolean {
  if (kind === "int") return BigInt(text) < 2n ** 63n;
  if (kind === "uint") return BigInt(text.slice(0, -1)) < 2n ** 64n;
  return kind !== "double" || Number.isFinite(Number(text));
}

/** The tree of an expression, or what is wrong with it in the words of cel-go's parser. */
export function parseTokens(tokens: Token[]): { node?: Node; failures: Failure[] } {
  const parser = new Parser(tokens);
  try {
    return { node: parser.parse(), failures: parser.failures };
  } catch (error) {
    if (error instanceof SyntaxFailure) return { failures: [...parser.failures, error.failure] };
    throw error;
  }
}

class Parser {
  /** Faults of names, which do not end the parsing. */
  readonly failures: Failure[] = [];
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  parse(): Node {
    const node = this.#expression();
    const { kind, text, at } = this.#peek();
    if (kind === "end") return node;
    const fault = this.#peek(1).kind === "end" ? "extraneous" : "mismatched";
    throw new SyntaxFailure(at, `${fault} input '${text}' expecting <EOF>`);
  }

  #peek = (ahead = 0): Token => this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)]!;

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #is = (text: string, ahead = 0): boolean => {
    const token = this.#peek(ahead);
    return (token.kind === "operator" || token.kind === "name") && token.text === text;
  };

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#next++;
    return true;
  }

  #expression(): Node {
    if (++this.#depth > MAX_DEPTH) {
      throw new SyntaxFailure(NOWHERE, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    }
    const when = this.#binary(0);
    let node = when;
    if (this.#is("?")) {
      const { at } = this.#take();
      const yes = this.#binary(0);
      if (!this.#accept(":")) throw this.#mismatched("':'");
      const no = this.#expression();
      node = nodeOf({ op: "choice", when, yes, no }, at, [when, yes, no]);
    }
    this.#depth--;
    return node;
  }

  #binary(level: number): Node {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    if (level < LOGIC_LEVELS) return this.#logic(left, operators[0]!, level);
    while (operators.some((operator) => this.#is(operator))) {
      const { text, at } = this.#take();
      const right = this.#binary(level + 1);
      left = nodeOf({ op: "binary", operator: text, left, right }, at, [left, right]);
    }
    return left;
  }

  /** A chain of one operator is one node, however long it is. */
  #logic(first: Node, operator: string, level: number): Node {
    const operands = [first];
    const { at } = this.#peek();
    while (this.#accept(operator)) operands.push(this.#binary(level + 1));
    return operands.length === 1 ? first : nodeOf({ op: "logic", operator, operands }, at, operands);
  }

  #unary(): Node {
    const first = this.#peek();
    if (first.text !== "!" && first.text !== "-") return this.#member();
    if (first.kind !== "operator") return this.#member();
    let count = 0;
    while (this.#accept(first.text)) count++;
    if (first.text === "!" && this.#peek().kind === "end") {
      throw new SyntaxFailure(this.#peek().at, `extraneous input '<EOF>' expecting ${OPERAND}`);
    }
    const next = this.#peek();
    const isNegative = count === 1 && first.text === "-" && next.kind === "int";
    if (isNegative && BigInt(next.text) === 2n ** 63n) {
      this.#next++;
      return this.#members(nodeOf({ op: "literal", type: "int", text: `-${next.text}` }, first.at));
    }
    const of = this.#member();
    return count % 2 === 0 ? of : nodeOf({ op: "unary", operator: first.text, of }, first.at, [of]);
  }

  #member(): Node {
    return this.#members(this.#primary());
  }

  #members(primary: Node): Node {
    let node = primary;
    for (;;) {
      if (this.#is(".")) node = this.#field(node);
      else if (this.#is("[")) {
        const { at } = this.#take();
        const isOptional = this.#accept("?");
        if (this.#peek().kind === "end" || this.#is("]")) throw this.#mismatched(OPERAND.replace("'!',", "'!', '?',"));
        const index = this.#expression();
        this.#close("]", "']'");
        node = nodeOf({ op: "index", of: node, index, isOptional }, at, [node, index]);
      } else if (this.#is("{") && qualifiedName(node) !== undefined) {
        node = this.#message(qualifiedName(node)!);
      } else return node;
    }
  }

  #field(of: Node): Node {
    const dot = this.#take();
    const isOptional = this.#accept("?");
    const { kind, text, at } = this.#peek();
    if (kind !== "name") throw new SyntaxFailure(at, `no viable alternative at input '.${kind === "end" ? "" : text}'`);
    if (text.startsWith("`")) this.failures.push({ at, text: "unsupported syntax: '`'" });
    this.#next++;
    if (!isOptional && this.#is("(")) return this.#call(text, of);
    return nodeOf({ op: "select", of, field: text.replaceAll("`", ""), isOptional }, dot.at, [of]);
  }

  #call(name: string, target?: Node): Node {
    const { at } = this.#take();
    const args: Node[] = [];
    if (this.#peek().kind === "end") throw this.#mismatched(OPERAND.replace("'(',", "'(', ')',"));
    if (!this.#is(")")) {
      do args.push(this.#expression());
      while (this.#accept(","));
    }
    this.#close(")", args.length > 0 ? "')'" : OPERAND);
    return nodeOf({ op: "call", name, target, args }, at, target ? [target, ...args] : args);
  }

  #primary(): Node {
    const token = this.#peek();
    const { kind, text, at } = token;
    if (kind === "string" || kind === "bytes" || kind === "int" || kind === "uint" || kind === "double") {
      this.#next++;
      if (!isInRange(kind, text)) this.failures.push({ at, text: `invalid ${kind} literal` });
      return nodeOf({ op: "literal", type: kind, text }, at);
    }
    if (kind === "name") return this.#name();
    if (text === "." && kind === "operator" && this.#peek(1).kind === "name") {
      this.#next++;
      return this.#name(".");
    }
    if (this.#accept("(")) {
      const node = this.#expression();
      this.#close(")", "')'");
      return node;
    }
    if (this.#is("[")) return this.#list();
    if (this.#is("{")) return this.#map();
    throw this.#noOperand(token);
  }

  #name(prefix = ""): Node {
    const { text, at } = this.#take();
    if (prefix === "" && (text === "true" || text === "false"))
      return nodeOf({ op: "literal", type: "bool", text }, at);
    if (prefix === "" && text === "null") return nodeOf({ op: "literal", type: "null", text }, at);
    if (text === "in") throw this.#noOperand({ kind: "operator", text, at });
    if (RESERVED.has(text)) this.failures.push({ at, text: `reserved identifier: ${text}` });
    if (this.#is("(")) return this.#call(prefix + text);
    return nodeOf({ op: "name", name: prefix + text }, at);
  }

  #list(): Node {
    const { at } = this.#take();
    const items: Node[] = [];
    let hasOptional = false;
    while (!this.#isClosing("]", items.length > 0)) {
      if (items.length === 0 && this.#is(",")) {
        this.#next++;
        break;
      }
      if (this.#accept("?")) hasOptional = true;
      items.push(this.#expression());
      if (!this.#accept(",")) break;
    }
    this.#close("]", "{']', ','}");
    return nodeOf({ op: "list", items, hasOptional }, at, items);
  }

  #map(): Node {
    const { at } = this.#take();
    const entries: [Node, Node][] = [];
    let hasOptional = false;
    while (!this.#isClosing("}", entries.length > 0)) {
      if (entries.length === 0 && this.#accept(",")) break;
      if (this.#accept("?")) hasOptional = true;
      const key = this.#expression();
      if (!this.#accept(":")) throw this.#mismatched("':'");
      entries.push([key, this.#expression()]);
      if (!this.#accept(",")) break;
    }
    this.#close("}", "{'}', ','}");
    return nodeOf({ op: "map", entries, hasOptional }, at, entries.flat());
  }

  #message(type: string): Node {
    const { at } = this.#take();
    const values: Node[] = [];
    while (!this.#isClosing("}", values.length > 0)) {
      if (values.length === 0 && this.#accept(",")) break;
      this.#accept("?");
      if (this.#peek().kind !== "name") throw this.#mismatched("{'}', IDENTIFIER}");
      this.#next++;
      if (!this.#accept(":")) throw this.#mismatched("':'");
      values.push(this.#expression());
      if (!this.#accept(",")) break;
    }
    this.#close("}", "{'}', ','}");
    return nodeOf({ op: "message", type, values }, at, values);
  }

  #mismatched(expected: string): SyntaxFailure {
    const { text, at } = this.#peek();
    return new SyntaxFailure(at, `mismatched input '${text}' expecting ${expected}`);
  }

  /** Behind a comma that ends a list: a bracket must follow, unless another item does. */
  #isClosing(bracket: string, isBehindComma: boolean): boolean {
    if (this.#is(bracket)) return true;
    if (isBehindComma && (this.#peek().kind === "end" || this.#is(","))) this.#close(bracket, `'${bracket}'`);
    return false;
  }

  /** Takes a closing bracket. The one that is missing, or has a token before it, is told of as such. */
  #close(bracket: string, expected: string): void {
    if (this.#accept(bracket)) return;
    const { kind, text, at } = this.#peek();
    if (kind === "end" && expected === `'${bracket}'`) throw new SyntaxFailure(at, `missing ${expected} at '<EOF>'`);
    const fault = kind !== "end" && this.#is(bracket, 1) ? "extraneous" : "mismatched";
    throw new SyntaxFailure(at, `${fault} input '${text}' expecting ${expected}`);
  }

  /** A token too many before an operand, or no operand at all. */
  #noOperand({ text, at }: Token): SyntaxFailure {
    const after = this.#tokens.find((token) => token.at > at);
    const isOperand =
      after !== undefined && after.kind !== "end" && (after.kind !== "operator" || /^[[{(.!-]$/.test(after.text));
    return new SyntaxFailure(at, `${isOperand ? "extraneous" : "mismatched"} input '${text}' expecting ${OPERAND}`);
  }
}

/** `a.b.c` of names alone: what may be the type of a message. */
export function qualifiedName(node: Node): string | undefined {
  if (node.op === "name") return node.name;
  if (node.op !== "select") return undefined;
  const of = qualifiedName(node.of);
  return of === undefined ? undefined : `${of}.${node.field}`;
}
