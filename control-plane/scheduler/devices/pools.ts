import { matchesTerm } from "../../../shared/api/node-selector.ts";
import type { Node, NodeSelector, ResourceSlice } from "../../../shared/api/types.ts";
import { type Device, deviceId } from "./devices.ts";

export interface PooledDevice {
  driver: string;
  pool: Pool;
  device: Device;
  /** As `deviceId` has it. */
  id: string;
  slice: ResourceSlice;
}

/** The devices of one driver's pool, as far as they are for one node. */
export interface Pool {
  driver: string;
  name: string;
  /** Not all of its slices are published (yet). */
  isIncomplete: boolean;
  /** Its slices contradict each other. */
  isInvalid: boolean;
  devices: PooledDevice[];
  /** All devices of the pool, for what those that are elsewhere consume of its counters. */
  allDevices: readonly Device[];
  /** What each counter has, by set and name. */
  counters: ReadonlyMap<string, Record<string, { value: string }>>;
}

/** Every slice there is, to be found by node and by pool. */
export class SliceIndex {
  readonly #byNode: ReadonlyMap<string | undefined, ResourceSlice[]>;
  readonly #byPool: ReadonlyMap<string, ResourceSlice[]>;

  constructor(slices: readonly ResourceSlice[]) {
    this.#byNode = Map.groupBy(slices, ({ spec }) =>
      spec.sharedCounters?.length ? undefined : spec.nodeName || undefined,
    );
    this.#byPool = Map.groupBy(slices, poolId);
  }

  /** Those for the node, those for several, and those that say so device by device. */
  near(node: string): ResourceSlice[] {
    return [...(this.#byNode.get(node) ?? []), ...(this.#byNode.get(undefined) ?? [])];
  }

  /** Also outdated ones. */
  ofPool(slice: ResourceSlice): readonly ResourceSlice[] {
    return this.#byPool.get(poolId(slice)) ?? [];
  }
}

/**
 * The pools that have something for a node, by driver and name, so that the same devices are tried first everywhere.
 * Pools of whose devices some must be made ready before a pod is bound come last.
 */
export function gatherPools(slices: SliceIndex, node: Node): Pool[] {
  const relevant = slices.near(node.metadata.name).filter((slice) => isRelevant(slice, node));
  const pools: Pool[] = [];
  for (const group of Map.groupBy(relevant, poolId).values()) {
    const generation = Math.max(...group.map(({ spec }) => spec.pool.generation));
    const published = slices.ofPool(group[0]!);
    // Also slices for other nodes tell whether it is whole, and outdated: the driver is replacing its slices, and has nothing for this node any more.
    if (published.some(({ spec }) => spec.pool.generation > generation)) continue;
    const isCurrent = ({ spec }: ResourceSlice) => spec.pool.generation === generation;
    pools.push(poolOf(group.filter(isCurrent), published.filter(isCurrent), node));
  }
  const rank = (pool: Pool) => Number(pool.devices.some(({ device }) => device.bindingConditions));
  return pools.sort((a, b) => rank(a) - rank(b) || compare(a.driver, b.driver) || compare(a.name, b.name));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const poolId = ({ spec }: ResourceSlice): string => `${spec.driver}/${spec.pool.name}`;

function poolOf(relevant: ResourceSlice[], published: ResourceSlice[], node: Node): Pool {
  const { driver, pool } = relevant[0]!.spec;
  const sets = published.flatMap(({ spec }) => spec.sharedCounters ?? []);
  const allDevices = published.flatMap(({ spec }) => spec.devices ?? []);
  const counters = new Map(sets.map((set) => [set.name, set.counters]));
  const result: Pool = {
    driver,
    name: pool.name,
    isIncomplete: published.length !== pool.resourceSliceCount,
    isInvalid: counters.size < sets.length || !areConsistent(allDevices, counters),
    devices: [],
    allDevices,
    counters,
  };
  if (result.isIncomplete || result.isInvalid) return result;
  for (const slice of relevant.toSorted((a, b) => compare(a.metadata.name, b.metadata.name))) {
    for (const device of slice.spec.devices ?? []) {
      if (slice.spec.perDeviceNodeSelection && !isForNode(device, node)) continue;
      const id = deviceId({ driver, pool: pool.name, device: device.name });
      result.devices.push({ driver, pool: result, device, id, slice });
    }
  }
  return result;
}

/** Names of devices are their own, and the counters that they consume are there. */
function areConsistent(devices: readonly Device[], counters: Pool["counters"]): boolean {
  if (new Set(devices.map(({ name }) => name)).size < devices.length) return false;
  return devices.every(({ consumesCounters = [] }) =>
    consumesCounters.every((consumed) => {
      const set = counters.get(consumed.counterSet);
      return !!set && Object.keys(consumed.counters).every((name) => Object.hasOwn(set, name));
    }),
  );
}

interface NodeChoice {
  nodeName?: string;
  allNodes?: boolean;
  nodeSelector?: unknown;
}

function isRelevant({ spec }: ResourceSlice, node: Node): boolean {
  if (spec.sharedCounters?.length) return true;
  if (spec.perDeviceNodeSelection) return (spec.devices ?? []).some((device) => isForNode(device, node));
  return isForNode(spec, node);
}

function isForNode({ nodeName, allNodes, nodeSelector }: NodeChoice, node: Node): boolean {
  if (nodeName) return nodeName === node.metadata.name;
  if (allNodes) return true;
  const terms = (nodeSelector as NodeSelector | undefined)?.nodeSelectorTerms ?? [];
  return terms.some((term) => matchesTerm(term, node));
}
