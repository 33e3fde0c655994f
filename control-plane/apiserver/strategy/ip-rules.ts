import { invalidValue, quote } from "../../../shared/api/field-error.ts";
import { parseCidr, parseIp, printCidr, printIp } from "../../../shared/api/ip.ts";
import type { StatusCause } from "../../../shared/api/status.ts";

const NOT_AN_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const NOT_A_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** Fields from the days when any spelling was let through. What the stored object has already is not checked again. */
export const checkLegacyIp = (value: string, field: string, existing: readonly string[] = []): StatusCause[] =>
  existing.includes(value) ? [] : checkIp(value, field);

export const checkLegacyCidr = (value: string, field: string, existing: readonly string[] = []): StatusCause[] =>
  existing.includes(value) ? [] : checkCidr(value, field);

const LEADING_ZERO = /(^|[.:/])0[0-9]/;

/** What two programs could read differently (StrictIPCIDRValidation, on from 1.36). */
function checkIp(value: string, field: string): StatusCause[] {
  const ip = parseIp(value);
  if (!ip) return [invalidValue(field, value, NOT_AN_IP)];
  if (!value.includes(":") && LEADING_ZERO.test(value)) return [invalidValue(field, value, "must not have leading 0s")];
  return ip.mapped ? [invalidValue(field, value, "must not be an IPv4-mapped IPv6 address")] : [];
}

function checkCidr(value: string, field: string): StatusCause[] {
  const range = parseCidr(value);
  if (!range) return [invalidValue(field, value, NOT_A_CIDR)];
  const refuse = (rule: string) => [invalidValue(field, value, rule)];
  if (/\/0[0-9]/.test(value) || (!value.includes(":") && LEADING_ZERO.test(value))) {
    return refuse("must not have leading 0s in IP or prefix length");
  }
  if (range.mapped) return refuse("must not have an IPv4-mapped IPv6 address");
  return range.address === range.first ? [] : refuse("must not have bits set beyond the prefix length");
}

/** Newer fields take the canonical form only. */
export function checkStrictIp(value: string, field: string): StatusCause[] {
  const causes = checkIp(value, field);
  const ip = parseIp(value);
  if (causes.length > 0 || !ip) return causes;
  const canonical = printIp(ip);
  return value === canonical ? [] : [invalidValue(field, value, `must be in canonical form (${quote(canonical)})`)];
}

export function checkStrictCidr(value: string, field: string): StatusCause[] {
  const causes = checkCidr(value, field);
  const range = parseCidr(value);
  if (causes.length > 0 || !range) return causes;
  const canonical = printCidr(range);
  return value === canonical ? [] : [invalidValue(field, value, `must be in canonical form (${quote(canonical)})`)];
}

/** An address with the length of its network's prefix, in the canonical form. */
export function checkInterfaceAddress(value: string, field: string): StatusCause[] {
  const range = parseCidr(value);
  if (!range) {
    const why = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    return [invalidValue(field, value, why)];
  }
  const canonical = printCidr({ ...range, first: range.address });
  return value === canonical ? [] : [invalidValue(field, value, `must be in canonical form (${quote(canonical)})`)];
}

/** Addresses that endpoints may not have: a client could be sent to its own node. */
export function checkEndpointIp(value: string, field: string): StatusCause[] {
  const ip = parseIp(value);
  if (!ip) return [invalidValue(field, value, "must be a valid IP address")];
  const within = (cidr: string) => {
    const range = parseCidr(cidr);
    return range?.family === ip.family && ip.value >> hostBits(range) === range.first >> hostBits(range);
  };
  const causes: StatusCause[] = [];
  const refuse = (rule: string) => causes.push(invalidValue(field, value, rule));
  if (ip.value === 0n) refuse(`may not be unspecified (${value})`);
  if (within("127.0.0.0/8") || within("::1/128")) {
    refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (within("169.254.0.0/16") || within("fe80::/10")) {
    refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (within("224.0.0.0/24") || within("ff02::/16")) {
    refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return causes;
}

const hostBits = ({ family, prefixLength }: { family: 4 | 6; prefixLength: number }) =>
  BigInt((family === 4 ? 32 : 128) - prefixLength);

/** At most two, one of each family. */
export function isDualStack(addresses: readonly string[]): boolean {
  const families = new Set(addresses.map((address) => parseIp(address.split("/")[0] ?? "")?.family));
  return addresses.length === 2 && families.size === 2;
}

export function ipWarnings(value: string, field: string): string[] {
  const ip = parseIp(value);
  if (!ip) return [];
  const canonical = printIp(ip);
  if (ip.mapped || (!value.includes(":") && LEADING_ZERO.test(value))) {
    return [`${field}: non-standard IP address ${quote(value)} is invalid: use ${quote(canonical)}`];
  }
  return ip.family === 6 && canonical !== value
    ? [`${field}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`]
    : [];
}

export function cidrWarnings(value: string, field: string): string[] {
  const range = parseCidr(value);
  if (!range) return [];
  const canonical = printCidr(range);
  const warnings: string[] = [];
  if (range.address !== range.first) {
    const single = `${printIp({ family: range.family, value: range.address })}/${range.family === 4 ? 32 : 128}`;
    warnings.push(
      `${field}: CIDR value ${quote(value)} is ambiguous in this context (should be ${quote(canonical)} or ${quote(single)}?)`,
    );
  }
  if (range.mapped || (!value.includes(":") && LEADING_ZERO.test(value))) {
    warnings.push(`${field}: non-standard CIDR value ${quote(value)} is invalid: use ${quote(canonical)}`);
  }
  if (warnings.length === 0 && range.family === 6 && canonical !== value) {
    warnings.push(
      `${field}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`,
    );
  }
  return warnings;
}
