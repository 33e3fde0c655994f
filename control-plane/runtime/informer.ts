import { printGroupVersion } from "../../shared/api/group-resource.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { decodeStored } from "../../shared/api/stored-object.ts";
import type { ApiReader, ResourceRef } from "../../shared/client/api-client.ts";
import type { ChangeBatch } from "../storage/interface.ts";
import { keyOf } from "./owner-ref.ts";

/** Changes that may wait while a list is under way; past it they are dropped and the list is made again. */
export const MAX_PENDING_CHANGES = 20_000;

/** One change of the cache. `old` is what the cache held before; objects belong to the cache: never change them. */
export type InformerEvent<T> =
  | { type: "added"; object: T; old?: undefined }
  | { type: "updated"; object: T; old: T }
  | { type: "deleted"; object: T; old?: undefined };

export type IndexFunction<T> = (object: T) => string[];

export interface InformerOptions<T> {
  /** Reduces what is kept in memory. managedFields are always dropped. */
  trim?(object: T): T;
  /** By name; each gives the values under which an object is found with `byIndex`. */
  indexes?: Record<string, IndexFunction<T>>;
}

/**
 * A cache of one resource: a list, then the store's change feed on top of it. A gap in the feed means a new list.
 * Handlers run synchronously, in the order of revisions.
 */
export class Informer<T extends KubeObject = KubeObject> {
  readonly ref: ResourceRef;
  readonly #options: InformerOptions<T>;
  readonly #objects = new Map<string, T>();
  readonly #byNamespace = new Map<string, Set<string>>();
  readonly #indexes = new Map<string, { of: IndexFunction<T>; keys: Map<string, Set<string>> }>();
  readonly #handlers: ((event: InformerEvent<T>) => void)[] = [];
  /** The last revision the cache holds; -1 before the first list. */
  #revision = -1;
  #syncing: Promise<void> | undefined;
  #listing = false;
  #hasGap = false;
  #pending: ChangeBatch[] = [];
  #pendingChanges = 0;

  constructor(ref: ResourceRef, options: InformerOptions<T> = {}) {
    this.ref = ref;
    this.#options = options;
    for (const [name, of] of Object.entries(options.indexes ?? {})) this.addIndex(name, of);
  }

  /** It was never listed, or revisions are missing since. */
  get isStale(): boolean {
    return this.#revision < 0 || this.#hasGap;
  }

  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Adds an index; harmless if one of that name is there. */
  addIndex(name: string, of: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index = { of, keys: new Map<string, Set<string>>() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) put(index.keys, of(object), key);
  }

  /** The handler also sees, as added, all that the cache holds already. */
  onEvent(handler: (event: InformerEvent<T>) => void): void {
    this.#handlers.push(handler);
    for (const object of this.#objects.values()) handler({ type: "added", object });
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** All objects, or those of a namespace. */
  list(namespace?: string): T[] {
    if (namespace === undefined) return [...this.#objects.values()];
    return this.#resolve(this.#byNamespace.get(namespace));
  }

  /** Whether a namespace holds none. */
  isEmpty(namespace: string): boolean {
    return !this.#byNamespace.has(namespace);
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`${this.ref.resource} has no index ${name}`);
    return this.#resolve(index.keys.get(value));
  }

  /**
   * Lists (again) and takes in what the feed brought meanwhile. Calls during a list share it.
   * @throws what the reader throws; the cache then keeps what it had
   */
  sync(reader: ApiReader): Promise<void> {
    this.#syncing ??= this.#list(reader).finally(() => {
      this.#syncing = undefined;
      this.#listing = false;
      this.#dropPending();
    });
    return this.#syncing;
  }

