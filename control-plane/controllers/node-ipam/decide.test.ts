import { describe, expect, it } from "vitest";
import { decidePodCidrs, routesOf } from "./decide.ts";

const all = Array.from({ length: 256 }, (_, i) => `10.244.${i}.0/24`);
const IPV4 = ["10.244.0.0/16"];
const DUAL = ["10.244.0.0/16", "fd00:10:244::/48"];

describe("decidePodCidrs", () => {
  it.each([
    { name: "begins with the first", taken: [], want: ["10.244.0.0/24"] },
    { name: "fills a gap", taken: ["10.244.0.0/24", "10.244.2.0/24"], want: ["10.244.1.0/24"] },
    { name: "has none left", taken: all, want: undefined },
    {
      name: "keeps out of another cluster's on the machine",
      taken: [],
      routes: ["192.0.2.0/24", "10.244.0.0/24"],
      want: ["10.244.1.0/24"],
    },
    { name: "also of a larger network", taken: [], routes: ["10.244.0.0/17"], want: ["10.244.128.0/24"] },
    { name: "takes one that is reached rather than none", taken: [], routes: ["10.0.0.0/8"], want: ["10.244.0.0/24"] },
    { name: "of both families", cidrs: DUAL, taken: [], want: ["10.244.0.0/24", "fd00:10:244::/64"] },
    {
      name: "each family's own gap",
      cidrs: DUAL,
      taken: ["10.244.0.0/24", "10.244.1.0/24", "fd00:10:244::/64"],
      want: ["10.244.2.0/24", "fd00:10:244:1::/64"],
    },
    {
      name: "IPv6 that the machine reaches",
      cidrs: DUAL,
      taken: [],
      routes: ["fd00:10:244::/52"],
      want: ["10.244.0.0/24", "fd00:10:244:1000::/64"],
    },
    { name: "both or none", cidrs: DUAL, taken: all, want: undefined },
    {
      name: "not what is another's in another spelling",
      cidrs: DUAL,
      taken: ["10.244.0.7/24", "010.244.001.0/24", "FD00:10:244:0::/64", "fd00:0010:0244:1:0:0:0:1/64"],
      want: ["10.244.2.0/24", "fd00:10:244:2::/64"],
    },
    {
      name: "nor a part of a larger one, or one that holds a smaller one",
      taken: ["10.244.0.0/23", "10.244.2.128/25"],
      want: ["10.244.3.0/24"],
    },
    { name: "whatever is no range", taken: ["", "10.244.0.0", "x/24"], want: ["10.244.0.0/24"] },
    { name: "a range that is one node's", cidrs: ["10.9.8.0/24"], taken: [], want: ["10.9.8.0/24"] },
  ])("$name", ({ cidrs = IPV4, taken, routes, want }) => {
    expect(decidePodCidrs(cidrs, taken, routes)).toEqual(want);
  });

  it.each([
    { name: "none", value: undefined, want: [] },
    { name: "what a node says", value: "192.0.2.0/24,10.0.0.0/8", want: ["192.0.2.0/24", "10.0.0.0/8"] },
    { name: "of both families", value: "1.2.3.4/24,fd00:1::/64", want: ["1.2.3.4/24", "fd00:1::/64"] },
    { name: "nothing of what is no range", value: "x,10.0.0.0,,10.0.0.0/33,fe80::/,1.2.3.0/24", want: ["1.2.3.0/24"] },
  ])("reads a node's routes: $name", ({ value, want }) => {
    expect(routesOf(value === undefined ? undefined : { "hearth.dev/routes": value })).toEqual(want);
  });
});
