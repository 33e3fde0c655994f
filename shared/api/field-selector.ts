import type { Requirement } from "./requirement.ts";
import { badRequest } from "./status.ts";

/** Checked in this order, lest `==` be read as `=` and a value that begins with it. */
const OPERATORS = ["!=", "==", "="] as const;

/**
 * Parses `metadata.name=a,spec.nodeName!=b`; a backslash before `,`, `=` or itself makes it part of the value. Which
 * fields a kind has is not checked here (parseFieldSelectorFor in shared/schema does).
 * @throws ApiError 400, in upstream's words
 */
export function parseFieldSelector(text: string): Requirement[] {
  return splitTerms(text)
    .sort()
    .filter((term) => term !== "")
    .map((term) => parseTerm(term, text));
}

/** At commas, save those behind a backslash; the backslashes stay. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\") at++;
    else if (char === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): Requirement {
  for (let at = 0; at < term.length; at++) {
    const operator = OPERATORS.find((candidate) => term.startsWith(candidate, at));
    if (!operator) continue;
    const value = unescapeValue(term.slice(at + operator.length));
    return { key: term.slice(0, at), operator: operator === "!=" ? "!=" : "=", values: [value] };
  }
  throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
}

function unescapeValue(text: string): string {
  let value = "";
  let escaped = false;
  for (const char of text) {
    if (escaped) {
      if (char !== "\\" && char !== "," && char !== "=") {
        throw badRequest(`invalid field selector: invalid escape sequence: \\${char}`);
      }
      value += char;
      escaped = false;
    } else if (char === "\\") {
      escaped = true;
    } else if (char === "," || char === "=") {
      // Upstream prints the character's code.
      throw badRequest(`invalid field selector: unescaped character in value: ${char.codePointAt(0)}`);
    } else {
      value += char;
    }
  }
  if (escaped) throw badRequest("invalid field selector: invalid escape sequence: \\");
  return value;
}
