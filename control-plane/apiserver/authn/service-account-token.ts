import { dayOf, INVALID_SINCE_LABEL, LAST_USED_LABEL } from "../../../shared/api/legacy-tokens.ts";
import { SECRETS } from "../../../shared/api/refs.ts";
import { decodeStored } from "../../../shared/api/stored-object.ts";
import type { Secret } from "../../../shared/api/types.ts";
import type { Env } from "../../env.ts";
import { identityOf } from "../../hosting/index.ts";
import type { UserInfo } from "../attributes.ts";
import { clusterWriter } from "../cluster-writer.ts";
import { keyOf, storeOf } from "../stores.ts";
import { clusterKeys } from "./cluster-keys.ts";
import { isSignedBy, parseJwt } from "./jwt.ts";
import { checkLegacyToken, LEGACY_ISSUER, legacyTokenOf } from "./legacy-claims.ts";
import {
  type BoundObject,
  type BoundObjects,
  findBindingFault,
  findTimeFault,
  ISSUER,
  renderClaims,
  type ServiceAccountClaims,
  type TokenOrder,
} from "./service-account-claims.ts";
import { serviceAccountUser } from "./users.ts";

/** `fault`: upstream's text, shown by TokenReview only. */
export type TokenVerdict = { ok: true; user: UserInfo; audiences: string[] } | { ok: false; fault?: string };

/**
 * Signs a token for an order that was validated before (TokenRequest).
 * @returns the token, and when the client should consider it used up (RFC 3339)
 */
export async function issueServiceAccountToken(
  env: Env,
  cluster: string,
  order: TokenOrder,
): Promise<{ token: string; expirationTimestamp: string; jti: string }> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const jti = crypto.randomUUID();
  const token = await identityOf(env, cluster).signServiceAccountToken(renderClaims(order, { nowSeconds, jti }));
  const expirationTimestamp = new Date((nowSeconds + order.expirationSeconds) * 1000).toISOString();
  return { token, expirationTimestamp: expirationTimestamp.replace(".000Z", "Z"), jti };
}

/**
 * Verifies a service-account token: signature, issuer, times, audience, and that the account and the bound object
 * still exist with the same uid.
 * @param audiences those the caller would accept
 */
export async function verifyServiceAccountToken(
  env: Env,
  cluster: string,
  token: string,
  audiences: string[] = [ISSUER],
): Promise<TokenVerdict> {
  const jwt = parseJwt(token);
  const isLegacy = jwt?.claims["iss"] === LEGACY_ISSUER;
  if (!jwt || (jwt.claims["iss"] !== ISSUER && !isLegacy)) return { ok: false };
  const keys = await clusterKeys(env, cluster);
  if (!keys || (jwt.header.kid !== undefined && jwt.header.kid !== keys.serviceAccountJwk.kid)) {
    return { ok: false, fault: "invalid signature, no keys found" };
  }
  if (!(await isSignedBy(jwt, keys.serviceAccountKey))) {
    return { ok: false, fault: "go-jose/go-jose: error in cryptographic primitive" };
  }
  if (isLegacy) return verifyLegacyToken(env, cluster, { token, claims: jwt.claims, audiences });
  const claims = jwt.claims as unknown as ServiceAccountClaims; // signed by us: the shape is ours
  const accepted = audiences.filter((audience) => claims.aud.includes(audience));
  if (accepted.length === 0) {
    const list = (texts: string[]) => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
    const fault = `token audiences ${list(claims.aud)} is invalid for the target audiences ${list(audiences)}`;
    return { ok: false, fault };
  }
  const nowSeconds = Math.floor(Date.now() / 1000);
  const fault =
    findTimeFault(claims, nowSeconds) ??
    findBindingFault(claims, await readBoundObjects(env, cluster, claims), nowSeconds);
  return fault === undefined
    ? { ok: true, user: serviceAccountUser(claims), audiences: accepted }
    : { ok: false, fault };
}

/** A token of a Secret is good for as long as the Secret holds it; it is for the API server alone. */
async function verifyLegacyToken(
  env: Env,
  cluster: string,
  { token, claims, audiences }: { token: string; claims: Record<string, unknown>; audiences: string[] },
): Promise<TokenVerdict> {
  const legacy = legacyTokenOf(claims);
  if (typeof legacy === "string") return { ok: false, fault: legacy };
  const accepted = audiences.filter((audience) => audience === ISSUER);
  if (accepted.length === 0) return { ok: false };
  const { namespace, name, uid } = legacy;
  const read = async (resource: string, named: string) => {
    const stored = await storeOf(env, cluster, { group: "", resource }).get(keyOf(namespace, named));
    return stored && decodeStored<Secret>(stored.value, stored.revision);
  };
  const [secret, account] = await Promise.all([read("secrets", legacy.secret), read("serviceaccounts", name)]);
  const { fault, isUse } = checkLegacyToken(
    legacy,
    {
      ...(secret
        ? {
            secret: {
              token: secret.data?.["token"] && atob(secret.data["token"]),
              isDeleted: secret.metadata.deletionTimestamp !== undefined,
              invalidSince: secret.metadata.labels?.[INVALID_SINCE_LABEL],
            },
          }
        : {}),
      ...(account
        ? { account: { uid: account.metadata.uid ?? "", isDeleted: account.metadata.deletionTimestamp !== undefined } }
        : {}),
    },
    token,
  );
  if (secret && isUse) await noteUse(env, cluster, secret);
  if (fault !== undefined) return { ok: false, fault };
  const user = serviceAccountUser({ "kubernetes.io": { namespace, serviceaccount: { name, uid } } });
  return { ok: true, user, audiences: accepted };
}

/** Once a day: tokens that nobody uses are retired (controllers/legacy-token-cleaner). */
async function noteUse(env: Env, cluster: string, secret: Secret): Promise<void> {
  const day = (ms: number) => dayOf(Date.now() + ms);
  const lastUsed = secret.metadata.labels?.[LAST_USED_LABEL];
  // Of another isolate, whose clock is ahead.
  if (lastUsed === day(0) || lastUsed === day(24 * 3600_000)) return;
  try {
    // Whoever wrote first, the next use of the token notes it.
    await clusterWriter(env, cluster).label(SECRETS, secret, { [LAST_USED_LABEL]: day(0) });
  } catch (error) {
    // The token is what it is all the same.
    console.error("the use of a token is not noted", { cluster, secret: secret.metadata.name, error });
  }
}

async function readBoundObjects(env: Env, cluster: string, claims: ServiceAccountClaims): Promise<BoundObjects> {
  const { namespace, serviceaccount, pod, secret, node } = claims["kubernetes.io"];
  const read = async (resource: string, name: string, inNamespace: string | undefined): Promise<BoundObject> => {
    const stored = await storeOf(env, cluster, { group: "", resource }).get(keyOf(inNamespace, name));
    if (!stored) return undefined;
    const { uid = "", deletionTimestamp } = decodeStored(stored.value, stored.revision).metadata;
    return { uid, ...(deletionTimestamp ? { deletedSeconds: Date.parse(deletionTimestamp) / 1000 } : {}) };
  };
  const [serviceAccount, podNow, secretNow, nodeNow] = await Promise.all([
    read("serviceaccounts", serviceaccount.name, namespace),
    pod ? read("pods", pod.name, namespace) : undefined,
    secret ? read("secrets", secret.name, namespace) : undefined,
    node && !pod ? read("nodes", node.name, undefined) : undefined,
  ]);
  return { serviceAccount, pod: podNow, secret: secretNow, node: nodeNow };
}
