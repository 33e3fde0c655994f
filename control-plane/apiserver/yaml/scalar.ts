/** How a text is written. */
export type ScalarStyle = "plain" | "single" | "double" | "literal";

/** What YAML 1.1 would read as something other than text. */
const WORDS =
  /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|~|null|Null|NULL|\.nan|\.NaN|\.NAN|[-+]?\.(?:inf|Inf|INF)|)$/;
const DATES = /^\d{4}-\d\d?-\d\d?(?:[Tt]\d\d?:\d\d?:\d\d?(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| \d\d?:\d\d?:\d\d?(?:\.\d+)?)?$/;
const BASED_INTEGERS = /^[-+]?0(?:[xX][0-9a-fA-F]{1,16}|[bB][01]{1,64}|[oO][0-7]{1,22})$/;
const NUMBERS = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
/** `1:30` is ninety to some readers. */
const BASE_60 = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/;

/** What go-yaml prints as it is; line ends are told apart by the styles. */
const UNPRINTABLE = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
/** Characters that mean something at the start of a text, or at all. */
const INDICATORS = /^[#,[\]{}&*!|>'"%@`]|^---|^\.\.\.|^[?:-](?: |$)|:(?: |$)| #/;
/** Spaces that a block of lines would lose. */
const LOST_IN_LITERAL = / (?:\n|$)/;

function readsAsText(text: string): boolean {
  if (WORDS.test(text) || DATES.test(text) || BASE_60.test(text)) return false;
  if (!/^[-+.\d]/.test(text)) return true;
  const digits = text.replaceAll("_", "");
  if (BASED_INTEGERS.test(digits)) return false;
  return !(NUMBERS.test(digits) && Number.isFinite(Number(digits)));
}

/** @param isKey keys stay on one line */
export function styleOf(text: string, isKey: boolean): ScalarStyle {
  if (UNPRINTABLE.test(text)) return "double";
  if (text.includes("\n")) return isKey || LOST_IN_LITERAL.test(text) ? "double" : "literal";
  if (!readsAsText(text)) return "double";
  return INDICATORS.test(text) || text.startsWith(" ") || text.endsWith(" ") ? "single" : "plain";
}

const NAMED_ESCAPES: Record<string, string> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\u0085": "N",
  "\u2028": "L",
  "\u2029": "P",
};

/** One character between double quotes. */
export function escapeCharacter(char: string): string {
  const named = NAMED_ESCAPES[char];
  if (named !== undefined) return `\\${named}`;
  if (!UNPRINTABLE.test(char)) return char;
  const code = char.codePointAt(0)!;
  const hex = (digits: number) => code.toString(16).toUpperCase().padStart(digits, "0");
  if (code <= 0xff) return `\\x${hex(2)}`;
  return code <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

/** `-`, `+` or nothing: what a reader does with the line ends at the end; a digit, where the first line is indented. */
export function literalHints(text: string): string {
  const indent = /^[ \n]/.test(text) ? "2" : "";
  if (!text.endsWith("\n")) return `${indent}-`;
  return text === "\n" || text.endsWith("\n\n") ? `${indent}+` : indent;
}
