import { describe, expect, it } from "vitest";
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  hasFraction,
  milliUnits,
  parseQuantity,
  printQuantity,
  subtractQuantities,
  wholeUnits,
} from "./quantity.ts";

describe("canonicalQuantity", () => {
  it.each([
    ["0", "0"],
    ["0.0", "0"],
    ["00", "0"],
    ["0Mi", "0"],
    ["-0", "0"],
    ["0.5", "500m"],
    [".5", "500m"],
    ["-0.5", "-500m"],
    ["1.", "1."],
    ["1.5", "1500m"],
    ["1.500", "1.500"],
    ["100m", "100m"],
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["2000m", "2"],
    ["1000", "1k"],
    ["1001", "1001"],
    ["100k", "100k"],
    ["1000k", "1M"],
    ["0.1k", "100"],
    ["1024", "1024"],
    ["2048Ki", "2Mi"],
    ["1024Mi", "1Gi"],
    ["1536Mi", "1536Mi"],
    ["1500Mi", "1500Mi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Mi", "512Ki"],
    ["0.5Ki", "512"],
    ["512Ki", "512Ki"],
    ["1Ki", "1Ki"],
    ["0.1Gi", "107374182400m"],
    ["0.0001Ki", "102400u"],
    ["100Ei", "9223372036854775807"],
    ["1e3", "1e3"],
    ["1E3", "1E3"],
    ["1000e3", "1e6"],
    ["12e4", "120e3"],
    ["1E", "1E"],
    ["1n", "1n"],
    ["0.1n", "1n"],
    ["1.0000000001", "1000000001n"],
    ["+5", "+5"],
    ["007", "007"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["9223372036854775807", "9223372036854775807"],
  ])("%s → %s", (text, want) => expect(canonicalQuantity(text)).toBe(want));

  it.each([
    ["1500m", true],
    ["1500", false],
    ["8Pi", false],
    ["9Pi", true],
    ["1Ei", true],
    ["2Ei", false],
    ["12E", false],
    ["1e19", false],
    ["9223372036854775", false],
    ["9223372036854776", true],
    ["9223372036854775807", false],
    ["12345678901234567890", true],
  ])("upstream sees a fraction in %s: %s", (text, want) => expect(hasFraction(parseQuantity(text))).toBe(want));

  const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  it.each([
    ["", FORMAT],
    ["1 Gi", FORMAT],
    ["1.2.3", FORMAT],
    ["1,5", FORMAT],
    ["abc", FORMAT],
    ["1mm", "unable to parse quantity's suffix"],
    ["1K", "unable to parse quantity's suffix"],
    ["1e", "unable to parse quantity's suffix"],
    ["1GiB", FORMAT],
    [`1e${"9".repeat(20)}`, "unable to parse quantity's suffix"],
    ["9".repeat(1000), "unable to parse numeric part of quantity"],
  ])("refuses '%.20s'", (text, want) => expect(() => canonicalQuantity(text)).toThrow(new RangeError(want)));
});

describe("arithmetic", () => {
  const q = parseQuantity;
  it.each([
    { name: "keeps the first format", got: addQuantities(q("1Gi"), q("1G")), want: "2073741824" },
    { name: "takes the second's when the first is zero", got: addQuantities(q("0"), q("1Gi")), want: "1Gi" },
    { name: "adds fractions", got: addQuantities(q("250m"), q("0.75")), want: "1" },
    { name: "adds binaries", got: addQuantities(q("512Mi"), q("512Mi")), want: "1Gi" },
    { name: "goes below zero", got: subtractQuantities(q("100m"), q("1")), want: "-900m" },
  ])("$name", ({ got, want }) => expect(printQuantity(got)).toBe(want));

  it.each([
    ["1", "1000m", 0],
    ["1Gi", "1G", 1],
    ["-1", "0", -1],
  ])("compares %s with %s", (a, b, want) => expect(compareQuantities(q(a), q(b))).toBe(want));

  it("rounds up to whole and to thousandths", () => {
    expect(wholeUnits(q("1.1"))).toBe(2);
    expect(wholeUnits(q("-1.1"))).toBe(-2);
    expect(milliUnits(q("1.5"))).toBe(1500);
    expect(milliUnits(q("1u"))).toBe(1);
    expect(wholeUnits(q("64Gi"))).toBe(68719476736);
  });
});
