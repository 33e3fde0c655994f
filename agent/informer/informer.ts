import type { KubeObject } from "../../shared/api/object.ts";
import type { ResourceRef } from "../../shared/client/api-client.ts";
import type { Clock } from "../clock/index.ts";
import type { Feed } from "../kubelet/index.ts";
import type { Log } from "../log/index.ts";
import { createSaver } from "./saver.ts";

/** By `<namespace>/<name>`, or the name alone of what has no namespace. */
export const keyOf = ({ metadata }: Pick<KubeObject, "metadata">): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;

/** What is on the disk of a set, by its name; undefined when nothing was ever saved. */
export interface Memory {
  remembered(set: string): Promise<KubeObject[] | undefined>;
  remember(set: string, objects: readonly object[]): Promise<void>;
}

/** A set of objects as the API last told it, or as it was remembered from before. Objects are shared: never change one. */
export interface Informer<T> {
  /** Whether the set was told by the API or remembered: an empty one that is not known says nothing. */
  isKnown(): boolean;
  /** Whether the API has told the set since the agent started. */
  isSynced(): boolean;
  /** Settles when the set is known. */
  readonly known: Promise<void>;
  list(): T[];
  /** @param key as `keyOf` makes it */
  get(key: string): T | undefined;
  /**
   * Told the keys of what was added, changed or removed, once for all changes of one turn of the event loop; also when
   * the set becomes known. An object that is told anew without a change of its resourceVersion is none.
   * @returns what ends it
   */
  onChange(listener: (keys: ReadonlySet<string>) => void): () => void;
}

export interface InformerOptions<T> {
  ref: ResourceRef;
  options?: { namespace?: string; fieldSelector?: string };
  /** What is kept of an object, to save memory; all of it otherwise. Keeps the metadata's names and resourceVersion. */
  project?(object: KubeObject): T;
  feed: Feed;
  memory: Memory;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/** Starts with what is remembered on the disk, follows the API from then on. */
export async function createInformer<T extends object = KubeObject>({
  ref,
  options = {},
  project = (object) => object as unknown as T,
  feed,
  memory,
  clock,
  log,
  signal,
}: InformerOptions<T>): Promise<Informer<T>> {
  const set = ref.group === "" ? ref.resource : `${ref.resource}.${ref.group}`;
  const objects = new Map<string, T>();
  const revisions = new Map<string, string | undefined>();
  const listeners = new Set<(keys: ReadonlySet<string>) => void>();
  const { promise: known, resolve: becomeKnown } = Promise.withResolvers<void>();
  let isKnown = false;
  let isSynced = false;
  let changed = new Set<string>();
  let isTelling = false;

  const put = (object: KubeObject): void => {
    const key = keyOf(object);
    const revision = object.metadata.resourceVersion;
    const isSame = objects.has(key) && revision !== undefined && revisions.get(key) === revision;
    objects.set(key, project(object));
    revisions.set(key, revision);
    if (!isSame) changed.add(key);
  };
  const drop = (key: string): void => {
    if (objects.delete(key)) changed.add(key);
    revisions.delete(key);
  };

  const remembered = await memory.remembered(set);
  if (remembered) {
    for (const object of remembered) put(object);
    isKnown = true;
    becomeKnown();
    tellLater();
  }

  /** @param isNews whether listeners are told although nothing may have changed: the set became known */
  function tellLater(isNews = false): void {
    if (isTelling || (changed.size === 0 && !isNews)) return;
    isTelling = true;
    setImmediate(() => {
      isTelling = false;
      const keys = changed;
      changed = new Set();
      for (const listener of listeners) {
        try {
          listener(keys);
        } catch (error) {
          log("error", "a change could not be taken up", { set, error: String(error) });
        }
      }
    });
  }

  const save = createSaver(() => memory.remember(set, [...objects.values()]), {
    clock,
    signal,
    onFailure: (error) => log("error", "cannot remember a set of objects on the disk", { set, error: String(error) }),
  });

  const took = (isNews: boolean): void => {
    if (changed.size > 0 || isNews) save();
    tellLater(isNews);
  };

  feed(
    ref,
    options,
    {
      replace(list) {
        const keys = new Set(list.map(keyOf));
        for (const key of [...objects.keys()]) if (!keys.has(key)) drop(key);
        for (const object of list) put(object);
        const isNews = !isSynced;
        isKnown = true;
        isSynced = true;
        becomeKnown();
        took(isNews);
      },
      upsert(object) {
        put(object);
        took(false);
      },
      remove(object) {
        drop(keyOf(object));
        took(false);
      },
    },
    signal,
  );

  return {
    isKnown: () => isKnown,
    isSynced: () => isSynced,
    known,
    list: () => [...objects.values()],
    get: (key) => objects.get(key),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
