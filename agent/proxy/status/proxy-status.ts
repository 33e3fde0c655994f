import { TRIGGER_TIME } from "../../../shared/api/endpoint-slice.ts";
import type { EndpointSlice } from "../../../shared/api/types.ts";
import type { Clock } from "../../clock/index.ts";
import { type IpFamily, ProxyHealth } from "./proxy-health.ts";
import { ProxyMetrics } from "./proxy-metrics.ts";

/** Changes of endpoints that are timed at once: what comes past it between two transactions is not. */
const MAX_TIMED = 10_000;
const FAMILY_OF: Readonly<Record<string, IpFamily>> = { IPv4: "IPv4", IPv6: "IPv6" };

/** What the service proxy tells of itself, fed as it works. */
export class ProxyStatus {
  readonly health: ProxyHealth;
  readonly metrics = new ProxyMetrics();
  readonly #clock: Clock;
  readonly #startMs: number;
  /** When what made endpoints change happened (ms), of changes that are not in the rules yet. */
  readonly #triggersMs: Record<IpFamily, number[]> = { IPv4: [], IPv6: [] };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.nowMs();
    this.health = new ProxyHealth(clock);
    this.health.updated("IPv4"); // one that never comes to write anything is ill after a while, too
  }

  servicesChanged(count: number): void {
    const { services } = this.metrics;
    services.total += count;
    services.pending += count;
  }

  /** @param slices as they are now; those that are gone are undefined */
  slicesChanged(slices: readonly (EndpointSlice | undefined)[]): void {
    const { endpoints } = this.metrics;
    endpoints.total += slices.length;
    endpoints.pending += slices.length;
    for (const slice of slices) {
      const family = FAMILY_OF[slice?.addressType ?? ""];
      const atMs = Date.parse(slice?.metadata.annotations?.[TRIGGER_TIME] ?? "");
      // What happened before this agent began says nothing of it; so does what is yet to happen, by another's clock.
      if (!family || !(atMs > this.#startMs) || this.#triggersMs[family].length >= MAX_TIMED) continue;
      this.#triggersMs[family].push(atMs);
    }
  }

  /** There is something to write. */
  queued(): void {
    this.metrics.queued(this.#clock.nowMs());
    for (const family of ["IPv4", "IPv6"] as const) this.health.queued(family);
  }

  /** All changes so far are taken up into what is wanted. @returns those that are timed, for `written` */
  takeUp(): Record<IpFamily, number[]> {
    this.metrics.services.pending = 0;
    this.metrics.endpoints.pending = 0;
    const { IPv4, IPv6 } = this.#triggersMs;
    return { IPv4: IPv4.splice(0), IPv6: IPv6.splice(0) };
  }

  written(
    family: IpFamily,
    { tookMs, isWhole, triggersMs }: { tookMs: number; isWhole: boolean; triggersMs: readonly number[] },
  ): void {
    const atMs = this.#clock.nowMs();
    this.metrics.synced(family, { tookMs, isWhole, atMs });
    this.health.updated(family);
    for (const triggerMs of triggersMs) this.metrics.programmed(family, Math.max(0, atMs - triggerMs));
  }
}
