import { describe, expect, it } from "vitest";
import { expandVariables } from "./expansion.ts";

describe("expandVariables", () => {
  const values: Record<string, string> = { A: "1", EMPTY: "", NESTED: "$(A)" };
  it.each([
    ["plain", "plain"],
    ["$(A)", "1"],
    ["x$(A)y$(A)", "x1y1"],
    ["$(EMPTY)", ""],
    ["$(UNKNOWN)", "$(UNKNOWN)"],
    ["$$(A)", "$(A)"],
    ["$$$(A)", "$1"],
    ["$$$$(A)", "$$(A)"],
    ["$(A", "$(A"],
    ["$A and $", "$A and $"],
    ["$(NESTED)", "$(A)"],
  ])("%s becomes %s", (text, want) => expect(expandVariables(text, (name) => values[name])).toBe(want));
});
