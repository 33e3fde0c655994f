/** The object's one alarm, shared by everything that has to happen later: the earliest wish wins. */
export class SharedAlarm {
  readonly #storage: DurableObjectStorage;
  #atMs: number | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Reads what is set already; before anything else. */
  async load(): Promise<void> {
    this.#atMs = await this.#storage.getAlarm();
  }

  /** Wakes the object at this time (epoch ms) at the latest. Costs a row only if no earlier alarm is set. */
  ensureBy(atMs: number): void {
    if (this.#atMs !== null && this.#atMs <= atMs) return;
    this.#atMs = atMs;
    void this.#storage.setAlarm(atMs);
  }

  /** The alarm went off: none is set now. */
  fired(): void {
    this.#atMs = null;
  }
}
