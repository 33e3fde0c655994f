import type { Node, ResourceClaim } from "../../../shared/api/types.ts";
import type { CelSteps } from "../../../shared/cel/index.ts";
import { allocationOf } from "./allocation.ts";
import type { Allocation, Devices } from "./devices.ts";
import { gatherPools, SliceIndex } from "./pools.ts";
import { requestsOf } from "./requests.ts";
import { AllocationTimeout, DeviceSearch } from "./search.ts";
import { DeviceSelectors } from "./selectors.ts";

/**
 * What looking for devices may take in one scheduling cycle, over all nodes, in steps of expressions: two seconds or so.
 * Nobody else is scheduled meanwhile. (Upstream gives each node ten seconds.)
 */
const STEPS_PER_CYCLE = 2_000_000;

/** The devices of a cycle, to look for those of one pod on one node after the other. */
export class DeviceAllocator {
  readonly #devices: Devices;
  readonly #slices: SliceIndex;
  readonly #allocated: ReadonlySet<string>;
  readonly #steps: CelSteps = { left: STEPS_PER_CYCLE };
  readonly #selectors = new DeviceSelectors(this.#steps);

  constructor(devices: Devices) {
    this.#devices = devices;
    this.#slices = new SliceIndex(devices.slices());
    this.#allocated = devices.allocated();
  }

  /**
   * Devices of a node for claims that have none.
   * @returns an allocation for each claim, in order, or why the node has none
   * @throws Error in upstream's words where the search itself fails: a selector does, or it took too long
   */
  allocate(node: Node, claims: readonly ResourceClaim[]): Allocation[] | { reason: string } {
    const pools = gatherPools(this.#slices, node);
    const context = { pools, devices: this.#devices, selectors: this.#selectors };
    const searched = claims.map((claim) => ({ claim, requests: requestsOf(claim, context) }));
    const candidates = pools.flatMap(({ devices }) => devices);
    const search = { claims: searched, candidates, allocated: this.#allocated, steps: this.#steps };
    let chosen: ReturnType<DeviceSearch["run"]>;
    try {
      chosen = new DeviceSearch(search).run();
    } catch (error) {
      if (error instanceof AllocationTimeout) throw new Error(`node ${node.metadata.name}: ${error.message}`);
      throw error;
    }
    if (chosen) return claims.map((claim, i) => allocationOf(claim, chosen[i]!, node.metadata.name));
    const isOneInvalid = pools.some(({ isInvalid }) => isInvalid);
    return { reason: isOneInvalid ? INVALID_POOLS : NOT_ALL };
  }
}

const INVALID_POOLS = "invalid resource pools were encountered";
export const NOT_ALL = "cannot allocate all claims";
