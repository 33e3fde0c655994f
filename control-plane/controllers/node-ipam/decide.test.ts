import { describe, expect, it } from "vitest";
import { decidePodCidr, routesOf } from "./decide.ts";

const all = Array.from({ length: 256 }, (_, i) => `10.244.${i}.0/24`);

describe("decidePodCidr", () => {
  it.each([
    { name: "begins with the first", taken: [], want: "10.244.0.0/24" },
    { name: "fills a gap", taken: ["10.244.0.0/24", "10.244.2.0/24"], want: "10.244.1.0/24" },
    { name: "has none left", taken: all, want: undefined },
    {
      name: "keeps out of another cluster's on the machine",
      taken: [],
      routes: ["192.0.2.0/24", "10.244.0.0/24"],
      want: "10.244.1.0/24",
    },
    { name: "also of a larger network", taken: [], routes: ["10.244.0.0/17"], want: "10.244.128.0/24" },
    { name: "takes one that is reached rather than none", taken: [], routes: ["10.0.0.0/8"], want: "10.244.0.0/24" },
  ])("$name", ({ taken, routes, want }) => expect(decidePodCidr(new Set(taken), routes)).toBe(want));

  it.each([
    { name: "none", value: undefined, want: [] },
    { name: "what a node says", value: "192.0.2.0/24,10.0.0.0/8", want: ["192.0.2.0/24", "10.0.0.0/8"] },
    { name: "nothing of what is no range", value: "x,10.0.0.0,,fe80::/64,1.2.3.4/24", want: ["1.2.3.4/24"] },
  ])("reads a node's routes: $name", ({ value, want }) => {
    expect(routesOf(value === undefined ? undefined : { "hearth.dev/routes": value })).toEqual(want);
  });
});
