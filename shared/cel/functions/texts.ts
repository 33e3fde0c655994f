import { parsePattern } from "../pattern.ts";
import { areEqual, CelError, type CelValue, type Spend } from "../values.ts";
import { type CelFunction, type FunctionTable, isText, ofText, ofTexts } from "./function.ts";

/** An index of characters, not of UTF-16 units. */
function characterIndex(characters: string[], value: CelValue | undefined): number {
  if (typeof value !== "bigint" || value < 0n || value > BigInt(characters.length)) {
    throw new CelError(`index out of range: ${String(value)}`);
  }
  return Number(value);
}

/** Also called without a target. */
export function matches([text, pattern]: CelValue[], spend: Spend): CelValue | undefined {
  if (!isText(text) || !isText(pattern)) return undefined;
  const { expression, costOn } = parsePattern(pattern);
  spend(costOn(text.length));
  return expression.test(text);
}

function substring([text, from, to]: CelValue[], spend: Spend): CelValue | undefined {
  if (!isText(text)) return undefined;
  spend(text.length / 10);
  const characters = [...text];
  const end = to === undefined ? characters.length : characterIndex(characters, to);
  const start = characterIndex(characters, from);
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  return characters.slice(start, end).join("");
}

/** Of texts and of lists. */
const indexIn =
  (find: "indexOf" | "lastIndexOf"): CelFunction =>
  ([within, what, offset], spend) => {
    if (offset !== undefined) return undefined;
    if (Array.isArray(within)) {
      spend(within.length);
      const isIt = (item: CelValue) => areEqual(item, what!, spend);
      return BigInt(find === "indexOf" ? within.findIndex(isIt) : within.findLastIndex(isIt));
    }
    if (!isText(within) || !isText(what)) return undefined;
    spend((within.length + what.length) / 10);
    const at = within[find](what);
    return at < 0 ? -1n : BigInt([...within.slice(0, at)].length);
  };

function split([text, separator, limit]: CelValue[], spend: Spend): CelValue | undefined {
  if (!isText(text) || !isText(separator)) return undefined;
  spend(text.length / 10);
  const parts = separator === "" ? [...text] : text.split(separator);
  if (limit === undefined) return parts;
  if (typeof limit !== "bigint") return undefined;
  if (limit < 0n) return parts;
  const most = Number(limit);
  if (most === 0) return [];
  return parts.length <= most ? parts : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function replace([text, what, by, limit]: CelValue[], spend: Spend): CelValue | undefined {
  if (!isText(text) || !isText(what) || !isText(by)) return undefined;
  spend((text.length + 1) * (by.length + 1));
  if (limit !== undefined && typeof limit !== "bigint") return undefined;
  if (limit === undefined || limit < 0n) return text.replaceAll(what, () => by);
  let left = Number(limit);
  return text.replaceAll(what, (found) => (left-- > 0 ? by : found));
}

function join([list, separator = ""]: CelValue[], spend: Spend): CelValue | undefined {
  if (!Array.isArray(list) || !isText(separator) || !list.every(isText)) return undefined;
  spend(list.reduce((sum, item) => sum + item.length + separator.length, 0) / 10);
  return list.join(separator);
}

/** Also those that lists have, too: `join` and `indexOf`. */
export const TEXT_METHODS: FunctionTable = {
  matches,
  contains: ofTexts((text, other) => text.includes(other)),
  startsWith: ofTexts((text, other) => text.startsWith(other)),
  endsWith: ofTexts((text, other) => text.endsWith(other)),
  lowerAscii: ofText((text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  upperAscii: ofText((text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  trim: ofText((text) => text.trim()),
  substring,
  charAt: ([text, at], spend) => {
    if (!isText(text)) return undefined;
    spend(text.length / 10);
    const characters = [...text];
    return characters[characterIndex(characters, at)] ?? "";
  },
  split,
  replace,
  join,
  indexOf: indexIn("indexOf"),
  lastIndexOf: indexIn("lastIndexOf"),
};
