import type { GroupResource } from "../../shared/api/group-resource.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { decodeStored } from "../../shared/api/stored-object.ts";
import type { Env } from "../env.ts";
import { keyOf, storeOf } from "./stores.ts";

/** Upstream's informers lag about as much. */
const FRESH_MS = 1_000;
/** Per isolate, over all clusters; the oldest entries go first. */
const MAX_ENTRIES = 4_096;
/** A list that is longer is read to its end but not kept. */
const MAX_KEPT_LIST = 10_000;

/** Reads of the chain itself (admission, authorization): a second old at most. The objects are shared: change none. */
export interface ClusterReader {
  get(gr: GroupResource, name: string, namespace?: string): Promise<KubeObject | undefined>;
  /** Past the cache: for an object that may have been made just now. */
  getLive(gr: GroupResource, name: string, namespace?: string): Promise<KubeObject | undefined>;
  list(gr: GroupResource, namespace?: string): Promise<KubeObject[]>;
  /** Past the cache. */
  listLive(gr: GroupResource, namespace?: string): Promise<KubeObject[]>;
}

/** Values only: a promise belongs to the request that made it, and may never resolve once that is gone. */
interface Entry {
  atMs: number;
  value: KubeObject | KubeObject[] | undefined;
}

const entries = new Map<string, Entry>();

function keep(key: string, value: Entry["value"]): void {
  entries.delete(key);
  entries.set(key, { atMs: Date.now(), value });
  if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value!);
}

function fresh(key: string): Entry | undefined {
  const entry = entries.get(key);
  // After a clock that was set back, an entry of the future would stay for as long.
  return entry && Math.abs(Date.now() - entry.atMs) < FRESH_MS ? entry : undefined;
}

/** Forgets what is known of an object and of the lists it stands in: the isolate that wrote it reads its own write. */
export function forget(cluster: string, gr: GroupResource, key: string): void {
  const store = `${cluster}/${gr.group}/${gr.resource}`;
  entries.delete(`${store}#${key}`);
  entries.delete(`${store}?`);
  const slash = key.indexOf("/");
  if (slash > 0) entries.delete(`${store}?${key.slice(0, slash)}`);
}

export function clusterReader(env: Env, cluster: string): ClusterReader {
  const storeName = (gr: GroupResource) => `${cluster}/${gr.group}/${gr.resource}`;
  const getLive = async (gr: GroupResource, name: string, namespace?: string): Promise<KubeObject | undefined> => {
    const key = keyOf(namespace, name);
    const stored = await storeOf(env, cluster, gr).get(key);
    const object = stored ? decodeStored(stored.value, stored.revision) : undefined;
    keep(`${storeName(gr)}#${key}`, object);
    return object;
  };
  const listLive = async (gr: GroupResource, namespace?: string): Promise<KubeObject[]> => {
    const items = await readAll(env, cluster, gr, namespace);
    if (items.length <= MAX_KEPT_LIST) keep(`${storeName(gr)}?${namespace ?? ""}`, items);
    return items;
  };
  return {
    getLive,
    listLive,
    async get(gr, name, namespace) {
      const entry = fresh(`${storeName(gr)}#${keyOf(namespace, name)}`);
      // An object that was absent may have been made since: look again before anybody is refused for it.
      return entry?.value ? (entry.value as KubeObject) : getLive(gr, name, namespace);
    },
    async list(gr, namespace) {
      const entry = fresh(`${storeName(gr)}?${namespace ?? ""}`);
      return entry ? (entry.value as KubeObject[]) : listLive(gr, namespace);
    },
  };
}

/** Every page of a list, from one snapshot. */
async function readAll(env: Env, cluster: string, gr: GroupResource, namespace?: string): Promise<KubeObject[]> {
  const store = storeOf(env, cluster, gr);
  const items: KubeObject[] = [];
  let after: string | undefined;
  let revision: number | undefined;
  do {
    const page = await store.list({ namespace, after, revision });
    if (!page.ok) throw new Error(`list of ${gr.resource} in ${cluster}: ${page.reason}`);
    for (const item of page.items) items.push(decodeStored(item.value, item.revision));
    after = page.next;
    revision = page.revision;
  } while (after !== undefined);
  return items;
}
