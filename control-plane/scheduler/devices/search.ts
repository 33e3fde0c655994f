import { tolerates } from "../../../shared/api/toleration.ts";
import type { ResourceClaim } from "../../../shared/api/types.ts";
import type { CelSteps } from "../../../shared/cel/index.ts";
import { Constraint } from "./constraints.ts";
import { hasCountersFor } from "./counters.ts";
import { deviceId } from "./devices.ts";
import type { PooledDevice } from "./pools.ts";
import { MAX_RESULTS, type Wanted } from "./requests.ts";

/** What trying one device costs, in the steps of expressions. */
const STEPS_PER_TRY = 10;

/** Looking for devices took too long. */
export class AllocationTimeout extends Error {}

export interface ChosenDevice extends PooledDevice {
  wanted: Wanted;
}

export interface SearchedClaim {
  claim: ResourceClaim;
  requests: Wanted[][];
}

/**
 * The first devices that satisfy all claims together: claim by claim, request by request, alternative by alternative,
 * every combination of devices in their order, but no permutation within a request.
 */
export class DeviceSearch {
  readonly #claims: readonly SearchedClaim[];
  readonly #candidates: readonly PooledDevice[];
  readonly #allocated: ReadonlySet<string>;
  readonly #steps: CelSteps;
  readonly #constraints: Constraint[][];
  readonly #chosen: ChosenDevice[][];
  /** Those of them that nobody else may have. */
  readonly #taken = new Set<string>();

  constructor(given: {
    claims: readonly SearchedClaim[];
    candidates: readonly PooledDevice[];
    /** Devices that others have. */
    allocated: ReadonlySet<string>;
    steps: CelSteps;
  }) {
    this.#claims = given.claims;
    this.#candidates = given.candidates;
    this.#allocated = given.allocated;
    this.#steps = given.steps;
    this.#constraints = given.claims.map(({ claim }) =>
      (claim.spec.devices?.constraints ?? []).map((declared, i) => {
        const { namespace, name } = claim.metadata;
        return new Constraint(declared, `claim ${namespace}/${name}, constraint #${i}`);
      }),
    );
    this.#chosen = given.claims.map(() => []);
  }

  /**
   * @returns the devices of each claim, or undefined if there is no way
   * @throws AllocationTimeout when the steps are used up
   */
  run(): ChosenDevice[][] | undefined {
    return this.#nextRequest(0, 0) ? this.#chosen : undefined;
  }

  #nextRequest(claimIndex: number, requestIndex: number): boolean {
    const claim = this.#claims[claimIndex];
    if (!claim) return true;
    const alternatives = claim.requests[requestIndex];
    if (!alternatives) return this.#nextRequest(claimIndex + 1, 0);
    return alternatives.some((wanted) => this.#nextDevice({ claimIndex, requestIndex, wanted, count: 0, from: 0 }));
  }

  #nextDevice(at: Position): boolean {
    const { claimIndex, requestIndex, wanted, count, from } = at;
    // Of "all" there must be one at least.
    if (wanted.all?.length === 0) return false;
    if (count === wanted.count) return this.#nextRequest(claimIndex, requestIndex + 1);
    if (this.#chosen[claimIndex]!.length + wanted.count - count > MAX_RESULTS) return false;
    if (wanted.all) return this.#tryDevice(at, wanted.all[count]!, 0);
    for (let i = from; i < this.#candidates.length; i++) {
      if (this.#tryDevice(at, this.#candidates[i]!, i + 1)) return true;
    }
    return false;
  }

  #tryDevice(at: Position, device: PooledDevice, from: number): boolean {
    this.#steps.left -= STEPS_PER_TRY;
    if (!(this.#steps.left >= 0)) throw new AllocationTimeout("timed out trying to allocate devices");
    if (!this.#take(at, device)) return false;
    if (this.#nextDevice({ ...at, count: at.count + 1, from })) return true;
    const { claimIndex, wanted } = at;
    this.#chosen[claimIndex]!.pop();
    if (!wanted.adminAccess) this.#taken.delete(device.id);
    for (const constraint of this.#constraints[claimIndex]!) {
      constraint.removeLast(wanted.request, wanted.subRequest);
    }
    return false;
  }

  #take({ claimIndex, wanted }: Position, candidate: PooledDevice): boolean {
    if (!this.#isFree(candidate, wanted, claimIndex)) return false;
    if (!wanted.all && !wanted.isSelectable(candidate)) return false;
    if (
      !hasCountersFor(candidate, ({ name }) =>
        this.#isTaken(deviceId({ driver: candidate.driver, pool: candidate.pool.name, device: name })),
      )
    )
      return false;
    const { driver, device } = candidate;
    if (isTainted(candidate, wanted)) return false;
    const constraints = this.#constraints[claimIndex]!;
    const { request, subRequest } = wanted;
    const broken = constraints.findIndex((constraint) => !constraint.add(request, subRequest, driver, device));
    if (broken >= 0) {
      if (wanted.all) throw new Error(this.#whyNotAll(claimIndex, wanted, candidate));
      for (const constraint of constraints.slice(0, broken)) constraint.removeLast(request, subRequest);
      return false;
    }
    this.#chosen[claimIndex]!.push({ ...candidate, wanted });
    if (!wanted.adminAccess) this.#taken.add(candidate.id);
    return true;
  }

  /** Who looks after devices may have those in use, but each once. */
  #isFree({ id }: PooledDevice, { adminAccess }: Wanted, claimIndex: number): boolean {
    return adminAccess ? !this.#chosen[claimIndex]!.some((other) => other.id === id) : !this.#isTaken(id);
  }

  #isTaken(id: string): boolean {
    return this.#allocated.has(id) || this.#taken.has(id);
  }

  #whyNotAll(claimIndex: number, { request, subRequest }: Wanted, candidate: PooledDevice): string {
    const { namespace, name } = this.#claims[claimIndex]!.claim.metadata;
    const what = `cannot add device ${candidate.id} because a claim constraint would not be satisfied`;
    return `claim ${namespace}/${name}, request ${subRequest ?? request}: ${what}`;
  }
}

interface Position {
  claimIndex: number;
  requestIndex: number;
  wanted: Wanted;
  /** How many devices the request has. */
  count: number;
  /** The first candidate for the next one. */
  from: number;
}

const isTainted = ({ device }: PooledDevice, { tolerations }: Wanted): boolean =>
  (device.taints ?? []).some(
    (taint) => (taint.effect === "NoSchedule" || taint.effect === "NoExecute") && !tolerates(tolerations, taint),
  );
