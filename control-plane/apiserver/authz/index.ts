/**
 * Authorization: who may do what. Nothing is allowed unless something allows it: membership in system:masters, the
 * node authorizer for what nodes need, roles for everybody else. Reviews ask the same `decide`.
 */

import type { KubeObject } from "../../../shared/api/object.ts";
import type { ApiError } from "../../../shared/api/status.ts";
import { decodeStored } from "../../../shared/api/stored-object.ts";
import type { ApiContext, UserInfo } from "../attributes.ts";
import type { ApiCall } from "../call.ts";
import { clusterReader } from "../cluster-reader.ts";
import type { RequestInfo } from "../request-info.ts";
import { storeOf } from "../stores.ts";
import { type Access, type Decision, MASTERS, NO_OPINION } from "./access.ts";
import { parseImpersonation, type WantedUser } from "./impersonation.ts";
import { type Check, impersonationModes } from "./impersonation-modes.ts";
import { authorizeNode, nodeNameOf } from "./node.ts";
import { authorizeNodeNetwork } from "./node-network.ts";
import { authorizeByRoles } from "./rbac.ts";
import { refusal } from "./refusal.ts";

export { type Access, ANONYMOUS, AUTHENTICATED, type Decision, MASTERS, UNAUTHENTICATED } from "./access.ts";
export { nodeNameOf } from "./node.ts";
export { grantsFor, type PolicyRule, RBAC_GROUP } from "./rbac.ts";
export { missingRights } from "./rule-cover.ts";

/** Asks the authorizers in order; the first that allows decides. */
export async function decide(access: Access, { env, cluster }: Pick<ApiContext, "env" | "cluster">): Promise<Decision> {
  if (access.user.groups.includes(MASTERS)) return { allowed: true, reason: "" };
  const node = nodeNameOf(access.user);
  const lookups = {
    podsOfNode: (name: string) => podsOfNode({ env, cluster }, name),
    async volumeByName(name: string) {
      const stored = await storeOf(env, cluster, { group: "", resource: "persistentvolumes" }).get(name);
      return stored ? decodeStored(stored.value, stored.revision) : undefined;
    },
  };
  const byNode = node ? await authorizeNode(node, access, lookups) : NO_OPINION;
  if (byNode.allowed) return byNode;
  const byNetwork = authorizeNodeNetwork(access);
  if (byNetwork.allowed) return byNetwork;
  const byRoles = await authorizeByRoles(access, clusterReader(env, cluster));
  return byRoles.allowed ? byRoles : { allowed: false, reason: byNode.reason };
}

/**
 * Lets a request pass, or throws. With Impersonate-* headers it goes on as another user.
 * @returns the context under which the request is carried out
 * @throws ApiError 403, in upstream's words
 */
export async function authorizeRequest(call: ApiCall, context: ApiContext, info: RequestInfo): Promise<ApiContext> {
  const wanted = parseImpersonation(call.headers);
  const acting = wanted
    ? { ...context, user: await impersonate(wanted, { ...info, user: context.user }, context) }
    : context;
  await require({ ...info, user: acting.user }, acting);
  return acting;
}

/** The mode by which a user last acted as somebody, by cluster and name; the oldest go first. */
const lastModes = new Map<string, string>();
const MAX_LAST_MODES = 10_000;

/** @throws ApiError 403 of the first mode, when none allows it */
async function impersonate(wanted: WantedUser, requested: Access, context: ApiContext): Promise<UserInfo> {
  const key = `${context.cluster}/${requested.user.username}`;
  let first: ApiError | undefined;
  for (const { name, checks, user } of impersonationModes(wanted, requested, lastModes.get(key))) {
    const refused = await firstRefusal(checks, context);
    if (!refused) {
      lastModes.delete(key);
      lastModes.set(key, name);
      if (lastModes.size > MAX_LAST_MODES) lastModes.delete(lastModes.keys().next().value!);
      return user;
    }
    first ??= refused;
  }
  throw first;
}

async function firstRefusal(checks: Check[], context: ApiContext): Promise<ApiError | undefined> {
  for (const { access, refusal: why, orEach } of checks) {
    if (why !== undefined) return refusal(access, why);
    const { allowed, reason } = await decide(access, context);
    if (allowed) continue;
    if (!orEach) return refusal(access, reason);
    const refused = await firstRefusal(
      orEach.map((each) => ({ access: each })),
      context,
    );
    if (refused) return refused;
  }
  return undefined;
}

/** @throws ApiError 403 unless it is allowed */
export async function require(access: Access, context: Pick<ApiContext, "env" | "cluster">): Promise<void> {
  const { allowed, reason } = await decide(access, context);
  if (!allowed) throw refusal(access, reason);
}

/** Upstream's graph of nodes and pods knows them without asking; a read of the store's index is near enough. */
async function podsOfNode({ env, cluster }: Pick<ApiContext, "env" | "cluster">, node: string): Promise<KubeObject[]> {
  const store = storeOf(env, cluster, { group: "", resource: "pods" });
  const fields = [{ key: "spec.nodeName", operator: "=" as const, values: [node] }];
  const pods: KubeObject[] = [];
  let after: string | undefined;
  let revision: number | undefined;
  do {
    const page = await store.list({ fields, after, revision });
    if (!page.ok) throw new Error(`list of pods of node ${node} in ${cluster}: ${page.reason}`);
    for (const item of page.items) pods.push(decodeStored(item.value, item.revision));
    after = page.next;
    revision = page.revision;
  } while (after !== undefined);
  return pods;
}
