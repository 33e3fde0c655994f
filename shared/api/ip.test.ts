import { expect, test } from "vitest";
import { parseCidr, parseIp, printCidr, printIp, rangeContains, rangesOverlap } from "./ip.ts";

test.each([
  { text: "10.0.0.1", printed: "10.0.0.1" },
  { text: "010.0.0.1", printed: "10.0.0.1" },
  { text: "2001:DB8:0:0:0:0:0:1", printed: "2001:db8::1" },
  { text: "::", printed: "::" },
  { text: "1:0:0:2:0:0:0:3", printed: "1:0:0:2::3" },
  { text: "10.0.0.256", printed: undefined },
  { text: "10.0.0", printed: undefined },
  { text: ":::1", printed: undefined },
  { text: "", printed: undefined },
])("$text", ({ text, printed }) => {
  const ip = parseIp(text);
  expect(ip && printIp(ip)).toBe(printed);
});

test("ranges", () => {
  const range = parseCidr("10.96.0.0/16");
  const [inside, outside] = [parseIp("10.96.255.255"), parseIp("10.97.0.0")];
  if (!range || !inside || !outside) throw new Error("not parsed");
  expect(printCidr(range)).toBe("10.96.0.0/16");
  expect(rangeContains(range, inside)).toBe(true);
  expect(rangeContains(range, outside)).toBe(false);
  expect(parseCidr("10.0.0.0/33")).toBeUndefined();
});

test.each([
  { a: "10.0.0.0/8", b: "10.96.0.0/16", want: true },
  { a: "10.96.0.0/16", b: "10.97.0.0/16", want: false },
  { a: "fd00::/64", b: "fd00::/108", want: true },
  { a: "fd00:0:0:1::/64", b: "fd00::/64", want: false },
  { a: "0.0.0.0/0", b: "::/0", want: false },
])("$a and $b overlap: $want", ({ a, b, want }) => {
  expect([rangesOverlap(parseCidr(a)!, parseCidr(b)!), rangesOverlap(parseCidr(b)!, parseCidr(a)!)]).toEqual([
    want,
    want,
  ]);
});
