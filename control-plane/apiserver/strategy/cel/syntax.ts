import type { Failure, Token } from "./tokens.ts";

/** A part of an expression. `at`: where cel-go says it is. */
export type Node = { at: number } & (
  | { op: "literal"; type: string }
  | { op: "name"; name: string }
  | { op: "select"; of: Node; field: string; isOptional: boolean }
  | { op: "call"; name: string; target?: Node; args: Node[] }
  | { op: "index"; of: Node; index: Node; isOptional: boolean }
  | { op: "list"; items: Node[] }
  | { op: "map"; entries: [key: Node, value: Node][] }
  | { op: "message"; type: string; values: Node[] }
  | { op: "unary"; operator: "!" | "-"; of: Node }
  | { op: "binary"; operator: string; left: Node; right: Node }
  | { op: "choice"; when: Node; yes: Node; no: Node }
);

/** The expression does not follow the grammar; what follows the first fault is not looked at. */
class SyntaxFailure extends Error {
  readonly failure: Failure;

  constructor(at: number, detail: string) {
    super(detail);
    this.failure = { at, text: `Syntax error: ${detail}` };
  }
}

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
/** From the loosest to the tightest. */
const LEVELS = [["||"], ["&&"], ["<", "<=", ">=", ">", "==", "!=", "in"], ["+", "-"], ["*", "/", "%"]];
/** Far more than an expression needs; it keeps a hostile one from using up the stack. */
const MAX_DEPTH = 250;
const RESERVED = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

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
      throw new SyntaxFailure(this.#peek().at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    }
    const when = this.#binary(0);
    let node = when;
    if (this.#is("?")) {
      const { at } = this.#take();
      const yes = this.#binary(0);
      if (!this.#accept(":")) throw this.#mismatched("':'");
      node = { op: "choice", at, when, yes, no: this.#expression() };
    }
    this.#depth--;
    return node;
  }

  #binary(level: number): Node {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    while (operators.some((operator) => this.#is(operator))) {
      const { text, at } = this.#take();
      left = { op: "binary", at, operator: text, left, right: this.#binary(level + 1) };
    }
    return left;
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
    const of = this.#member();
    return count % 2 === 0 ? of : { op: "unary", at: first.at, operator: first.text, of };
  }

  #member(): Node {
    let node = this.#primary();
    for (;;) {
      if (this.#is(".")) node = this.#field(node);
      else if (this.#is("[")) {
        const { at } = this.#take();
        const isOptional = this.#accept("?");
        if (this.#peek().kind === "end" || this.#is("]")) throw this.#mismatched(OPERAND.replace("'!',", "'!', '?',"));
        const index = this.#expression();
        this.#close("]", "']'");
        node = { op: "index", at, of: node, index, isOptional };
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
    return { op: "select", at: dot.at, of, field: text.replaceAll("`", ""), isOptional };
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
    return { op: "call", at, name, target, args };
  }

  #primary(): Node {
    const token = this.#peek();
    const { kind, text, at } = token;
    if (kind === "string" || kind === "bytes" || kind === "int" || kind === "uint" || kind === "double") {
      this.#next++;
      if (kind === "int" && BigInt(text) >= 2n ** 63n) this.failures.push({ at, text: "invalid int literal" });
      return { op: "literal", at, type: kind };
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
    if (prefix === "" && (text === "true" || text === "false")) return { op: "literal", at, type: "bool" };
    if (prefix === "" && text === "null") return { op: "literal", at, type: "null" };
    if (text === "in") throw this.#noOperand({ kind: "operator", text, at });
    if (RESERVED.has(text)) this.failures.push({ at, text: `reserved identifier: ${text}` });
    if (this.#is("(")) return this.#call(prefix + text);
    return { op: "name", at, name: prefix + text };
  }

  #list(): Node {
    const { at } = this.#take();
    const items: Node[] = [];
    while (!this.#isClosing("]", items.length > 0)) {
      if (items.length === 0 && this.#is(",")) {
        this.#next++;
        break;
      }
      this.#accept("?");
      items.push(this.#expression());
      if (!this.#accept(",")) break;
    }
    this.#close("]", "{']', ','}");
    return { op: "list", at, items };
  }

  #map(): Node {
    const { at } = this.#take();
    const entries: [Node, Node][] = [];
    while (!this.#isClosing("}", entries.length > 0)) {
      if (entries.length === 0 && this.#accept(",")) break;
      this.#accept("?");
      const key = this.#expression();
      if (!this.#accept(":")) throw this.#mismatched("':'");
      entries.push([key, this.#expression()]);
      if (!this.#accept(",")) break;
    }
    this.#close("}", "{'}', ','}");
    return { op: "map", at, entries };
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
    return { op: "message", at, type, values };
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
