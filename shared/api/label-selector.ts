import { checkQualifiedName } from "./names.ts";
import { byKey, newRequirement, type Requirement, sortedSet } from "./requirement.ts";
import { badRequest } from "./status.ts";

/**
 * Parses the text form of a label selector: `a=b,c!=d,e in (f,g),h notin (),i,!j,k>1`.
 * @returns requirements sorted by key; none for an empty text
 * @throws ApiError 400, in upstream's words
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api
 */
export function parseLabelSelector(text: string): Requirement[] {
  return new LabelSelectorParser(scan(text)).parse().sort(byKey);
}

const BINARY_OPERATORS: Partial<Record<LabelToken["type"], Requirement["operator"]>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "=",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

class LabelSelectorParser {
  readonly #tokens: LabelToken[];
  #position = 0;

  constructor(tokens: LabelToken[]) {
    this.#tokens = tokens;
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.type === "end") return requirements;
      if (first.type !== "word" && first.type !== "!") {
        throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.type === "end") return requirements;
      if (next.type !== ",") throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.type !== "word" && after.type !== "!") {
        throw badRequest(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  /** `in` and `notin` are operators only in the operator's place; elsewhere they are words. */
  #peek(): LabelToken {
    const token = this.#tokens[this.#position] ?? { type: "end", text: "" };
    return token.type === "in" || token.type === "notin" ? { type: "word", text: token.text } : token;
  }

  #take(): LabelToken {
    const token = this.#peek();
    this.#position++;
    return token;
  }

  #requirement(): Requirement {
    try {
      return this.#parseRequirement();
    } catch (error) {
      throw badRequest(`unable to parse requirement: ${(error as Error).message}`);
    }
  }

  #parseRequirement(): Requirement {
    let token = this.#take();
    const negated = token.type === "!";
    if (negated) token = this.#take();
    if (token.type !== "word") throw badRequest(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const keyErrors = checkQualifiedName(key);
    if (keyErrors.length > 0) {
      // Upstream prints its nil path here.
      throw badRequest(`<nil>: Invalid value: ${JSON.stringify(key)}: ${keyErrors.join("; ")}`);
    }
    if (negated) return newRequirement(key, "!", []);
    const end = this.#peek().type;
    if (end === "end" || end === ",") return newRequirement(key, "exists", []);
    const operatorToken = this.#tokens[this.#position++] ?? { type: "end", text: "" };
    const operator = BINARY_OPERATORS[operatorToken.type];
    if (!operator) throw badRequest(`found '${operatorToken.text}', expected: in, notin, =, ==, !=, gt, lt`);
    const values = operator === "in" || operator === "notin" ? this.#values() : [this.#exactValue()];
    return newRequirement(key, operator, sortedSet(values));
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next.type === "end" || next.type === ",") return "";
    this.#position++;
    if (next.type !== "word") throw badRequest(`found '${next.text}', expected: identifier`);
    return next.text;
  }

  #values(): string[] {
    const open = this.#take();
    if (open.type !== "(") throw badRequest(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.type === ")") {
      this.#position++;
      return [""];
    }
    if (first.type !== "word" && first.type !== ",") {
      throw badRequest(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#valueList();
    if (this.#take().type !== ")") throw badRequest(`found '${first.text}', expected: ')'`);
    return values;
  }

  /** A comma with nothing on one side stands for the empty value. */
  #valueList(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (token.type === "word") {
        values.push(token.text);
        if (next.type === ")") return values;
        if (next.type !== ",") throw badRequest(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.type === ",") {
        if (values.length === 0) values.push("");
        if (next.type === ")") return [...values, ""];
        if (next.type === ",") values.push("");
      } else {
        throw badRequest(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }
}

/** A token of a label selector's text. */
interface LabelToken {
  type: "word" | "in" | "notin" | "=" | "==" | "!=" | "!" | ">" | "<" | "(" | ")" | "," | "end";
  text: string;
}

const SYMBOLS = "=!(),><";
const isSpace = (char: string) => char === " " || char === "\t" || char === "\r" || char === "\n";
const isSymbol = (char: string) => SYMBOLS.includes(char);

/** Splits a label selector into tokens, the last of which is `end`. */
function scan(text: string): LabelToken[] {
  const tokens: LabelToken[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (isSpace(char)) {
      at++;
      continue;
    }
    const token = isSymbol(char) ? scanSymbol(text, at) : scanWord(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  tokens.push({ type: "end", text: "" });
  return tokens;
}

function scanWord(text: string, start: number): LabelToken {
  let end = start + 1;
  while (end < text.length && !isSpace(text.charAt(end)) && !isSymbol(text.charAt(end))) end++;
  const word = text.slice(start, end);
  return { type: word === "in" || word === "notin" ? word : "word", text: word };
}

/** The longest operator that begins here; every symbol alone is one. */
function scanSymbol(text: string, start: number): LabelToken {
  const two = text.slice(start, start + 2);
  if (two === "==" || two === "!=") return { type: two, text: two };
  const one = text.charAt(start);
  return { type: one as LabelToken["type"], text: one };
}
