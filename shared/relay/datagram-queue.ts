import { MAX_BATCH_BYTES, MAX_QUEUED_BYTES } from "./limits.ts";

/** What waits in several queues together, kept up by them. */
export interface ByteCount {
  bytes: number;
}

/** What waits to be sent. When there is too much the oldest goes: the newest of a connection is worth the most. */
export class DatagramQueue {
  readonly #maxBytes: number;
  readonly #together: ByteCount;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor({
    maxBytes = MAX_QUEUED_BYTES,
    together = { bytes: 0 },
  }: { maxBytes?: number; together?: ByteCount } = {}) {
    this.#maxBytes = maxBytes;
    this.#together = together;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** What waits, as far as it counts towards the bound. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param datagrams one or several, whole: what is pushed together goes, or is lost, together */
  push(datagrams: Uint8Array): void {
    if (this.#isOver) return;
    this.#waiting.push(datagrams);
    this.#count(datagrams.byteLength);
    while (this.#bytes > this.#maxBytes && this.#waiting.length > 1) this.#count(-this.#waiting.shift()!.byteLength);
    this.#wake?.();
  }

  /** The oldest, joined: as many as fit into a batch, one at least. Undefined: there are none. */
  take(maxBytes = MAX_BATCH_BYTES): Uint8Array | undefined {
    let count = 0;
    let total = 0;
    for (const { byteLength } of this.#waiting) {
      if (count > 0 && total + byteLength > maxBytes) break;
      count++;
      total += byteLength;
    }
    if (count === 0) return undefined;
    const taken = this.#waiting.splice(0, count);
    this.#count(-total);
    if (count === 1) return taken[0];
    const batch = new Uint8Array(total);
    let offset = 0;
    for (const each of taken) {
      batch.set(each, offset);
      offset += each.byteLength;
    }
    return batch;
  }

  /**
   * Settles when there is something to take, or when nothing will come any more. One waits at a time. No promise of the
   * reader's is raced with: one that lives long would keep something of every wait.
   */
  async waitForSome(): Promise<void> {
    if (!this.isEmpty || this.#isOver) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }

  /** Nobody takes any more: what waits is lost, and what is pushed. */
  end(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#count(-this.#bytes);
    this.#wake?.();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#together.bytes += bytes;
  }
}
