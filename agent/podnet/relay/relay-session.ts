import { messageOf } from "../../../shared/message-of.ts";
import {
  type Datagram,
  DatagramQueue,
  decodeDatagram,
  encodeDatagram,
  Pace,
  RELAY_PATH,
} from "../../../shared/relay/index.ts";
import { MessageDecoder, requestThrough } from "../../../shared/tunnel/index.ts";
import { type Clock, createWake } from "../../clock/index.ts";
import type { Log } from "../../log/index.ts";
import type { Tunnel } from "../../tunnel/index.ts";

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** Ways come and go: it is closed when nobody has asked for it for so long. */
const LINGER_MS = 60_000;

export interface RelaySessionOptions {
  tunnel: Pick<Tunnel, "mux" | "isConnected" | "onConnected">;
  /** From other nodes; `bytes` is a view that is not kept. */
  onDatagram(datagram: Datagram): void;
  /** It can be sent with from now on, or not any more. */
  onChange(): void;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/**
 * This node's stream of datagrams through its tunnel. There while it is needed, and some time longer: it keeps the node's
 * session in the control plane awake.
 */
export class RelaySession {
  readonly #options: RelaySessionOptions;
  readonly #wake = createWake();
  #isNeeded = false;
  #neededUntilMs = 0;
  /** Of the open stream. */
  #queue: DatagramQueue | undefined;

  constructor(options: RelaySessionOptions) {
    this.#options = options;
    options.tunnel.onConnected(() => this.#wake.notify());
  }

  get isOpen(): boolean {
    return this.#queue !== undefined;
  }

  setNeeded(isNeeded: boolean): void {
    if (this.#isNeeded && !isNeeded) this.#neededUntilMs = this.#options.clock.nowMs() + LINGER_MS;
    const wasNeeded = this.#isNeeded;
    this.#isNeeded = isNeeded;
    if (isNeeded !== wasNeeded) this.#wake.notify();
  }

  /** Lost without an open stream, or when more is sent than the relay takes. */
  send(datagram: Datagram): void {
    this.#queue?.push(encodeDatagram(datagram));
  }

  /** Keeps a stream open whenever it is needed, until the signal is aborted. */
  async run(): Promise<void> {
    const { tunnel, clock, log, signal } = this.#options;
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      if (!this.#isWanted() || !tunnel.isConnected) {
        await this.#wake.wait(undefined, clock, signal);
        continue;
      }
      const openedMs = clock.nowMs();
      const reason = await this.#relay().catch(messageOf);
      this.#setQueue(undefined);
      if (signal.aborted || !this.#isWanted()) continue;
      log("info", "the relay through the control plane is interrupted", { reason, retryMs });
      if (clock.nowMs() - openedMs > MAX_RETRY_MS) retryMs = FIRST_RETRY_MS;
      await clock.sleep(retryMs, signal);
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    }
  }

  #isWanted = () => this.#isNeeded || this.#options.clock.nowMs() < this.#neededUntilMs;

  #setQueue(queue: DatagramQueue | undefined): void {
    if (queue === this.#queue) return;
    this.#queue = queue;
    this.#options.onChange();
  }

  /** @returns why it is over */
  async #relay(): Promise<string> {
    const { signal, tunnel } = this.#options;
    const close = new AbortController();
    const queue = new DatagramQueue();
    close.signal.addEventListener("abort", () => queue.end());
    const onStop = () => close.abort();
    signal.addEventListener("abort", onStop);
    try {
      const { status, body } = await requestThrough(tunnel.mux, {
        ...{ method: "POST", path: RELAY_PATH, headers: {}, signal: close.signal },
        body: this.#outgoing(queue),
      });
      if (status !== 200) {
        await body.cancel();
        return `the control plane answers ${status}: it does not relay`;
      }
      this.#setQueue(queue);
      this.#options.log("info", "packets can be relayed through the control plane");
      void this.#closeWhenIdle(close);
      const decoder = new MessageDecoder();
      for await (const chunk of body) {
        for (const message of decoder.push(chunk)) this.#options.onDatagram(decodeDatagram(message));
      }
      return "the control plane has ended it";
    } finally {
      close.abort();
      signal.removeEventListener("abort", onStop);
    }
  }

  async #closeWhenIdle(close: AbortController): Promise<void> {
    const { clock } = this.#options;
    while (!close.signal.aborted && this.#isWanted()) {
      const restMs = this.#isNeeded ? undefined : this.#neededUntilMs - clock.nowMs();
      await this.#wake.wait(restMs, clock, close.signal);
    }
    close.abort();
  }

  /** Batches as they gather, at the relay's pace. */
  #outgoing(queue: DatagramQueue): ReadableStream<Uint8Array> {
    const { clock, signal } = this.#options;
    const pace = new Pace();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          await queue.waitForSome();
          const batch = queue.take();
          if (!batch) return controller.close();
          const waitMs = pace.spend(batch.byteLength, clock.nowMs());
          if (waitMs > 0) await clock.sleep(waitMs, signal);
          controller.enqueue(batch);
        },
      },
      { highWaterMark: 0 },
    );
  }
}
