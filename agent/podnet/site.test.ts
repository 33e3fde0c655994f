import { describe, expect, it } from "vitest";
import { parseIp } from "../../shared/api/ip.ts";
import { apartBy, isBehindNat, isPrivate, isPublic, type Place } from "./site.ts";

const place = (addresses: string[], publicAddress?: string, site?: string): Place => ({
  addresses: addresses.map((each) => parseIp(each)!),
  ...(publicAddress !== undefined && { publicAddress: parseIp(publicAddress)! }),
  ...(site !== undefined && { site }),
});

const HOME = place(["192.168.1.10"], "198.51.100.7");
const CLOUD = place(["203.0.113.9"], "203.0.113.9");

describe("apartBy", () => {
  it.each([
    { name: "one home", of: [HOME, place(["192.168.1.11"], "198.51.100.7")], want: undefined },
    { name: "two homes", of: [HOME, place(["192.168.1.11"], "198.51.100.8")], want: "address" },
    { name: "home and cloud", of: [HOME, CLOUD], want: "address" },
    {
      name: "a control plane at home sees the home's nodes by their own addresses",
      of: [place(["192.168.1.10"]), CLOUD],
      want: "address",
    },
    {
      name: "nothing is known: a network without the internet",
      of: [place(["10.0.0.1"]), place(["10.9.0.1"])],
      want: undefined,
    },
    {
      name: "a node has an address of the internet, whatever the control plane sees",
      of: [place(["203.0.113.9"]), CLOUD],
      want: undefined,
    },
    { name: "one provider's IPv6", of: [place([], "2001:db8:0:1::1"), place([], "2001:db8:0:2::1")], want: undefined },
    {
      name: "two providers' IPv6",
      of: [place([], "2001:db8:0:100::1"), place([], "2001:db8:0:200::1")],
      want: "address",
    },
    {
      name: "IPv6 of their own, which nobody has seen",
      of: [place(["10.0.0.1", "2001:db8::1"]), place(["10.9.0.1", "2001:db8:9::1"])],
      want: undefined,
    },
    {
      name: "somebody says that they are one",
      of: [place(["10.0.0.1"], "198.51.100.7", "vpc"), place(["10.0.9.1"], "198.51.100.9", "vpc")],
      want: undefined,
    },
    {
      name: "somebody says that they are two",
      of: [place(["10.0.0.1"], undefined, "a"), place(["10.0.9.1"], undefined, "b")],
      want: "label",
    },
    {
      name: "of one somebody says something",
      of: [place(["10.0.0.1"], undefined, "a"), place(["10.0.9.1"])],
      want: "label",
    },
  ])("$name: $want", ({ of: [one, other], want }) => {
    expect(apartBy(one!, other!)).toBe(want);
    expect(apartBy(other!, one!)).toBe(want);
  });
});

it.each([
  { name: "a home's node", of: HOME, want: true },
  { name: "a cloud's, with its own address", of: CLOUD, want: false },
  { name: "nothing is known", of: place(["192.168.1.10"]), want: false },
])("behind NAT: $name, $want", ({ of, want }) => expect(isBehindNat(of)).toBe(want));

it.each([
  ...["10.1.2.3", "172.31.0.1", "192.168.0.1", "100.64.0.1", "fd00::1"].map((text) => ({ text, want: "private" })),
  ...["203.0.113.1", "172.32.0.1", "100.128.0.1", "2001:db8::1"].map((text) => ({ text, want: "public" })),
  ...["127.0.0.1", "169.254.1.1", "224.0.0.1", "::1", "fe80::1", "ff02::1", "::ffff:203.0.113.1"].map((text) => ({
    text,
    want: "neither",
  })),
])("$text is $want", ({ text, want }) => {
  const ip = parseIp(text)!;
  expect(isPublic(ip) ? "public" : isPrivate(ip) ? "private" : "neither").toBe(want);
});
