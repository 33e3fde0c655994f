import type { Pod, ResourceClaim } from "../../shared/api/types.ts";
import type { ControllerDeps } from "../runtime/index.ts";
import type { CachedDevices } from "./cached-devices.ts";
import { deallocateClaim, reserveClaim, unreserveClaim } from "./device-writes.ts";
import { type Allocation, claimsOf } from "./devices/index.ts";

type Deps = Pick<ControllerDeps, "api" | "clock" | "log">;

/** What pods hold of their claims on the way to their nodes. */
export class ClaimHolds {
  readonly #devices: CachedDevices;
  readonly #deps: Deps;

  constructor(devices: CachedDevices, deps: Deps) {
    this.#devices = devices;
    this.#deps = deps;
  }

  /** Keeps devices for claims, before the API knows. */
  choose(allocations: ReadonlyMap<ResourceClaim, Allocation>): void {
    for (const [claim, allocation] of allocations) this.#devices.choose(claim.metadata.uid!, allocation);
  }

  /**
   * Has a pod's claims allocated and reserved.
   * @throws Error if one of them is gone or taken; what the API says
   */
  async reserve(pod: Pod, allocations: ReadonlyMap<ResourceClaim, Allocation>): Promise<void> {
    const claims = claimsOf(pod, this.#devices);
    if ("never" in claims) throw new Error(claims.never);
    for (const claim of claims) await reserveClaim(claim, { pod, allocation: allocations.get(claim) }, this.#deps);
  }

  /** A pod's claims may be used by others again; devices that no claim says it has are free at once. */
  async release(pod: Pod): Promise<void> {
    const claims = claimsOf(pod, this.#devices);
    if ("never" in claims) return;
    for (const claim of claims) this.#devices.giveUp(claim.metadata.uid!);
    for (const claim of claims) await this.#try("unreserve", claim, () => unreserveClaim(claim, pod, this.#deps));
  }

  /** Takes the devices of a claim away that are of no use to it. */
  deallocate(claim: ResourceClaim): Promise<void> {
    return this.#try("deallocate", claim, () => deallocateClaim(claim, this.#deps));
  }

  /** What fails is tried again with the pod. */
  async #try(what: string, { metadata }: ResourceClaim, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      const claim = `${metadata.namespace}/${metadata.name}`;
      this.#deps.log.error(`${what} failed`, { claim, error: String(error) });
    }
  }
}
