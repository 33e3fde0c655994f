import { parseQuantity, wholeUnits } from "../../shared/api/quantity.ts";

/** What is watched. `allocatableMemory.available` is the kubelet's own: what pods may still use of what they get. */
export const SIGNALS = [
  ...["memory.available", "allocatableMemory.available", "pid.available"],
  ...["nodefs.available", "nodefs.inodesFree", "imagefs.available", "imagefs.inodesFree"],
] as const;
export type Signal = (typeof SIGNALS)[number];

/** Bytes or counts, or a part of the capacity. */
export type Amount = { absolute: number; text: string } | { part: number };

export interface Threshold {
  signal: Signal;
  value: Amount;
  /** How long it has to be met; 0 for hard ones. */
  graceMs: number;
  isHard: boolean;
  /** How much over the threshold there has to be until it counts as over. */
  minimumReclaim?: Amount;
}

export interface ThresholdSettings {
  hard: Readonly<Record<string, string>>;
  soft: Readonly<Record<string, string>>;
  /** By signal, in milliseconds. */
  softGraceMs: Readonly<Record<string, number>>;
  minimumReclaim: Readonly<Record<string, string>>;
}

/** A threshold of 0% is none. @throws Error that names what is wrong */
export function parseThresholds({ hard, soft, softGraceMs, minimumReclaim }: ThresholdSettings): Threshold[] {
  const parse = (texts: Readonly<Record<string, string>>, isHard: boolean) =>
    Object.entries(texts).flatMap(([name, text]): Threshold[] => {
      const signal = checkSignal(name);
      const value = parseAmount(text);
      if ("part" in value && value.part === 0) return [];
      if (!isHard && softGraceMs[name] === undefined) {
        throw new Error(`grace period must be specified for the soft eviction threshold ${name}`);
      }
      const reclaim = minimumReclaim[name];
      return [
        {
          signal,
          value,
          isHard,
          graceMs: isHard ? 0 : softGraceMs[name]!,
          ...(reclaim !== undefined && { minimumReclaim: parseAmount(reclaim) }),
        },
      ];
    });
  const all = [...parse(hard, true), ...parse(soft, false)];
  const memory = all.find(({ signal, isHard }) => signal === "memory.available" && isHard);
  return memory ? [...all, { ...memory, signal: "allocatableMemory.available" }] : all;
}

function checkSignal(name: string): Signal {
  const signal = SIGNALS.find((known) => known === name && known !== "allocatableMemory.available");
  if (!signal) throw new Error(`unknown eviction signal ${name}`);
  return signal;
}

/** `100Mi` or `10%`. @throws Error */
export function parseAmount(text: string): Amount {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent === undefined) return { absolute: wholeUnits(parseQuantity(text)), text };
  if (Number(percent) >= 100) throw new Error(`eviction percentage threshold ${text} must be >= 0% and < 100%`);
  return { part: Number(percent) / 100 };
}

export const amountOf = (amount: Amount, capacity: number): number =>
  "absolute" in amount ? amount.absolute : Math.floor(amount.part * capacity);
