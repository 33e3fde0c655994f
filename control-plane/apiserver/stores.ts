import type { GroupResource } from "../../shared/api/group-resource.ts";
import { findResource, type ResourceFacts } from "../../shared/schema/index.ts";
import type { Env } from "../env.ts";
import { type Key, type ResourceStoreApi, storeName } from "../storage/index.ts";

/** A store as the API server sees it: its RPC surface and the two streamed routes. */
export type Store = ResourceStoreApi & Pick<Fetcher, "fetch">;

/** The store of one resource in one cluster. */
export function storeOf(env: Pick<Env, "STORES">, cluster: string, { group, resource }: GroupResource): Store {
  return env.STORES.getByName(storeName({ cluster, group, resource })) as unknown as Store;
}

/** Where a resource's objects lie: another version's store when the two are views of one object. */
export const storageOf = (facts: ResourceFacts): { group: string; version: string; resource: string } =>
  facts.storedAs ?? facts;

/** The facts of the stored version: its schema and rules are those that objects are kept by. */
export function storedFacts(facts: ResourceFacts): ResourceFacts {
  if (!facts.storedAs) return facts;
  const stored = findResource(facts.storedAs);
  if (!stored) throw new Error(`${facts.resource}.${facts.group} is stored as a resource that is not served`);
  return stored;
}

export const keyOf = (namespace: string | undefined, name: string): Key => (namespace ? `${namespace}/${name}` : name);
