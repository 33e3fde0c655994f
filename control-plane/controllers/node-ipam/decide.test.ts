import { describe, expect, it } from "vitest";
import { decidePodCidr } from "./decide.ts";

const all = Array.from({ length: 256 }, (_, i) => `10.244.${i}.0/24`);

describe("decidePodCidr", () => {
  it.each([
    { name: "begins with the first", taken: [], want: "10.244.0.0/24" },
    { name: "fills a gap", taken: ["10.244.0.0/24", "10.244.2.0/24"], want: "10.244.1.0/24" },
    { name: "has none left", taken: all, want: undefined },
  ])("$name", ({ taken, want }) => expect(decidePodCidr(new Set(taken))).toBe(want));
});
