import { describe, expect, it } from "vitest";
import { parseIp } from "../../../shared/api/ip.ts";
import { parseEndpoint, printEndpoint } from "./endpoint.ts";
import { decideEndpoints, parseOffer, renderOffer } from "./offer.ts";

const KEY = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=";
const ips = (...texts: string[]) => texts.map((text) => parseIp(text)!);

it.each([
  { text: "192.0.2.1:51820", want: "192.0.2.1:51820" },
  { text: "[2001:db8:0::1]:1", want: "[2001:db8::1]:1" },
  ...["2001:db8::1:51820", "192.0.2.1", "[192.0.2.1]:1", "192.0.2.1:0", "192.0.2.1:65536", "a.example:1", ":1", ""].map(
    (text) => ({ text, want: undefined }),
  ),
])("the endpoint $text: $want", ({ text, want }) => {
  const endpoint = parseEndpoint(text);
  expect(endpoint && printEndpoint(endpoint)).toBe(want);
});

describe("offers", () => {
  it("are read as they are written, and odd ones are none", () => {
    const offer = { publicKey: KEY, endpoints: [parseEndpoint("192.0.2.1:51820")!] };
    expect(parseOffer(renderOffer(offer))).toEqual(offer);
    expect(parseOffer(JSON.stringify({ publicKey: KEY, endpoints: ["x"] }))).toEqual({ publicKey: KEY, endpoints: [] });
    for (const publicKey of ["", `${KEY}\nx`, KEY.slice(1), KEY.replace("mo=", "mp=")]) {
      expect(parseOffer(JSON.stringify({ publicKey, endpoints: [] })), publicKey).toBeUndefined();
    }
    expect(parseOffer("{}")).toBeUndefined();
    expect(parseOffer(renderOffer({ without: "no kernel module" }))).toEqual({ without: "no kernel module" });
    expect(parseOffer(JSON.stringify({ publicKey: KEY, endpoints: Array(5).fill("") }))).toBeUndefined();
  });

  it.each([
    {
      name: "a node of the internet",
      addresses: ["10.0.0.1", "203.0.113.9"],
      seen: "203.0.113.9",
      want: ["203.0.113.9:7", "10.0.0.1:7"],
    },
    { name: "behind NAT there is none", addresses: ["10.0.0.1"], seen: "203.0.113.9", want: [] },
    {
      name: "nothing is known: its own addresses",
      addresses: ["10.0.0.1", "fd00::1"],
      want: ["10.0.0.1:7", "[fd00::1]:7"],
    },
    {
      name: "somebody has opened a port of the router",
      addresses: ["10.0.0.1"],
      seen: "203.0.113.9",
      stated: ":900",
      want: ["203.0.113.9:900"],
    },
    {
      name: "the same over IPv6",
      addresses: ["10.0.0.1"],
      seen: "2001:db8::9",
      stated: ":900",
      want: ["[2001:db8::9]:900"],
    },
    { name: "of a router that nobody has seen", addresses: ["10.0.0.1"], stated: ":900", want: ["10.0.0.1:7"] },
    { name: "somebody knows better", addresses: ["10.0.0.1"], stated: "198.51.100.1:1", want: ["198.51.100.1:1"] },
    {
      name: "what makes no sense is passed over",
      addresses: ["10.0.0.1"],
      seen: "203.0.113.9",
      stated: "here",
      want: [],
    },
  ])("endpoints: $name", ({ addresses, seen, stated, want }) => {
    const place = { addresses: ips(...addresses), ...(seen !== undefined && { publicAddress: parseIp(seen)! }) };
    expect(decideEndpoints(place, 7, stated).map(printEndpoint)).toEqual(want);
  });
});
