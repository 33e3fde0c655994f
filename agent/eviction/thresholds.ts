import { parseQuantity, printQuantity, type Quantity, wholeUnits } from "../../shared/api/quantity.ts";
import { SIGNALS, type Signal } from "./signals.ts";

/** An amount, or a share of what the machine has. */
export type ThresholdValue = { quantity: Quantity } | { share: number };

/** Less than this much left is too little. The same object stands for the same threshold. */
export interface Threshold {
  signal: Signal;
  value: ThresholdValue;
  /** How long it has to be too little; 0 for a hard threshold. */
  graceMs: number;
  /** Once begun, room is made for this much more than the threshold. */
  minReclaim?: ThresholdValue;
}

/** A KubeletConfiguration's maps from signal to text. */
export interface ThresholdTexts {
  evictionHard: Partial<Record<string, string>>;
  evictionSoft: Partial<Record<string, string>>;
  evictionMinimumReclaim: Partial<Record<string, string>>;
  /** By signal. */
  softGraceMs: Record<string, number>;
  /** Whether the cgroup of all pods is held to what is allocatable: then its memory counts, too. */
  enforcesPods: boolean;
}

export const isHard = ({ graceMs }: Threshold): boolean => graceMs === 0;

/** @throws RangeError for a text that is neither an amount nor a percentage, or a signal that has no grace period */
export function parseThresholds(texts: ThresholdTexts): Threshold[] {
  const { evictionHard, evictionSoft, evictionMinimumReclaim, softGraceMs, enforcesPods } = texts;
  const parse = (map: Partial<Record<string, string>>, graceOf: (signal: string) => number) =>
    SIGNALS.flatMap((signal): Threshold[] => {
      const value = map[signal] === undefined ? undefined : parseThresholdValue(map[signal]);
      const reclaim = evictionMinimumReclaim[signal];
      const minReclaim = reclaim === undefined ? undefined : parseThresholdValue(reclaim);
      return value ? [{ signal, value, graceMs: graceOf(signal), ...(minReclaim && { minReclaim }) }] : [];
    });
  const hard = parse(evictionHard, () => 0);
  const soft = parse(evictionSoft, (signal) => {
    const graceMs = softGraceMs[signal];
    if (graceMs === undefined) {
      throw new RangeError(`grace period must be specified for the soft eviction threshold ${signal}`);
    }
    return graceMs;
  });
  const memory = enforcesPods ? hard.filter(({ signal }) => signal === "memory.available") : [];
  return [...hard, ...soft, ...memory.map((each) => ({ ...each, signal: "allocatableMemory.available" as const }))];
}

/** @returns undefined for 0% and 100%, which turn a threshold off @throws RangeError */
export function parseThresholdValue(text: string): ThresholdValue | undefined {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined) {
    if (text === "0%" || text === "100%") return undefined;
    if (Number(percent) > 100) throw new RangeError(`a threshold must be <= 100%: ${text}`);
    // In single precision, as the kubelet counts: its amounts are printed in messages.
    return { share: Math.fround(Math.fround(Number(percent)) / 100) };
  }
  const quantity = parseQuantity(text);
  if (wholeUnits(quantity) <= 0) throw new RangeError(`a threshold must be positive: ${text}`);
  return { quantity };
}

export const amountOf = (value: ThresholdValue, capacity: number): number =>
  "share" in value ? Math.trunc(capacity * value.share) : wholeUnits(value.quantity);

/** As messages give it: what was configured, or the share in bytes. */
export const printValue = (value: ThresholdValue, capacity: number): string =>
  "share" in value ? printAmount(amountOf(value, capacity), "BinarySI") : printQuantity(value.quantity);

export const printAmount = (amount: number, format: Quantity["format"]): string =>
  printQuantity({ nanos: BigInt(Math.trunc(amount)) * 1_000_000_000n, format });

/**
 * What the node keeps for itself so that evicting comes before the kernel's own measures: the hard thresholds of memory and
 * of the pods' disk, which are not promised to pods (EVI-10).
 * @param capacity bytes
 */
export function evictionReserve(
  thresholds: readonly Threshold[],
  capacity: { memoryBytes: number; ephemeralBytes: number },
): Record<string, string> {
  const reserve: Record<string, string> = {};
  for (const { signal, value } of thresholds.filter(isHard)) {
    if (signal === "memory.available") reserve["memory"] = String(amountOf(value, capacity.memoryBytes));
    if (signal === "nodefs.available") reserve["ephemeral-storage"] = String(amountOf(value, capacity.ephemeralBytes));
  }
  return reserve;
}
