import { CelError } from "./values.ts";

/** What a pattern may look like at most: longer ones are hardly written. */
const MAX_PATTERN_LENGTH = 1024;
/** In RE2 these do not exist, or mean something else. */
const FOREIGN = /\(\?(?:[=!]|<[=!])|\\[1-9kzZQECpPAGbB]/;
const REPEATED = /^(?:[*+]|\{\d+(?:,\d*)?\})/;

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

/** How often a pattern repeats, and how many other ways it has. */
function countWays(source: string): { repeats: number; choices: number } {
  let repeats = 0;
  let choices = 0;
  /** By open group: whether something in it makes repeating it dear. */
  const groups: boolean[] = [];
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!;
    if (char === "\\") i++;
    else if (char === "[") i = endOfClass(source, i);
    else if (char === "(") groups.push(false);
    else if (char === "|") {
      choices++;
      groups.fill(true);
    } else if (char === ")") {
      const isDear = groups.pop();
      if (isDear && REPEATED.test(source.slice(i + 1))) {
        throw new CelError(`unsupported regular expression: ${JSON.stringify(source)} repeats what has many ways`);
      }
    } else if (REPEATED.test(source.slice(i))) {
      repeats++;
      groups.fill(true);
    } else if (char === "?" && source[i - 1] !== "(" && !"*+}".includes(source[i - 1] ?? "")) {
      choices++;
      groups.fill(true);
    }
  }
  return { repeats, choices };
}

function endOfClass(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "]" && i > start + 1) return i;
  }
  return source.length;
}
