import type { Json, JsonObject } from "../api/json.ts";
import { parseJsonNumbers } from "../api/json-numbers.ts";
import { printPath } from "./print-path.ts";

/**
 * Fields that a JSON text sets more than once, in document order, each named once: `duplicate field "spec.x"`.
 * The text has been read by JSON.parse without an error; the last value is the one that counted.
 * @param value what JSON.parse made of the text: only if it has fewer keys is the text looked at closely
 */
export function duplicateFields(text: string, value: unknown): string[] {
  return countKeysInText(text) === countKeys(value) ? [] : new DuplicateScan(text).run();
}

/** Between a repeated key and its number; no name of a field or key of ours has it. */
const REPEATED = "\u0000";

/**
 * A JSON text's value in which the keys that an object sets again are members of their own, so that the decoder can tell
 * of them and merge them as Go's does: `image`, and `image` with a number behind it.
 * @param value what JSON.parse made of the text
 */
export function keepRepeatedKeys(text: string, value: Json): Json {
  if (countKeysInText(text) === countKeys(value)) return value;
  return parseJsonNumbers(new DuplicateScan(text).numbered());
}

/** The key itself, and whether it is a repeated one. */
export function plainKey(key: string): { name: string; isRepeated: boolean } {
  const at = key.indexOf(REPEATED);
  return at < 0 ? { name: key, isRepeated: false } : { name: key.slice(0, at), isRepeated: true };
}

/** What counts of a member that may be repeated: the last that is not null, as Go's decoder has it for a scalar. */
export function lastOfRepeated(object: JsonObject, name: string): Json | undefined {
  let last: Json | undefined;
  for (const [key, value] of Object.entries(object)) {
    if (value !== null && plainKey(key).name === name) last = value;
  }
  return last;
}

/** Deeper values are left to the scan, which needs no stack. */
const MAX_COUNTED_DEPTH = 500;

function countKeys(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > MAX_COUNTED_DEPTH) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item, depth + 1);
    return count;
  }
  for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key], depth + 1);
  return count;
}

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** One colon outside of strings a key. */
function countKeysInText(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COLON) count++;
    else if (code === QUOTE) at = endOfString(text, at);
  }
  return count;
}

/** The index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** Upstream reports no more errors than that. */
const MAX_DUPLICATES = 100;
/** Of all paths together, in UTF-16 units: each may be as long as the text. */
const MAX_PATHS_LENGTH = 1024 * 1024;

interface Level {
  /** Of an object: the keys so far. Of a list: undefined. */
  keys: Set<string> | undefined;
  /** Of a list: the index of the item at hand. */
  index: number;
}

class DuplicateScan {
  readonly #text: string;
  readonly #levels: Level[] = [];
  readonly #path: (string | number)[] = [];
  readonly #found = new Set<string>();
  #foundLength = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): string[] {
    this.#scan(() => {
      const path = printPath(this.#path);
      this.#found.add(path);
      this.#foundLength += path.length;
      return this.#found.size < MAX_DUPLICATES && this.#foundLength < MAX_PATHS_LENGTH;
    });
    return [...this.#found].map((field) => `duplicate field ${JSON.stringify(field)}`);
  }

  /** @param tell is called for each repeated key while the walk is at it; false ends the walk */
  #scan(tell: (end: number) => boolean): void {
    const text = this.#text;
    for (let at = 0; at < text.length; at++) {
      const char = text.charAt(at);
      if (char === '"') {
        const { end, isRepeated } = this.#string(at);
        if (isRepeated && !tell(end)) return;
        at = end;
      } else if (char === "{" || char === "[") this.#open(char === "{");
      else if (char === "}" || char === "]") this.#close();
      else if (char === ",") this.#next();
    }
  }

  /** The text with a number behind each repeated key. */
  numbered(): string {
    const ends: number[] = [];
    this.#scan((end) => ends.push(end) > 0);
    let from = 0;
    const parts = ends.map((end, index) => {
      const part = `${this.#text.slice(from, end)}\\u0000${index}`;
      from = end;
      return part;
    });
    return parts.join("") + this.#text.slice(from);
  }

  #open(isObject: boolean): void {
    this.#levels.push({ keys: isObject ? new Set() : undefined, index: 0 });
    this.#path.push(isObject ? "" : 0);
  }

  #close(): void {
    this.#levels.pop();
    this.#path.pop();
  }

  #next(): void {
    const level = this.#levels.at(-1);
    if (level && !level.keys) this.#path[this.#path.length - 1] = ++level.index;
  }

  /** A string with a colon behind it is a key. */
  #string(start: number): { end: number; isRepeated: boolean } {
    const end = endOfString(this.#text, start);
    const level = this.#levels.at(-1);
    if (!level?.keys || !this.#isKey(end)) return { end, isRepeated: false };
    const key = JSON.parse(this.#text.slice(start, end + 1)) as string;
    this.#path[this.#path.length - 1] = key;
    const isRepeated = level.keys.has(key);
    level.keys.add(key);
    return { end, isRepeated };
  }

  #isKey(end: number): boolean {
    let at = end + 1;
    while (" \t\r\n".includes(this.#text.charAt(at)) && at < this.#text.length) at++;
    return this.#text.charAt(at) === ":";
  }
}
