/**
 * Why a text is no JSON, in the words of Go's encoding/json. Only called for what JSON.parse has refused: it walks the
 * text once, as deep as the nesting goes.
 */
export function explainBadJson(text: string): string {
  try {
    new Scanner(text).document();
  } catch (error) {
    if (error instanceof BadJson) return error.message;
    // The stack of a Worker ends before MAX_DEPTH.
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  }
  return "unexpected end of JSON input";
}

class BadJson extends Error {}

const SPACE = 0x20;
const MAX_DEPTH = 10_000;
const TOO_DEEP = "exceeded max depth";

/** A walk over JSON text that stops at the first character that does not belong. */
class Scanner {
  private at = 0;
  private depth = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  document(): void {
    this.value("looking for beginning of value");
    this.space();
    if (this.at < this.text.length) this.fail("after top-level value");
  }

  private fail(context: string): never {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) throw new BadJson("unexpected end of JSON input");
    const char = String.fromCodePoint(code);
    throw new BadJson(`invalid character ${quoteChar(char)} ${context}`);
  }

  /** Within a literal, a number or an escape. Go looks whether a space would end it: where it would not, that is the fault. */
  private failWithin(context: string): never {
    const char = String.fromCodePoint(this.text.codePointAt(this.at) ?? SPACE);
    throw new BadJson(`invalid character ${quoteChar(char)} ${context}`);
  }

  private space(): void {
    while (" \t\r\n".includes(this.text[this.at] ?? "x")) this.at++;
  }

  private value(context: string): void {
    this.space();
    const char = this.text[this.at];
    if (char === "{") this.object();
    else if (char === "[") this.array();
    else if (char === '"') this.string();
    else if (char === "t") this.literal("true");
    else if (char === "f") this.literal("false");
    else if (char === "n") this.literal("null");
    else if (char !== undefined && /[-0-9]/.test(char)) this.number();
    else this.fail(context);
  }

  private nested(body: () => void): void {
    if (++this.depth > MAX_DEPTH) throw new BadJson(TOO_DEEP);
    this.at++;
    body();
    this.depth--;
  }

  private object(): void {
    this.nested(() => {
      this.space();
      if (this.text[this.at] === "}") {
        this.at++;
        return;
      }
      for (;;) {
        this.space();
        if (this.text[this.at] !== '"') this.fail("looking for beginning of object key string");
        this.string();
        this.space();
        if (this.text[this.at] !== ":") this.fail("after object key");
        this.at++;
        this.value("looking for beginning of value");
        this.space();
        const char = this.text[this.at];
        if (char !== "," && char !== "}") this.fail("after object key:value pair");
        this.at++;
        if (char === "}") return;
      }
    });
  }

  private array(): void {
    this.nested(() => {
      this.space();
      if (this.text[this.at] === "]") {
        this.at++;
        return;
      }
      for (;;) {
        this.value("looking for beginning of value");
        this.space();
        const char = this.text[this.at];
        if (char !== "," && char !== "]") this.fail("after array element");
        this.at++;
        if (char === "]") return;
      }
    });
  }

  private string(): void {
    this.at++;
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined || char < " ") this.fail("in string literal");
      this.at++;
      if (char === '"') return;
      if (char === "\\") this.escape();
    }
  }

  private escape(): void {
    const char = this.text[this.at];
    if (char === undefined || !'"\\/bfnrtu'.includes(char)) this.failWithin("in string escape code");
    this.at++;
    if (char !== "u") return;
    for (let i = 0; i < 4; i++, this.at++) {
      if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? "")) this.failWithin("in \\u hexadecimal character escape");
    }
  }

  private literal(word: string): void {
    for (let i = 0; i < word.length; i++, this.at++) {
      if (this.text[this.at] !== word[i]) this.failWithin(`in literal ${word} (expecting ${quoteChar(word[i]!)})`);
    }
  }

  private number(): void {
    if (this.text[this.at] === "-") this.at++;
    if (!/[0-9]/.test(this.text[this.at] ?? "")) this.failWithin("in numeric literal");
    if (this.text[this.at] === "0") this.at++;
    else this.digits();
    if (this.text[this.at] === ".") {
      this.at++;
      if (!/[0-9]/.test(this.text[this.at] ?? "")) this.failWithin("after decimal point in numeric literal");
      this.digits();
    }
    if (/[eE]/.test(this.text[this.at] ?? "")) {
      this.at++;
      if (/[-+]/.test(this.text[this.at] ?? "")) this.at++;
      if (!/[0-9]/.test(this.text[this.at] ?? "")) this.failWithin("in exponent of numeric literal");
      this.digits();
    }
  }

  private digits(): void {
    while (/[0-9]/.test(this.text[this.at] ?? "")) this.at++;
  }
}

const ESCAPES: Partial<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\u000b": "\\v",
  "\\": "\\\\",
  "'": "\\'",
};

/** Go sees bytes: of a character beyond ASCII it quotes the first one, as if that were a character of its own. */
function quoteChar(char: string): string {
  const byte = new TextEncoder().encode(char)[0]!;
  const shown = String.fromCharCode(byte);
  const escaped = ESCAPES[shown];
  if (escaped !== undefined) return `'${escaped}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, "0")}'`;
  return `'${shown}'`;
}
