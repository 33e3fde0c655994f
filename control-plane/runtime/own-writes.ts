import type { KubeObject } from "../../shared/api/object.ts";
import type { Informer } from "./informer.ts";
import { keyOf } from "./owner-ref.ts";

/**
 * What a controller wrote and its caches do not show yet. To act on an older state costs conflicts, and writes that say
 * nothing new; the change itself wakes the key again (upstream: StaleControllerConsistency).
 */
export class OwnWrites {
  readonly #byKey = new Map<string, Map<Informer<never>, number>>();
  /** By key, objects that the API says are gone, which the caches still had. */
  readonly #gone = new Map<string, { informer: Informer<KubeObject>; object: string; uid: string | undefined }[]>();

  /** @param object as the API answered, with its new resourceVersion */
  wrote<T extends KubeObject>(key: string, informer: Informer<T>, object: T): void {
    const revision = Number(object.metadata.resourceVersion);
    if (!(revision > informer.revision)) return;
    const writes = this.#byKey.get(key) ?? new Map<Informer<never>, number>();
    // Of writes made side by side the answers come in any order.
    writes.set(
      informer as unknown as Informer<never>,
      Math.max(revision, writes.get(informer as unknown as Informer<never>) ?? 0),
    );
    this.#byKey.set(key, writes);
  }

  /** An object out of the informer, of which the API says that there is none (404). */
  foundGone<T extends KubeObject>(key: string, informer: Informer<T>, object: T): void {
    const gone = {
      informer: informer as unknown as Informer<KubeObject>,
      object: keyOf(object),
      uid: object.metadata.uid,
    };
    this.#gone.set(key, [...(this.#gone.get(key) ?? []), gone]);
  }

  /** Whether the caches hold all that was written for the key, and nothing that was found to be gone. */
  areSeen(key: string): boolean {
    const isStale = this.#gone
      .get(key)
      ?.some(({ informer, object, uid }) => informer.get(object)?.metadata.uid === uid);
    if (isStale) return false;
    this.#gone.delete(key);
    const writes = this.#byKey.get(key);
    if (!writes) return true;
    for (const [informer, revision] of writes) if (informer.revision < revision) return false;
    this.#byKey.delete(key);
    return true;
  }

  /** Whether the key has to be woken by the change that its caches are waiting for. */
  areAwaited(key: string): boolean {
    return this.#byKey.has(key) || this.#gone.has(key);
  }

  forget(key: string): void {
    this.#byKey.delete(key);
    this.#gone.delete(key);
  }
}
