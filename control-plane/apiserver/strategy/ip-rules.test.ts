import { expect, it } from "vitest";
import { checkLegacyCidr, checkLegacyIp, checkStrictCidr, checkStrictIp } from "./ip-rules.ts";

it.each([
  { value: "10.9.8.7", legacy: undefined, strict: undefined },
  { value: "fe80:0:0::1", legacy: undefined, strict: 'must be in canonical form ("fe80::1")' },
  { value: "10.09.8.7", legacy: "must not have leading 0s", strict: "must not have leading 0s" },
  {
    value: "::ffff:1.2.3.4",
    legacy: "must not be an IPv4-mapped IPv6 address",
    strict: "must not be an IPv4-mapped IPv6 address",
  },
  { value: "x", legacy: "must be a valid IP address", strict: "must be a valid IP address" },
])("$value as an address", ({ value, legacy, strict }) => {
  expectCause(checkLegacyIp(value, "f"), legacy);
  expectCause(checkStrictIp(value, "f"), strict);
  expect(checkLegacyIp(value, "f", [value])).toEqual([]);
});

it.each([
  { value: "10.9.8.0/24", legacy: undefined, strict: undefined },
  { value: "FE80::/64", legacy: undefined, strict: 'must be in canonical form ("fe80::/64")' },
  { value: "10.9.8.0/024", legacy: "must not have leading 0s", strict: "must not have leading 0s" },
  { value: "10.9.8.7/24", legacy: "must not have bits set beyond", strict: "must not have bits set beyond" },
])("$value as a range", ({ value, legacy, strict }) => {
  expectCause(checkLegacyCidr(value, "f"), legacy);
  expectCause(checkStrictCidr(value, "f"), strict);
});

function expectCause(causes: { message?: string }[], want: string | undefined): void {
  if (want === undefined) expect(causes).toEqual([]);
  else expect(causes.map(({ message }) => message)).toEqual([expect.stringContaining(want)]);
}
