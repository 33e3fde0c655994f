import { DurableObject } from "cloudflare:workers";
import type { ChangeBatch, ChangeSubscriber } from "../interface.ts";

export { ResourceStore } from "../resource-store.ts";

/** A subscriber that remembers what it was fed, and can be told to fail. */
export class Recorder extends DurableObject implements ChangeSubscriber {
  readonly #batches: ChangeBatch[] = [];
  #failures = 0;

  async onChanges(batch: ChangeBatch): Promise<void> {
    if (this.#failures > 0) {
      this.#failures--;
      throw new Error("told to fail");
    }
    this.#batches.push(batch);
  }

  async batches(): Promise<ChangeBatch[]> {
    return this.#batches;
  }

  async failNext(times: number): Promise<void> {
    this.#failures = times;
  }

  async failuresLeft(): Promise<number> {
    return this.#failures;
  }
}

/** Another namespace, so that two subscribers of one cluster are two objects. */
export class SecondRecorder extends Recorder {}

/** The stores' tests need no API server. */
export default { fetch: () => new Response("not here", { status: 404 }) } satisfies ExportedHandler;
