import { type IpRange, parseIp, printCidr, printIp } from "../../../../shared/api/ip.ts";
import { servesAddress, serviceAddresses } from "../../../../shared/api/service-cidr.ts";
import type { AllocationContext } from "../strategy.ts";
import { draw } from "./draw.ts";

/** The claim of an address: no two services have it. */
export const ipClaim = (address: string) => `ip/${address}`;

/** Why a service cannot have the address that it asks for; undefined: it can. */
export function refuseAddress(asked: string, { ranges, taken, dryRun }: AllocationContext): string | undefined {
  const ip = parseIp(asked);
  if (!ip || !ranges.some((range) => servesAddress(range, ip))) {
    // As upstream has it: only a dry run names a range.
    return dryRun && ranges[0]
      ? `the provided IP (${asked}) is not in the valid range. The range of valid IPs is ${printCidr(ranges[0])}`
      : "the provided network does not match the current range";
  }
  // A dry run holds nothing, and upstream does not look either.
  return !dryRun && taken.has(ipClaim(printIp(ip))) ? "provided IP is already allocated" : undefined;
}

/** An address that nobody has, of any range; undefined when all are full. A dry run gets that of the network. */
export function drawAddress(context: AllocationContext): string | undefined {
  const ranges = context.ranges.filter(({ family }) => family === 4);
  const [firstRange] = ranges;
  if (context.dryRun) return firstRange && printIp({ family: 4, value: firstRange.first });
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
  const print = (offset: number) => printIp({ family: 4, value: first + BigInt(offset) });
  const offsets = { first: 0, dynamic: staticAddresses(range), last: Number(last - first) };
  const offset = draw(context, offsets, (candidate) => context.taken.has(ipClaim(print(candidate))));
  return offset === undefined ? undefined : print(offset);
}

const MIN_STATIC = 16;
const MAX_STATIC = 256;

/**
 * Automatic addresses come from the upper band, so that fixed ones (10.96.0.1, DNS) stay free: min(max(16, size/16),
 * 256) addresses are kept apart (KEP-3070).
 */
function staticAddresses({ prefixLength }: IpRange): number {
  const size = 2 ** (32 - prefixLength);
  if (size <= MIN_STATIC) return 0;
  return Math.min(Math.max(MIN_STATIC, Math.floor(size / 16)), MAX_STATIC);
}
