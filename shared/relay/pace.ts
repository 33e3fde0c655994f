import { RELAY_BURST_BYTES, RELAY_BYTES_PER_SECOND } from "./limits.ts";

/** Keeps a sender to a rate: what is spent beyond the burst has to be waited for. */
export class Pace {
  readonly #bytesPerSecond: number;
  readonly #burstBytes: number;
  #credit: number;
  #lastMs: number | undefined;

  constructor(bytesPerSecond = RELAY_BYTES_PER_SECOND, burstBytes = RELAY_BURST_BYTES) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#burstBytes = burstBytes;
    this.#credit = burstBytes;
  }

  /** @returns how long to wait before the next is sent, in ms */
  spend(bytes: number, nowMs: number): number {
    const elapsedMs = Math.max(0, nowMs - (this.#lastMs ?? nowMs));
    this.#lastMs = nowMs;
    this.#credit = Math.min(this.#burstBytes, this.#credit + (elapsedMs * this.#bytesPerSecond) / 1000) - bytes;
    return this.#credit >= 0 ? 0 : Math.ceil((-this.#credit * 1000) / this.#bytesPerSecond);
  }
}
