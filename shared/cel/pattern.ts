import { CelError } from "./values.ts";

/** What a pattern may look like at most: longer ones are hardly written. */
const MAX_PATTERN_LENGTH = 1024;
/** In RE2 these do not exist, or mean something else. */
const FOREIGN = /\(\?(?:[=!]|<[=!])|\\[1-9kzZQECpPAGbB]/;

/** A regular expression, and how much work it can be at most. */
export interface Pattern {
  expression: RegExp;
  /** Steps to try it on a text of so many characters. */
  costOn(length: number): number;
}

/**
 * A regular expression as RE2 reads it. JavaScript's matcher goes back and tries again, so that a few characters can
 * keep it busy for years: what repeats may neither repeat inside nor have alternatives, which leaves a cost that is
 * a power of the text's length.
 * @throws CelError for what is no expression, and for what cannot be bounded
 */
export function parsePattern(source: string): Pattern {
  if (source.length > MAX_PATTERN_LENGTH) throw new CelError("regular expression is too long");
  if (FOREIGN.test(source)) throw new CelError(`unsupported regular expression: ${JSON.stringify(source)}`);
  let expression: RegExp;
  try {
    expression = new RegExp(source, "u");
  } catch (cause) {
    throw new CelError(`error parsing regexp: ${JSON.stringify(source)}`, { cause });
  }
  const { repeats, choices } = countWays(source);
  return {
    expression,
    costOn: (length) => (length + 1) ** (repeats + 1) * 2 ** choices + source.length,
  };
}

/** What repeats: `*`, `{2,}`, with the `?` that makes it lazy. */
const QUANTIFIER = /(?:[*+]|\{\d+(?:,\d*)?\})\??/y;

/** How often a pattern repeats, and how many other ways it has. */
function countWays(source: string): { repeats: number; choices: number } {
  let repeats = 0;
  let choices = 0;
  /** By open group: whether something in it makes repeating it dear. */
  const groups: boolean[] = [];
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!;
    const quantifier = quantifierAt(source, i);
    if (char === "\\") i++;
    else if (char === "[") i = endOfClass(source, i);
    else if (char === "(") {
      groups.push(false);
      if (source[i + 1] === "?") i++;
    } else if (char === ")") {
      if (groups.pop() && quantifierAt(source, i + 1)) {
        throw new CelError(`unsupported regular expression: ${JSON.stringify(source)} repeats what has many ways`);
      }
    } else if (quantifier) {
      repeats++;
      groups.fill(true);
      i += quantifier.length - 1;
    } else if (char === "|" || char === "?") {
      choices++;
      groups.fill(true);
    }
  }
  return { repeats, choices };
}

function quantifierAt(source: string, at: number): string | undefined {
  QUANTIFIER.lastIndex = at;
  return QUANTIFIER.exec(source)?.[0];
}

/** @throws CelError for a class that begins with a bracket: part of it in RE2, the end of an empty one in JavaScript */
function endOfClass(source: string, start: number): number {
  if (/^\[\^?\]/.test(source.slice(start, start + 3))) {
    throw new CelError(`unsupported regular expression: ${JSON.stringify(source)}`);
  }
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "]") return i;
  }
  return source.length;
}
