import type { Node } from "../../../shared/api/types.ts";
import type { Clock } from "../../clock/index.ts";

export type IpFamily = "IPv4" | "IPv6";

/** What was changed and is not in the kernel for so long makes a proxy ill: twice kube-proxy's default syncPeriod. */
export const HEALTH_TIMEOUT_MS = 60_000;

/** The cluster autoscaler's, before it deletes a node. */
const TO_BE_DELETED_TAINT = "ToBeDeletedByClusterAutoscaler";

/** How well the rules of each family keep up with what is wanted. */
export class ProxyHealth {
  readonly #clock: Clock;
  readonly #updatedMs = new Map<IpFamily, number>();
  readonly #waitingSinceMs = new Map<IpFamily, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something is to be written. */
  queued(family: IpFamily): void {
    if (!this.#waitingSinceMs.has(family)) this.#waitingSinceMs.set(family, this.#clock.nowMs());
  }

  /** All that is wanted is written. A family that never was is none of this node's, and not looked at. */
  updated(family: IpFamily): void {
    this.#waitingSinceMs.delete(family);
    this.#updatedMs.set(family, this.#clock.nowMs());
  }

  isHealthy(): boolean {
    return [...this.#updatedMs.keys()].every((family) => this.#keepsUp(family));
  }

  /**
   * What is served at `/healthz`, and without `isNodeEligible` at `/livez`.
   * @see pkg/proxy/healthcheck, ProxyHealth
   */
  answer(isNodeEligible?: boolean) {
    const isHealthy = this.isHealthy();
    const isGood = isHealthy && isNodeEligible !== false;
    // As long as all is well "updated" means looked at, as load balancers know it from older releases.
    const updatedMs = isGood ? this.#clock.nowMs() : Math.max(...this.#updatedMs.values());
    const body = {
      lastUpdated: printNanoTime(updatedMs),
      currentTime: printNanoTime(this.#clock.nowMs()),
      ...(isNodeEligible !== undefined && { nodeEligible: isNodeEligible }),
      healthy: isHealthy,
      status: Object.fromEntries(
        [...this.#updatedMs].map(([family, atMs]) => [
          family,
          { lastUpdated: printNanoTime(atMs), healthy: this.#keepsUp(family) },
        ]),
      ),
    };
    return {
      status: isGood ? 200 : 503,
      headers: { "content-type": "application/json", "x-content-type-options": "nosniff" },
      body: JSON.stringify(body),
    };
  }

  #keepsUp(family: IpFamily): boolean {
    const sinceMs = this.#waitingSinceMs.get(family);
    return sinceMs === undefined || this.#clock.nowMs() - sinceMs < HEALTH_TIMEOUT_MS;
  }
}

/** Go's zero time stands for never. */
const printNanoTime = (ms: number): string =>
  Number.isFinite(ms) ? new Date(ms).toISOString() : "0001-01-01T00:00:00Z";

/** Whether load balancers may send to a node: not to one that is being taken away, or is not known. @see KEP-3836 */
export function isNodeEligible(node: Node | undefined): boolean {
  if (!node || node.metadata.deletionTimestamp !== undefined) return false;
  return !(node.spec?.taints ?? []).some(({ key }) => key === TO_BE_DELETED_TAINT);
}
