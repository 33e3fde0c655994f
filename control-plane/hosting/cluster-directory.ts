import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";

/** The one directory of a deployment. */
const DIRECTORY_NAME = "clusters";

/** How long a known cluster is taken for known; how soon one that was made elsewhere is found. */
const PRESENT_MS = 60_000;
const ABSENT_MS = 5_000;
/** Per isolate; the oldest go first. */
const MAX_REMEMBERED = 4_096;

const remembered = new Map<string, { isThere: boolean; untilMs: number }>();

/** The ids of all clusters there are. */
export class ClusterDirectory extends DurableObject<Env> {
  async add(cluster: string): Promise<void> {
    this.ctx.storage.kv.put(cluster, true);
  }

  async has(cluster: string): Promise<boolean> {
    return this.ctx.storage.kv.get(cluster) === true;
  }
}

/** To be called when a cluster is made; may be repeated. */
export async function enterCluster(env: Env, cluster: string): Promise<void> {
  await directoryOf(env).add(cluster);
  remember(cluster, true);
}

/**
 * Whether there is such a cluster. To be asked before anything else is done for a stranger: each Durable Object that a
 * request names comes into being, on disk too, so that made-up ids would fill it.
 */
export async function isCluster(env: Env, cluster: string): Promise<boolean> {
  if (cluster === env.DEFAULT_CLUSTER) return true;
  const entry = remembered.get(cluster);
  if (entry && Date.now() < entry.untilMs) return entry.isThere;
  const isThere = await directoryOf(env).has(cluster);
  remember(cluster, isThere);
  return isThere;
}

const directoryOf = (env: Env) => env.DIRECTORY.getByName(DIRECTORY_NAME);

function remember(cluster: string, isThere: boolean): void {
  remembered.delete(cluster);
  remembered.set(cluster, { isThere, untilMs: Date.now() + (isThere ? PRESENT_MS : ABSENT_MS) });
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
}
