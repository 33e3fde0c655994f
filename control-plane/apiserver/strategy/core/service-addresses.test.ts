import { describe, expect, it } from "vitest";
import { type IpRange, parseCidr } from "../../../../shared/api/ip.ts";
import type { AllocationContext, IpFamily } from "../strategy.ts";
import { drawAddress, ipClaim, refuseAddress } from "./service-addresses.ts";

const ranges = (...cidrs: string[]): IpRange[] => cidrs.map((cidr) => parseCidr(cidr)!);
const context = (given: Partial<AllocationContext>): AllocationContext => ({
  random: () => 0,
  taken: new Set(),
  ranges: ranges("10.96.0.0/16"),
  families: ["IPv4", "IPv6"],
  dryRun: false,
  ...given,
});
const taken = (...addresses: string[]) => new Set(addresses.map(ipClaim));

describe("an address that was asked for", () => {
  const OUTSIDE = "the provided network does not match the current range";
  it.each<{ name: string; asked: string; given?: Partial<AllocationContext>; want?: string }>([
    { name: "is had when nobody has it", asked: "10.96.0.10" },
    { name: "is not that of the network", asked: "10.96.0.0", want: OUTSIDE },
    { name: "is not the broadcast", asked: "10.96.255.255", want: OUTSIDE },
    { name: "is in a range", asked: "192.168.1.1", want: OUTSIDE },
    {
      name: "may be in another one",
      asked: "203.0.113.7",
      given: { ranges: ranges("10.96.0.0/16", "203.0.113.0/24") },
    },
    { name: "needs a range that is ready", asked: "10.96.0.10", given: { ranges: [] }, want: OUTSIDE },
    {
      name: "is somebody else's",
      asked: "10.96.0.10",
      given: { taken: taken("10.96.0.10") },
      want: "provided IP is already allocated",
    },
    {
      name: "is somebody else's, however it is written",
      asked: "FD00:10:96:0::7",
      given: { ranges: ranges("fd00:10:96::/112"), taken: taken("fd00:10:96::7") },
      want: "provided IP is already allocated",
    },
    {
      name: "outside of its family's range in a dry run",
      asked: "fd00::7",
      given: { ranges: ranges("10.96.0.0/16", "fd00:10:96::/112"), dryRun: true },
      want: "the provided IP (fd00::7) is not in the valid range. The range of valid IPs is fd00:10:96::/112",
    },
    { name: "may be, for a dry run", asked: "10.96.0.10", given: { taken: taken("10.96.0.10"), dryRun: true } },
    {
      name: "outside of what a dry run knows",
      asked: "192.168.1.1",
      given: { dryRun: true },
      want: "the provided IP (192.168.1.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16",
    },
  ])("$name", ({ asked, given = {}, want }) => expect(refuseAddress(asked, context(given))).toBe(want));
});

const BOTH = ranges("10.96.0.0/16", "fd00:10:96::/112");

describe("an address that is drawn", () => {
  const SMALL = ["203.0.113.0/29"];
  it.each<{ name: string; given: Partial<AllocationContext>; family?: IpFamily; want: string | undefined }>([
    { name: "leaves the first 256 of a large range to those that ask", given: {}, want: "10.96.1.1" },
    { name: "is the last one", given: { random: () => 0.9999999 }, want: "10.96.255.254" },
    { name: "leaves 16 of a small range", given: { ranges: ranges("203.0.113.0/27") }, want: "203.0.113.17" },
    { name: "leaves none of a tiny one", given: { ranges: ranges(...SMALL) }, want: "203.0.113.1" },
    {
      name: "is free",
      given: { ranges: ranges(...SMALL), taken: taken("203.0.113.1", "203.0.113.2") },
      want: "203.0.113.3",
    },
    {
      name: "is of the lower band when the upper is full",
      given: {
        ranges: ranges("203.0.113.0/27"),
        taken: taken(...Array.from({ length: 14 }, (_, i) => `203.0.113.${17 + i}`)),
      },
      want: "203.0.113.1",
    },
    {
      name: "comes of the next range when one is full",
      given: { ranges: ranges("203.0.113.0/30", "192.0.2.0/30"), taken: taken("203.0.113.1", "203.0.113.2") },
      want: "192.0.2.1",
    },
    {
      name: "comes of any range",
      given: { ranges: ranges("203.0.113.0/30", "192.0.2.0/30"), random: () => 0.5 },
      want: "192.0.2.2",
    },
    { name: "is none when all are full", given: { ranges: ranges("203.0.113.0/32", "192.0.2.0/31") }, want: undefined },
    { name: "is none without a range", given: { ranges: [] }, want: undefined },
    { name: "is IPv4", given: { ranges: ranges("fd00::/112") }, want: undefined },
    { name: "is IPv6", given: { ranges: BOTH }, family: "IPv6", want: "fd00:10:96::101" },
    {
      name: "is IPv6's last",
      given: { ranges: BOTH, random: () => 0.9999999 },
      family: "IPv6",
      want: "fd00:10:96::ffff",
    },
    { name: "is of a tiny range of IPv6", given: { ranges: ranges("fd00::/124") }, family: "IPv6", want: "fd00::1" },
    {
      name: "is of a range of IPv6 that has more than can be counted",
      given: { ranges: ranges("fd00::/64"), random: () => 0.5 },
      family: "IPv6",
      want: "fd00::8000:0:81",
    },
    {
      name: "is IPv6's network in a dry run",
      given: { ranges: BOTH, dryRun: true },
      family: "IPv6",
      want: "fd00:10:96::",
    },
    { name: "is the network's in a dry run", given: { dryRun: true }, want: "10.96.0.0" },
  ])("$name", ({ given, family = "IPv4", want }) => expect(drawAddress(context(given), family)).toBe(want));
});
