import { unauthorized } from "../../../shared/api/status.ts";
import type { Env } from "../../env.ts";
import { identityOf, sha256Hex } from "../../hosting/index.ts";
import type { UserInfo } from "../attributes.ts";
import type { CallHeaders } from "../request-head.ts";
import { bearerToken } from "./bearer-token.ts";
import { authenticateCertificate } from "./client-certificate.ts";
import { clusterKeys } from "./cluster-keys.ts";
import { ISSUER } from "./service-account-claims.ts";
import { verifyServiceAccountToken } from "./service-account-token.ts";
import { recallUser, rememberUser } from "./token-cache.ts";
import { adminUser, nodeUser } from "./users.ts";

/**
 * Who asks. Cheap when the same token came a moment ago: one lookup.
 * @returns undefined for an anonymous request
 * @throws ApiError 401 for a token that is not, or no longer, good
 */
export async function authenticate(
  { headers }: { headers: Pick<CallHeaders, "get"> },
  env: Env,
  cluster: string,
): Promise<UserInfo | undefined> {
  const nowMs = Date.now();
  const certified = await authenticateCertificate(headers, { cluster, rootSecret: env.ROOT_SECRET, nowMs });
  if (certified) return certified;
  const token = bearerToken(headers);
  if (token === undefined) return undefined;
  const recalled = recallUser(cluster, token, nowMs);
  if (recalled) return recalled;
  const user = await verifyToken(env, cluster, token);
  if (!user) throw unauthorized();
  rememberUser(cluster, token, user, nowMs);
  return user;
}

/** The kinds of token tell themselves apart by their form, so that each costs one check. */
async function verifyToken(env: Env, cluster: string, token: string): Promise<UserInfo | undefined> {
  if (token.startsWith(`hearth-admin.${cluster}.`)) {
    const keys = await clusterKeys(env, cluster);
    return keys && (await sha256Hex(token)) === keys.adminTokenHash ? adminUser() : undefined;
  }
  if (token.startsWith(`hearth-node.${cluster}.`)) {
    const node = await identityOf(env, cluster).findNode(await sha256Hex(token));
    return node === undefined ? undefined : nodeUser(node);
  }
  const verdict = await verifyServiceAccountToken(env, cluster, token);
  return verdict.ok ? verdict.user : undefined;
}

/** A TokenReview's answer: like `authenticate`, uncached, for other audiences too, and with the reason of a refusal. */
export async function reviewToken(
  env: Env,
  cluster: string,
  token: string,
  audiences: string[],
): Promise<{ user: UserInfo; audiences: string[] } | { error: string }> {
  const verdict = await verifyServiceAccountToken(env, cluster, token, audiences.length ? audiences : undefined);
  if (verdict.ok) return { user: verdict.user, audiences: verdict.audiences };
  if (verdict.fault) return { error: `[invalid bearer token, ${verdict.fault}]` };
  // Credentials that name no audience are meant for this API server alone.
  const accepted = audiences.length === 0 ? [] : audiences.filter((audience) => audience === ISSUER);
  if (accepted.length < Math.min(1, audiences.length)) return { error: "invalid bearer token" };
  const user = await verifyToken(env, cluster, token);
  return user ? { user, audiences: accepted } : { error: "invalid bearer token" };
}
