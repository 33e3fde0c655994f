/** A map that forgets what was used longest ago. */
export class LruMap<K, V> {
  readonly #max: number;
  readonly #map = new Map<K, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: K): V | undefined {
    const value = this.#map.get(key);
    if (value === undefined) return undefined;
    this.#map.delete(key);
    this.#map.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#map.delete(key);
    this.#map.set(key, value);
    if (this.#map.size > this.#max) {
      for (const oldest of this.#map.keys()) {
        this.#map.delete(oldest);
        break;
      }
    }
  }

  delete(key: K): void {
    this.#map.delete(key);
  }
}