  /**
   * Takes in a batch of the change feed.
   * @returns false when the cache must be synced: it never was, or revisions are missing
   */
  apply(batch: ChangeBatch): boolean {
    if (this.#listing) {
      this.#pending.push(batch);
      this.#pendingChanges += batch.changes.length;
      if (this.#pendingChanges > MAX_PENDING_CHANGES) this.#dropPending();
      return true;
    }
    if (this.#revision < 0 || batch.fromRevision > this.#revision + 1) this.#hasGap = true;
    if (this.isStale) return false;
    if (batch.toRevision <= this.#revision) return true;
    const typeMeta = { apiVersion: printGroupVersion(this.ref), kind: this.ref.kind };
    for (const change of batch.changes) {
      if (change.revision <= this.#revision) continue;
      const object = decodeStored<T>(change.value, change.revision, typeMeta);
      if (change.type === "DELETED") this.#remove(change.key, this.#trim(object));
      else this.#set(change.key, this.#trim(object));
    }
    this.#revision = batch.toRevision;
    return true;
  }

  async #list(reader: ApiReader): Promise<void> {
    for (;;) {
      this.#listing = true;
      const list = await reader.listAll<T>(this.ref);
      this.#replace(list.items, Number(list.metadata.resourceVersion ?? 0));
      const pending = this.#pending;
      this.#dropPending();
      this.#listing = false;
      if (pending.every((batch) => this.apply(batch))) return;
    }
  }

  #dropPending(): void {
    this.#pending = [];
    this.#pendingChanges = 0;
  }

  #replace(items: T[], revision: number): void {
    const seen = new Set<string>();
    for (const item of items) {
      item.kind ??= this.ref.kind;
      item.apiVersion ??= printGroupVersion(this.ref);
      const key = keyOf(item);
      seen.add(key);
      const old = this.#objects.get(key);
      if (old?.metadata.resourceVersion === item.metadata.resourceVersion) continue;
      if (old && old.metadata.uid !== item.metadata.uid) this.#remove(key, old);
      this.#set(key, this.#trim(item));
    }
    for (const [key, object] of [...this.#objects]) if (!seen.has(key)) this.#remove(key, object);
    this.#revision = revision;
    this.#hasGap = false;
  }

  #trim(object: T): T {
    // Not deleted: an object that lost a member takes more memory than a copy without it.
    const { managedFields: _managedFields, ...metadata } = object.metadata;
    object.metadata = metadata;
    return this.#options.trim ? this.#options.trim(object) : object;
  }

  #set(key: string, object: T): void {
    const old = this.#objects.get(key);
    if (old) this.#unindex(key, old);
    this.#objects.set(key, object);
    put(this.#byNamespace, [object.metadata.namespace ?? ""], key);
    for (const index of this.#indexes.values()) put(index.keys, index.of(object), key);
    this.#emit(old ? { type: "updated", object, old } : { type: "added", object });
  }

  /** `last` is the final state, which a DELETED change carries. */
  #remove(key: string, last: T): void {
    const old = this.#objects.get(key);
    if (old) this.#unindex(key, old);
    this.#objects.delete(key);
    this.#emit({ type: "deleted", object: last });
  }

  #unindex(key: string, old: T): void {
    take(this.#byNamespace, [old.metadata.namespace ?? ""], key);
    for (const index of this.#indexes.values()) take(index.keys, index.of(old), key);
  }

  #resolve(keys: Set<string> | undefined): T[] {
    const found: T[] = [];
    for (const key of keys ?? []) {
      const object = this.#objects.get(key);
      if (object) found.push(object);
    }
    return found;
  }

  #emit(event: InformerEvent<T>): void {
    for (const handler of this.#handlers) handler(event);
  }
}

function put(map: Map<string, Set<string>>, values: string[], key: string): void {
  for (const value of values) {
    const keys = map.get(value);
    if (keys) keys.add(key);
    else map.set(value, new Set([key]));
  }
}

function take(map: Map<string, Set<string>>, values: string[], key: string): void {
  for (const value of values) {
    const keys = map.get(value);
    if (keys?.delete(key) && keys.size === 0) map.delete(value);
  }
}
