import { RESOURCES } from "../../../shared/schema/index.ts";
import type { ApiContext } from "../attributes.ts";
import { storageOf, storeOf } from "../stores.ts";

export interface ObjectCount {
  group: string;
  resource: string;
  count: number;
}

/** Each count wakes its store, which costs a hosted cluster: a scrape every few seconds must not. */
export const COUNTS_LAST_MS = 60_000;
/** A store that does not answer by then is left out. */
const STORE_TIMEOUT_MS = 2_000;
const AT_ONCE = 8;

const STORED = RESOURCES.filter((facts) => !facts.virtual && storageOf(facts) === facts);

/** How many objects each store holds; a store that fails is left out. */
export async function countObjects({ env, cluster }: Pick<ApiContext, "env" | "cluster">): Promise<ObjectCount[]> {
  const counts: ObjectCount[] = [];
  const left = [...STORED];
  const worker = async () => {
    for (let facts = left.shift(); facts; facts = left.shift()) {
      const { group, resource } = facts;
      const count = await inTime(storeOf(env, cluster, { group, resource }).count());
      if (count !== undefined) counts.push({ group, resource, count });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return counts.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ group, resource }: ObjectCount) => `${group}/${resource}`;

/** Undefined for a count that fails or comes late. */
async function inTime(count: Promise<number>): Promise<number | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), STORE_TIMEOUT_MS);
  });
  const answer = count.catch(() => undefined);
  const first = await Promise.race([answer, late]);
  clearTimeout(timer);
  return first;
}
