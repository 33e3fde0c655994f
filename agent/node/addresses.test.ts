import { afterEach, describe, expect, it } from "vitest";
import { type AddressInputs, chooseAddresses, parseNodeIps } from "./addresses.ts";
import { noteAnnounced } from "./announced.ts";

const v4 = (address: string) => ({ address, family: "IPv4" as const, internal: false });
const v6 = (address: string) => ({ address, family: "IPv6" as const, internal: false });
const ROUTES = `Iface\tDestination\tGateway\tFlags
eth1\t00000000\t010200C0\t0003
eth1\t000200C0\t00000000\t0001
`;
const ZEROS = "0".repeat(32);
const route6 = (to: string, metric: string, flags: string, name: string) =>
  `${to} 00 ${ZEROS} 00 fd000000000000000000000000000001 ${metric} 00000003 00000000 ${flags}     ${name}`;
const ROUTES6 = `${route6(ZEROS, "00000400", "00000003", "eth0")}
${route6(ZEROS, "00000100", "00000003", "eth2")}
${route6(ZEROS, "ffffffff", "80200001", "lo")}
`;
const MACHINE: AddressInputs = {
  podCidrs: ["10.244.0.0/24"],
  primaryFamily: 4,
  interfaces: {
    lo: [
      { ...v4("127.0.0.1"), internal: true },
      { ...v6("::1"), internal: true },
    ],
    eth0: [v4("198.51.100.7"), v6("fe80::1"), v6("2001:db8::7")],
    eth1: [v4("192.0.2.7")],
    eth2: [v6("2001:db8:2::aaaa"), v6("2001:db8:2::7")],
    "hearth-1": [v4("10.244.0.1"), v6("fd00:10:244::1")],
  },
  routes: ROUTES,
  routes6: ROUTES6,
  addresses6:
    "20010db800020000000000000000aaaa 03 40 00 01     eth2\n20010db8000200000000000000000007 03 40 00 80     eth2\n",
};
const DUAL = ["10.244.0.0/24", "fd00:10:244::/64"];

describe("a node's addresses", () => {
  afterEach(() => noteAnnounced([]));

  it.each<{ name: string; inputs: Partial<AddressInputs>; want: string[] }>([
    { name: "one, of the default route", inputs: {}, want: ["192.0.2.7"] },
    { name: "any without such a route", inputs: { routes: "" }, want: ["198.51.100.7"] },
    {
      name: "both for pods of both, none that is temporary",
      inputs: { podCidrs: DUAL },
      want: ["192.0.2.7", "2001:db8:2::7"],
    },
    { name: "IPv6 of any interface", inputs: { podCidrs: DUAL, routes6: "" }, want: ["192.0.2.7", "2001:db8::7"] },
    { name: "as named", inputs: { nodeIps: ["203.0.113.9", "2001:db8::9"] }, want: ["203.0.113.9", "2001:db8::9"] },
    {
      name: "IPv6 where there is nothing else",
      inputs: { interfaces: { eth0: [v6("2001:db8::7")] } },
      want: ["2001:db8::7"],
    },
    {
      name: "one where the machine has but one",
      inputs: { podCidrs: DUAL, interfaces: { eth0: [v4("192.0.2.7")] } },
      want: ["192.0.2.7"],
    },
    {
      name: "IPv6 first where the cluster has it first",
      inputs: { podCidrs: DUAL.toReversed(), primaryFamily: 6 },
      want: ["2001:db8:2::7", "192.0.2.7"],
    },
    { name: "IPv6 alone", inputs: { podCidrs: ["fd00::/64"], primaryFamily: 6 }, want: ["2001:db8:2::7"] },
    {
      name: "IPv4 where an IPv6 cluster's machine has nothing else",
      inputs: { podCidrs: ["fd00::/64"], primaryFamily: 6, interfaces: { eth0: [v4("192.0.2.7")] } },
      want: ["192.0.2.7"],
    },
    { name: "loopback at worst", inputs: { interfaces: {} }, want: ["127.0.0.1"] },
  ])("$name", ({ inputs, want }) => expect(chooseAddresses({ ...MACHINE, ...inputs })).toEqual(want));

  it("are not those of load balancers", () => {
    noteAnnounced(["192.0.2.7", "2001:db8:2::7"]);
    expect(chooseAddresses({ ...MACHINE, podCidrs: DUAL })).toEqual(["198.51.100.7", "2001:db8::7"]);
  });
});

describe("parseNodeIps", () => {
  it.each([
    { text: "192.0.2.7", want: ["192.0.2.7"] },
    { text: "2001:DB8::7", want: ["2001:db8::7"] },
    { text: "192.0.2.7, 2001:DB8::7", want: ["192.0.2.7", "2001:db8::7"] },
    { text: "2001:db8::7,192.0.2.7", want: ["2001:db8::7", "192.0.2.7"] },
  ])("$text", ({ text, want }) => expect(parseNodeIps(text)).toEqual(want));

  it.each([
    { text: "", why: '"" is not a valid IP address' },
    { text: "node-1", why: '"node-1" is not a valid IP address' },
    { text: "::ffff:192.0.2.7", why: "is not a valid IP address" },
    { text: "127.0.0.1", why: "127.0.0.1 cannot be the address of a node" },
    { text: "192.0.2.7,fe80::1", why: "fe80::1 cannot be" },
    { text: "192.0.2.7,192.0.2.8", why: "must contain either a single IP or a dual-stack pair of IPs" },
    { text: "192.0.2.7,2001:db8::7,192.0.2.8", why: "must contain either" },
  ])("refuses $text", ({ text, why }) => expect(() => parseNodeIps(text)).toThrow(why));
});
