import { describe, expect, it } from "vitest";
import { FACTS, SIGNALS } from "./signals.ts";
import {
  amountOf,
  evictionReserve,
  isHard,
  parseThresholds,
  parseThresholdValue,
  printValue,
  type ThresholdTexts,
} from "./thresholds.ts";

const GIB = 2 ** 30;
const NONE: ThresholdTexts = {
  evictionHard: {},
  evictionSoft: {},
  evictionMinimumReclaim: {},
  softGraceMs: {},
  enforcesPods: false,
};

it("knows what each signal is about (EVI-02)", () => {
  expect(Object.keys(FACTS)).toEqual([...SIGNALS]);
});

describe("parseThresholdValue", () => {
  it.each([
    { text: "100Mi", capacity: GIB, amount: 104_857_600, printed: "100Mi" },
    { text: "1024Mi", capacity: GIB, amount: GIB, printed: "1Gi" },
    { text: "1000", capacity: 5, amount: 1000, printed: "1k" },
    { text: "10%", capacity: 1000, amount: 100, printed: "100" },
    { text: "5%", capacity: 655_360, amount: 32_768, printed: "32Ki" },
    { text: "2.5%", capacity: 400, amount: 10, printed: "10" },
  ])("$text of $capacity is $amount", ({ text, capacity, amount, printed }) => {
    const value = parseThresholdValue(text)!;
    expect([amountOf(value, capacity), printValue(value, capacity)]).toEqual([amount, printed]);
  });

  it("counts shares in single precision, as the kubelet's messages show them", () => {
    expect(amountOf(parseThresholdValue("10%")!, 100 * GIB)).toBe(10_737_418_400);
    expect(amountOf(parseThresholdValue("15%")!, 270_582_939_648)).toBe(40_587_442_560);
  });

  it.each(["0%", "100%"])("%s turns a threshold off", (text) => expect(parseThresholdValue(text)).toBeUndefined());

  it.each(["", "lots", "-1", "0", "101%", "-5%", "%"])("refuses %j", (text) => {
    expect(() => parseThresholdValue(text)).toThrow();
  });
});

describe("parseThresholds", () => {
  it("takes hard and soft ones, with their grace and reclaim", () => {
    const thresholds = parseThresholds({
      ...NONE,
      evictionHard: { "nodefs.available": "10%", "memory.available": "100Mi", "pid.available": "0%" },
      evictionSoft: { "memory.available": "300Mi" },
      softGraceMs: { "memory.available": 90_000 },
      evictionMinimumReclaim: { "nodefs.available": "1Gi" },
    });
    expect(thresholds.map((each) => [each.signal, each.graceMs, isHard(each), each.minReclaim !== undefined])).toEqual([
      ["memory.available", 0, true, false],
      ["nodefs.available", 0, true, true],
      ["memory.available", 90_000, false, false],
    ]);
  });

  it("holds all pods together to the hard threshold of memory, where their cgroup is enforced", () => {
    const evictionHard = { "memory.available": "100Mi", "nodefs.available": "10%" };
    const thresholds = parseThresholds({
      ...NONE,
      evictionHard,
      evictionSoft: { "memory.available": "1Gi" },
      softGraceMs: { "memory.available": 1 },
      enforcesPods: true,
    });
    expect(thresholds.map(({ signal }) => signal)).toEqual([
      "memory.available",
      "nodefs.available",
      "memory.available",
      "allocatableMemory.available",
    ]);
  });

  it("wants a grace period for each soft one (EVI-04)", () => {
    expect(() => parseThresholds({ ...NONE, evictionSoft: { "pid.available": "10%" } })).toThrow(
      "grace period must be specified for the soft eviction threshold pid.available",
    );
  });
});

it("keeps hard thresholds of memory and disk back from what is promised (EVI-10)", () => {
  const thresholds = parseThresholds({
    ...NONE,
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%", "imagefs.available": "15%" },
    evictionSoft: { "memory.available": "1Gi" },
    softGraceMs: { "memory.available": 1 },
    enforcesPods: true,
  });
  expect(evictionReserve(thresholds, { memoryBytes: 8 * GIB, ephemeralBytes: 1000 })).toEqual({
    memory: "104857600",
    "ephemeral-storage": "100",
  });
  expect(evictionReserve([], { memoryBytes: 8 * GIB, ephemeralBytes: 1000 })).toEqual({});
});
