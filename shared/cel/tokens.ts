/** What is wrong with an expression, and where: `at` counts UTF-16 units from its start; -1: no place in particular. */
export interface Failure {
  at: number;
  text: string;
}

export type TokenKind = "string" | "bytes" | "name" | "int" | "uint" | "double" | "operator" | "end";

export interface Token {
  kind: TokenKind;
  text: string;
  at: number;
}

const STRING = String.raw`[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?''')|[rR](?:"[^"\n\r]*"|'[^'\n\r]*')|"(?:\\(?:[abfnrtv"'\\?${"`"}]|x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})|[^"\\\n\r])*"|'(?:\\(?:[abfnrtv"'\\?${"`"}]|x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})|[^'\\\n\r])*'`;

/** In the order in which they are tried. */
const TOKENS: [kind: TokenKind | "space", pattern: string][] = [
  ["space", String.raw`\s+|//[^\n]*`],
  ["bytes", `[bB](?:${STRING})|[rR][bB](?:"[^"\\n\\r]*"|'[^'\\n\\r]*')`],
  ["string", STRING],
  ["name", "`[a-zA-Z0-9_.\\-/ ]+`|[_a-zA-Z][_a-zA-Z0-9]*"],
  ["double", String.raw`(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+`],
  ["uint", String.raw`(?:0x[0-9a-fA-F]+|\d+)[uU]`],
  ["int", String.raw`0x[0-9a-fA-F]+|\d+`],
  ["operator", String.raw`&&|\|\||[=!<>]=|[-+*/%<>!?:.,()[\]{}]`],
];

const PATTERNS = TOKENS.map(([kind, pattern]) => ({ kind, pattern: new RegExp(pattern, "y") }));

/**
 * An expression's tokens, the last of them its end; what is none is skipped and told of, as ANTLR's lexers do.
 * @see CEL's grammar (CEL.g4)
 */
export function tokensOf(expression: string): { tokens: Token[]; failures: Failure[] } {
  const tokens: Token[] = [];
  const failures: Failure[] = [];
  let at = 0;
  while (at < expression.length) {
    const found = match(expression, at);
    if (found) {
      if (found.kind !== "space") tokens.push({ kind: found.kind, text: found.text, at });
      at += found.text.length;
    } else {
      const text = unrecognized(expression, at);
      failures.push({ at, text: `Syntax error: token recognition error at: '${text}'` });
      at += text.length;
    }
  }
  return { tokens: [...tokens, { kind: "end", text: "<EOF>", at: expression.length }], failures };
}

function match(expression: string, at: number): { kind: TokenKind | "space"; text: string } | undefined {
  for (const { kind, pattern } of PATTERNS) {
    pattern.lastIndex = at;
    const text = pattern.exec(expression)?.[0];
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

/** The lexer reads on as long as a token may still come of it: a quote to the end of its line, `=` one character. */
function unrecognized(expression: string, at: number): string {
  const char = expression.charAt(at);
  if (char === '"' || char === "'") {
    const rest = expression.slice(at + 1).search(/\\(?![abfnrtv"'\\?`xXuU0-3])|[\n\r]/);
    return rest < 0
      ? expression.slice(at)
      : expression.slice(at, at + 1 + rest + (expression[at + 1 + rest] === "\\" ? 2 : 0));
  }
  return "=&|".includes(char) ? expression.slice(at, at + 2) : char;
}
