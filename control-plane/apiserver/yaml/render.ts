import { escapeCharacter, literalHints, type ScalarStyle, styleOf } from "./scalar.ts";

const INDENT = 2;
/** A text is broken at the first single space behind this column. */
const WIDTH = 80;
/** Longer keys are written with a `?` in front. */
const MAX_SIMPLE_KEY_BYTES = 128;

/**
 * A JSON value as go-yaml, and so upstream, writes it: keys sorted, lists not indented, long texts folded, text quoted
 * where YAML 1.1 would read something else (`yes`, dates). Undefined members are left out.
 */
export function renderYaml(value: unknown): string {
  const writer = new YamlWriter();
  writer.node(value, 0);
  return writer.finish();
}

const QUOTING: Record<Exclude<ScalarStyle, "literal">, { mark: string; write: (char: string) => string }> = {
  plain: { mark: "", write: (char) => char },
  single: { mark: "'", write: (char) => (char === "'" ? "''" : char) },
  double: { mark: '"', write: escapeCharacter },
};

class YamlWriter {
  #text = "";
  /** Of the line, in characters. */
  #column = 0;

  finish(): string {
    return this.#column > 0 ? `${this.#text}\n` : this.#text;
  }

  /** A mapping or list begins where the writer stands, and goes on at `indent`. */
  node(value: unknown, indent: number): void {
    if (Array.isArray(value) && value.length > 0) this.#list(value, indent);
    else if (isMapping(value) && Object.keys(value).length > 0) this.#mapping(value, indent);
    else this.#leaf(value, indent);
  }

  #list(items: unknown[], indent: number): void {
    items.forEach((item, index) => {
      if (index > 0) this.#newLine(indent);
      this.#put("- ");
      this.node(item, indent + INDENT);
    });
  }

  #mapping(mapping: Record<string, unknown>, indent: number): void {
    const keys = Object.keys(mapping).filter((key) => mapping[key] !== undefined);
    keys.sort(compareKeys).forEach((key, index) => {
      if (index > 0) this.#newLine(indent);
      const isSimple = !key.includes("\n") && new TextEncoder().encode(key).length <= MAX_SIMPLE_KEY_BYTES;
      if (!isSimple) this.#put("? ");
      this.#scalar(key, indent + INDENT, isSimple);
      if (!isSimple) this.#newLine(indent);
      this.#put(":");
      this.#member(mapping[key], indent);
    });
  }

  #member(value: unknown, indent: number): void {
    const isList = Array.isArray(value) && value.length > 0;
    const isNested = isMapping(value) && Object.keys(value).length > 0;
    if (!isList && !isNested) {
      this.#put(" ");
      this.#leaf(value, indent + INDENT);
      return;
    }
    const inner = isList ? indent : indent + INDENT;
    this.#newLine(inner);
    this.node(value, inner);
  }

  #leaf(value: unknown, indent: number): void {
    if (typeof value === "string") this.#scalar(value, indent, false);
    else this.#put(Array.isArray(value) ? "[]" : isMapping(value) ? "{}" : String(value));
  }

  /** @param indent of the lines that a long text goes on in */
  #scalar(text: string, indent: number, isKey: boolean): void {
    const style = styleOf(text, isKey);
    if (style === "literal") {
      this.#literal(text, indent);
      return;
    }
    const { mark, write } = QUOTING[style];
    this.#put(mark);
    const whole = Array.from(text, write).join("");
    if (isKey || this.#column + whole.length <= WIDTH) this.#put(whole);
    else this.#folded(Array.from(text), indent, style);
    this.#put(mark);
  }

  /** Of spaces in a row none is given up for a line end, save the first between double quotes. */
  #folded(chars: string[], indent: number, style: "plain" | "single" | "double"): void {
    chars.forEach((char, i) => {
      const isFirst = char === " " && chars[i - 1] !== " ";
      const isLone = isFirst && chars[i + 1] !== " ";
      const isInside = i > 0 && i < chars.length - 1;
      if (this.#column > WIDTH && isInside && (isLone || (isFirst && style === "double"))) {
        this.#newLine(indent);
        if (!isLone) this.#put("\\");
      } else this.#put(QUOTING[style].write(char));
    });
  }

  #literal(text: string, indent: number): void {
    this.#put(`|${literalHints(text)}`);
    for (const line of text.replace(/\n$/, "").split("\n")) {
      this.#breakLine();
      if (line !== "") this.#put(" ".repeat(indent) + line);
    }
    if (text.endsWith("\n")) this.#breakLine();
  }

  #put(text: string): void {
    this.#text += text;
    this.#column += text.length;
  }

  #breakLine(): void {
    this.#text += "\n";
    this.#column = 0;
  }

  /** Where a text ended with its line, the next is there already. */
  #newLine(indent: number): void {
    if (this.#column > 0) this.#breakLine();
    this.#put(" ".repeat(indent));
  }
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Go-yaml's order: numbers in texts count by their value, and whatever is no letter comes before letters. */
function compareKeys(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  const [left = "", right = ""] = [a.slice(i), b.slice(i)];
  if (left === "" || right === "") return left.length - right.length;
  const isLetter = [/^\p{L}/u.test(left), /^\p{L}/u.test(right)];
  if (isLetter[0] !== isLetter[1]) return isLetter[0] ? 1 : -1;
  const numbers = [/^\d+/.exec(left)?.[0], /^\d+/.exec(right)?.[0]];
  const byValue = Number(numbers[0] ?? 0) - Number(numbers[1] ?? 0);
  if (byValue !== 0) return byValue;
  const byLength = (numbers[0]?.length ?? 0) - (numbers[1]?.length ?? 0);
  return byLength !== 0 ? byLength : left < right ? -1 : 1;
}
