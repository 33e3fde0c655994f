import type { Json, JsonObject } from "../../../shared/api/json.ts";
import { resolve, type Schema } from "../../../shared/schema/index.ts";

const TEXTS = [
  "",
  "a",
  "A_",
  "-",
  "web",
  "1",
  "0",
  "10%",
  "500m",
  "-1",
  "1e999",
  "a/b",
  "a.b/c",
  "/x",
  "..",
  "\u0000",
  "é",
  "*",
];
const WORDS = [
  "TCP",
  "Always",
  "Never",
  "ClusterIP",
  "IPv4",
  "192.0.2.1",
  "::1",
  "192.0.2.0/24",
  "Exists",
  "In",
  "Local",
];
const NUMBERS = [0, 1, -1, 80, 65_535, 65_536, 2 ** 31, -(2 ** 31), 0.5, 1e300];
const OTHERS: Json[] = [null, true, "x", 7, [], {}, [null], [[]], { "": null }];
const MAX_DEPTH = 7;

/** A stream of choices that a seed repeats. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than `bound`. */
  below(bound: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * bound);
  }

  /** Once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}

/** A value that a schema allows, of odd contents; now and then one that it does not allow. */
export function randomValue(schema: Schema, dice: Dice, depth = 0): Json {
  if (dice.once(60)) return dice.pick(OTHERS);
  const type = resolve(schema);
  if (type.properties) return randomStruct(type.properties, type.required ?? [], dice, depth);
  if (type.additionalProperties) {
    const values = type.additionalProperties;
    return Object.fromEntries(times(dice.below(3), () => [dice.pick(TEXTS), randomValue(values, dice, depth + 1)]));
  }
  if (type.type === "array") {
    return depth > MAX_DEPTH ? [] : times(dice.below(3), () => randomValue(type.items ?? {}, dice, depth + 1));
  }
  return randomScalar(type, dice);
}

function randomStruct(fields: Record<string, Schema>, required: string[], dice: Dice, depth: number): JsonObject {
  const object: JsonObject = {};
  // A wide struct gets a few of its fields, whatever its width; the deeper, the fewer.
  const share = Math.max(2, Math.round((Object.keys(fields).length * (depth + 2)) / 8));
  for (const [name, field] of Object.entries(fields)) {
    const isWanted = required.includes(name) ? !dice.once(12) : depth <= MAX_DEPTH && dice.once(share);
    if (isWanted) object[name] = randomValue(field, dice, depth + 1);
  }
  return object;
}

function randomScalar({ type, enum: allowed, format }: Schema, dice: Dice): Json {
  if (allowed && !dice.once(4)) return dice.pick(allowed as Json[]);
  if (type === "boolean") return dice.once(2);
  if (type === "integer" || type === "number") return dice.pick(NUMBERS);
  if (format === "int-or-string" && dice.once(2)) return dice.pick(NUMBERS);
  return dice.pick(dice.once(3) ? WORDS : TEXTS);
}

/** A text with a few bytes changed, taken out, doubled or cut off. */
export function damaged(text: string, dice: Dice): string {
  let result = text;
  for (let left = 1 + dice.below(3); left > 0; left--) {
    const at = dice.below(result.length + 1);
    const length = dice.below(8);
    const other = dice.pick([
      "",
      "{",
      "}",
      "[",
      "]",
      '"',
      ",",
      ":",
      "\\",
      "\n",
      "\u0000",
      "\ud800",
      "-",
      "&a ",
      "*a",
      "!!x ",
      "1e400",
    ]);
    const kept = dice.once(3) ? result.slice(at, at + length) : "";
    result = dice.once(5)
      ? result.slice(0, at)
      : result.slice(0, at) + other + kept + result.slice(at + (dice.once(2) ? length : 0));
  }
  return result;
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
