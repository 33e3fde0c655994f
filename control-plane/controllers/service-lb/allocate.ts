import { parseIp, printIp } from "../../../shared/api/ip.ts";
import { FROM_NODES, fromPool } from "../../../shared/api/load-balancer.ts";
import type { Service } from "../../../shared/api/types.ts";
import { type AddressPool, firstFree, poolHas } from "./address-pool.ts";
import { NODES_CLASS, POOL_CLASS } from "./classes.ts";
import { areEnough, familiesOf } from "./families.ts";
import { type Holding, holdingOf, isOlder } from "./holding.ts";

/** On a Service: the pool that its address must be of. */
export const POOL_ANNOTATION = "hearth.dev/address-pool";
/** On a Service: its addresses, with commas between, one of a family. Goes before spec.loadBalancerIP, which has but one. */
export const IPS_ANNOTATION = "hearth.dev/load-balancer-ips";

/** Why there are no addresses for a Service, as the event says it. */
export class AllocationError extends Error {}

export interface Allocation {
  ips: string[];
  /** `nodes` or `pool/<name>`. */
  from: string;
}

/**
 * Addresses of a pool for a Service: those that it asks for, else those that it has, else the first free ones of the pool
 * that it asks for or of the first pool that has any.
 * @param current what it has, or was given
 * @returns undefined if no pool is meant for it
 * @throws AllocationError
 */
export function allocate(
  service: Service,
  pools: readonly AddressPool[],
  others: readonly Holding[],
  current: readonly string[],
): Allocation | undefined {
  const { annotations = {} } = service.metadata;
  const wanted = annotations[IPS_ANNOTATION] ?? service.spec?.loadBalancerIP ?? "";
  const poolName = annotations[POOL_ANNOTATION];
  const loadBalancerClass = service.spec?.loadBalancerClass;
  if (loadBalancerClass === NODES_CLASS) return undefined;
  // Where there are no pools the field means some other load balancer, as it always did.
  const isPoolMeant =
    annotations[IPS_ANNOTATION] !== undefined || poolName !== undefined || loadBalancerClass === POOL_CLASS;
  if (pools.length === 0 && !isPoolMeant) return undefined;
  const isAsked = wanted !== "" || isPoolMeant;
  const candidates = poolName === undefined ? pools : [poolOf(pools, poolName)];
  if (!isAsked && !candidates.some(({ autoAssign }) => autoAssign)) return keep(service, candidates, others, current);

  if (wanted !== "") return request(service, wanted, candidates, others);
  const kept = keep(service, candidates, others, current);
  if (kept) return kept;
  for (const pool of candidates) {
    if (!pool.autoAssign && poolName === undefined) continue;
    const ips = pick(service, pool, others);
    if (ips) return { ips, from: fromPool(pool.name) };
  }
  throw new AllocationError(
    poolName === undefined ? "no available IPs" : `no available IPs in pool ${JSON.stringify(poolName)}`,
  );
}

function poolOf(pools: readonly AddressPool[], name: string): AddressPool {
  const pool = pools.find((each) => each.name === name);
  if (!pool) throw new AllocationError(`unknown pool ${JSON.stringify(name)}`);
  return pool;
}

function request(
  service: Service,
  text: string,
  pools: readonly AddressPool[],
  others: readonly Holding[],
): Allocation {
  const ips = text.split(",").map((part) => canonical(part.trim()));
  const pool = pools.find((each) => ips.every((ip) => poolHas(each, ip)));
  if (!pool) throw new AllocationError(`${JSON.stringify(ips)} is not allowed in config`);
  if (!areEnough(service, ips))
    throw new AllocationError(
      `${JSON.stringify(ips)} does not fit the IP families ${JSON.stringify(familiesOf(service))}`,
    );
  const other = holderOf(ips, others, service);
  if (other) throw new AllocationError(`can't use ${JSON.stringify(ips)}, address also in use by ${other.key}`);
  return { ips, from: fromPool(pool.name) };
}

function canonical(text: string): string {
  const ip = parseIp(text);
  if (!ip) throw new AllocationError(`invalid address ${JSON.stringify(text)}`);
  return printIp(ip);
}

function keep(
  service: Service,
  pools: readonly AddressPool[],
  others: readonly Holding[],
  current: readonly string[],
): Allocation | undefined {
  if (current.length === 0 || !areEnough(service, current) || holderOf(current, others, service)) return undefined;
  const pool = pools.find((each) => current.every((ip) => poolHas(each, ip)));
  return pool && { ips: [...current], from: fromPool(pool.name) };
}

/** Who has one of the addresses with a better right: whoever has it, or the older one if the Service has it, too. */
function holderOf(ips: readonly string[], others: readonly Holding[], service: Service): Holding | undefined {
  const own = holdingOf(service);
  return others.find((other) => {
    const shared = ips.filter((ip) => other.ips.includes(ip));
    if (shared.length === 0) return false;
    const isOurs = own.from !== undefined && own.from !== FROM_NODES && shared.every((ip) => own.ips.includes(ip));
    return !isOurs || isOlder(other, own);
  });
}

/** One of each family. @returns undefined if the pool cannot give what the Service needs */
function pick(service: Service, pool: AddressPool, others: readonly Holding[]): string[] | undefined {
  const taken = new Set(others.flatMap(({ ips }) => ips));
  const ips = familiesOf(service).flatMap((family) => firstFree(pool, family, (ip) => taken.has(ip)) ?? []);
  return areEnough(service, ips) ? ips : undefined;
}
