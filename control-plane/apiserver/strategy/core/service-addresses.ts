import { type IpRange, parseIp, printCidr, printIp } from "../../../../shared/api/ip.ts";
import { servesAddress, serviceAddresses } from "../../../../shared/api/service-cidr.ts";
import type { AllocationContext, IpFamily } from "../strategy.ts";
import { draw } from "./draw.ts";

/** The claim of an address, however it is written: no two services have it. */
export function ipClaim(address: string): string {
  const ip = parseIp(address);
  return `ip/${ip ? printIp(ip) : address}`;
}

/** Why a service cannot have the address that it asks for; undefined: it can. */
export function refuseAddress(asked: string, { ranges, taken, dryRun }: AllocationContext): string | undefined {
  const ip = parseIp(asked);
  if (!ip || !ranges.some((range) => servesAddress(range, ip))) {
    // As upstream has it: only a dry run names a range.
    const range = ranges.find(({ family }) => family === ip?.family);
    return dryRun && range
      ? `the provided IP (${asked}) is not in the valid range. The range of valid IPs is ${printCidr(range)}`
      : "the provided network does not match the current range";
  }
  // A dry run holds nothing, and upstream does not look either.
  return !dryRun && taken.has(ipClaim(asked)) ? "provided IP is already allocated" : undefined;
}

/**
 * An address that nobody has, of any range of the family; undefined when all are full. A dry run gets that of the network.
 */
export function drawAddress(context: AllocationContext, wanted: IpFamily): string | undefined {
  const ranges = context.ranges.filter(({ family }) => family === (wanted === "IPv6" ? 6 : 4));
  const [firstRange] = ranges;
  if (context.dryRun) return firstRange && printIp({ family: firstRange.family, value: firstRange.first });
  // None is preferred: a range is added because another gets full.
  const from = Math.floor(context.random() * ranges.length);
  for (const range of [...ranges.slice(from), ...ranges.slice(0, from)]) {
    const address = drawFrom(range, context);
    if (address !== undefined) return address;
  }
  return undefined;
}

function drawFrom(range: IpRange, context: AllocationContext): string | undefined {
  const { first, last } = serviceAddresses(range);
  if (last < first) return undefined;
  const print = (offset: number) => printIp({ family: range.family, value: first + BigInt(offset) });
  const count = last - first < MOST_DRAWN ? Number(last - first) : MOST_DRAWN;
  const offsets = { first: 0, dynamic: staticAddresses(range), last: count };
  const offset = draw(context, offsets, (candidate) => context.taken.has(ipClaim(print(candidate))));
  return offset === undefined ? undefined : print(offset);
}

/** Of a range with more addresses than anybody can use (IPv6's /64) so many: what a number can count, with room. */
const MOST_DRAWN = 2 ** 48;
const MIN_STATIC = 16;
const MAX_STATIC = 256;

/**
 * Automatic addresses come from the upper band, so that fixed ones (10.96.0.1, DNS) stay free: min(max(16, size/16),
 * 256) addresses are kept apart (KEP-3070).
 */
function staticAddresses({ family, prefixLength }: IpRange): number {
  const size = 2 ** ((family === 4 ? 32 : 128) - prefixLength);
  if (size <= MIN_STATIC) return 0;
  return Math.min(Math.max(MIN_STATIC, Math.floor(size / 16)), MAX_STATIC);
}
