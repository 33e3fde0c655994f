import type { Endpoint, Service } from "../../../shared/api/types.ts";
import type { ZoneShares } from "./zone-shares.ts";

/** How much more than its share a zone may get (upstream overloadThreshold, KEP-2433). */
const OVERLOAD = 0.2;
const ANNOTATIONS = ["service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"];

/** Asked for by annotation; then spec.trafficDistribution does not count. */
export function hasTopologyMode({ metadata }: Service): boolean {
  const [name] = ANNOTATIONS.filter((annotation) => metadata.annotations?.[annotation] !== undefined);
  return name !== undefined && ["Auto", "auto"].includes(metadata.annotations?.[name] ?? "");
}

export type TopologyHints = { endpoints: Endpoint[] } | { refused: string };

/**
 * Gives each zone as many endpoints as its nodes' CPU is of the whole: its own first, then those that other zones have
 * too many of. Refused where the shares cannot be kept; the reason is upstream's text.
 */
export function topologyHints(endpoints: Endpoint[], shares: ZoneShares | undefined): TopologyHints {
  const ready = endpoints.filter(({ conditions }) => conditions?.ready);
  const refused = refusal(ready, shares);
  if (refused !== undefined || !shares) return { refused: refused ?? "" };
  const counts = new Map<string, number>();
  for (const { zone = "" } of ready) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  const { giving, receiving } = exchanges(shares, counts, ready.length);
  return {
    endpoints: endpoints.map((endpoint) => {
      if (!endpoint.conditions?.ready || !endpoint.zone) return endpoint;
      const zone = giving.take(endpoint.zone) ? (receiving.takeAny() ?? endpoint.zone) : endpoint.zone;
      return { ...endpoint, hints: { forZones: [{ name: zone }] } };
    }),
  };
}

function refusal(ready: Endpoint[], shares: ZoneShares | undefined): string | undefined {
  if (!shares) return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  const counts = `(${ready.length} endpoints, ${shares.size} zones)`;
  if (shares.size > ready.length) return `Insufficient number of endpoints ${counts}`;
  const minimum = [...shares.values()].reduce((sum, share) => sum + minimumOf(share, ready.length), 0);
  if (minimum > ready.length) {
    const why = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold";
    return `${why} ${counts}`;
  }
  if (ready.some(({ zone }) => !zone)) return "One or more endpoints do not have a zone specified";
  return undefined;
}

const minimumOf = (share: number, total: number): number => Math.ceil((share * total) / (1 + OVERLOAD));

/** Numbers by zone that are used up one by one. */
class Tally {
  readonly #left = new Map<string, number>();

  add(zone: string): void {
    this.#left.set(zone, (this.#left.get(zone) ?? 0) + 1);
  }

  take(zone: string): boolean {
    const left = this.#left.get(zone) ?? 0;
    if (left > 0) this.#left.set(zone, left - 1);
    return left > 0;
  }

  takeAny(): string | undefined {
    return [...this.#left.keys()].find((zone) => this.take(zone));
  }
}

/** How many endpoints each zone gives to others, and gets from them: always the one that has most too many. */
function exchanges(shares: ZoneShares, counts: Map<string, number>, total: number) {
  const [giving, receiving] = [new Tally(), new Tally()];
  const surplus = new Map<string, number>();
  const need = new Map<string, number>();
  for (const [zone, share] of shares) {
    const target = Math.max(share * total, minimumOf(share, total));
    const over = (counts.get(zone) ?? 0) - target;
    if (over > 0) surplus.set(zone, over);
    if (over < 0) need.set(zone, -over);
  }
  for (;;) {
    const [from, to] = [most(surplus), most(need)];
    if (!from || !to || (from.number < 1 && to.number < 1) || from.number < 0.5 || to.number < 0.5) break;
    giving.add(from.zone);
    receiving.add(to.zone);
    surplus.set(from.zone, from.number - 1);
    need.set(to.zone, to.number - 1);
  }
  return { giving, receiving };
}

function most(zones: Map<string, number>): { zone: string; number: number } | undefined {
  let found: { zone: string; number: number } | undefined;
  for (const [zone, number] of zones) if (number > (found?.number ?? 0)) found = { zone, number };
  return found;
}
