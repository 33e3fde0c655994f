import { type ClusterNetwork, DEFAULT_CLUSTER_NETWORK } from "../../../shared/api/cluster-network.ts";
import type { Env } from "../../env.ts";
import { identityOf, importServiceAccountPublicKey, type PublicIdentity } from "../../hosting/index.ts";

/** The public half of a cluster's identity, ready for use. */
export interface ClusterKeys extends PublicIdentity {
  serviceAccountKey: CryptoKey;
}

/** Of an identity only its address and its network change. */
const FRESH_MS = 60_000;
const MAX_CLUSTERS = 256;

/** Values only, never promises: a promise dies with the request that made it. */
const known = new Map<string, { keys: ClusterKeys; untilMs: number }>();

/** Per isolate, a minute old at most. Undefined when there is no such cluster (which is not remembered). */
export async function clusterKeys(env: Env, cluster: string): Promise<ClusterKeys | undefined> {
  const entry = known.get(cluster);
  if (entry && Date.now() < entry.untilMs) return entry.keys;
  const identity = await identityOf(env, cluster).publicIdentity();
  if (!identity) return undefined;
  const keys = { ...identity, serviceAccountKey: await importServiceAccountPublicKey(identity.serviceAccountJwk) };
  known.delete(cluster);
  known.set(cluster, { keys, untilMs: Date.now() + FRESH_MS });
  if (known.size > MAX_CLUSTERS) known.delete(known.keys().next().value!);
  return keys;
}

/** The ranges of a cluster's addresses, a minute old at most. */
export const clusterNetwork = async (env: Env, cluster: string): Promise<ClusterNetwork> =>
  (await clusterKeys(env, cluster))?.network ?? DEFAULT_CLUSTER_NETWORK;
