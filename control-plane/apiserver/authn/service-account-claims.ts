/** The issuer and, by default, the audience of every service-account token (--service-account-issuer). */
export const ISSUER = "https://kubernetes.default.svc";

/** The expiry kubelets ask for in projected volumes; upstream stretches exactly this one (KEP-1205). */
const STRETCHED_EXPIRATION_SECONDS = 3607;
const STRETCHED_LIFETIME_SECONDS = 365 * 24 * 3600;
/** Clocks may differ by so much, and deletions count only after it (go-jose's DefaultLeeway). */
const LEEWAY_SECONDS = 60;

interface Named {
  name: string;
  uid: string;
}

/** The payload of a service-account token. Times are NumericDates: seconds since the epoch. */
export interface ServiceAccountClaims {
  aud: string[];
  exp: number;
  iat: number;
  iss: string;
  jti?: string;
  "kubernetes.io": {
    namespace: string;
    node?: { name: string; uid?: string };
    pod?: Named;
    secret?: Named;
    serviceaccount: Named;
    warnafter?: number;
  };
  nbf: number;
  sub: string;
}

/** What a token is asked for: a TokenRequest after its validation, with the objects it names looked up. */
export interface TokenOrder {
  serviceAccount: { namespace: string; name: string; uid: string };
  /** At most one of `pod`, `secret`, and `node` alone; a pod may come with its node. */
  pod?: Named;
  secret?: Named;
  /** Without a uid when the pod's node has no Node object. */
  node?: { name: string; uid?: string };
  expirationSeconds: number;
  /** Empty: the API server itself. */
  audiences: string[];
}

export function renderClaims(
  order: TokenOrder,
  { nowSeconds, jti }: { nowSeconds: number; jti: string },
): ServiceAccountClaims {
  const { serviceAccount, pod, secret, node, expirationSeconds } = order;
  const aud = order.audiences.length ? order.audiences : [ISSUER];
  const isStretched =
    pod !== undefined &&
    expirationSeconds === STRETCHED_EXPIRATION_SECONDS &&
    aud.every((audience) => audience === ISSUER);
  return {
    aud,
    exp: nowSeconds + (isStretched ? STRETCHED_LIFETIME_SECONDS : expirationSeconds),
    iat: nowSeconds,
    iss: ISSUER,
    jti,
    "kubernetes.io": {
      namespace: serviceAccount.namespace,
      ...(node ? { node } : {}),
      ...(pod ? { pod } : {}),
      ...(secret ? { secret } : {}),
      serviceaccount: { name: serviceAccount.name, uid: serviceAccount.uid },
      ...(isStretched ? { warnafter: nowSeconds + expirationSeconds } : {}),
    },
    nbf: nowSeconds,
    sub: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
  };
}

/** An object a token is bound to, as it is now; undefined when it is gone. */
export type BoundObject = { uid: string; deletedSeconds?: number } | undefined;

/** The objects the claims speak of. Those the claims do not name are not looked up. */
export interface BoundObjects {
  serviceAccount: BoundObject;
  pod?: BoundObject;
  secret?: BoundObject;
  node?: BoundObject;
}

/** Why the times of a signed token do not hold now; undefined when they do. The texts are upstream's. */
export function findTimeFault(claims: ServiceAccountClaims, nowSeconds: number): string | undefined {
  if (nowSeconds + LEEWAY_SECONDS < claims.nbf) return "service account token is not valid yet";
  if (nowSeconds - LEEWAY_SECONDS > claims.exp) return "service account token has expired";
  if (nowSeconds + LEEWAY_SECONDS < claims.iat) return "service account token is issued in the future";
  return undefined;
}

/** Why the objects behind a token do not back it any more; undefined when they do. */
export function findBindingFault(
  claims: ServiceAccountClaims,
  objects: BoundObjects,
  nowSeconds: number,
): string | undefined {
  const { namespace, serviceaccount, pod, secret, node } = claims["kubernetes.io"];
  const account = objects.serviceAccount;
  if (!account) return `serviceaccounts "${serviceaccount.name}" not found`;
  if (account.uid !== serviceaccount.uid) {
    return `service account UID (${account.uid}) does not match claim (${serviceaccount.uid})`;
  }
  if (isLongDeleted(account, nowSeconds)) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
  return (
    (secret && findObjectFault("secret", objects.secret, secret.uid, nowSeconds)) ??
    (pod && findObjectFault("pod", objects.pod, pod.uid, nowSeconds)) ??
    // A pod's token only mentions its node; a token bound to the node alone depends on it.
    (node && !pod ? findObjectFault("node", objects.node, node.uid ?? "", nowSeconds) : undefined)
  );
}

function findObjectFault(
  kind: "secret" | "pod" | "node",
  object: BoundObject,
  claimedUid: string,
  nowSeconds: number,
): string | undefined {
  if (!object) return "service account token has been invalidated";
  if (object.uid !== claimedUid) {
    return `${kind} UID (${object.uid}) does not match service account ${kind} ref claim (${claimedUid})`;
  }
  return isLongDeleted(object, nowSeconds) ? "service account token has been invalidated" : undefined;
}

function isLongDeleted(object: { deletedSeconds?: number }, nowSeconds: number): boolean {
  return object.deletedSeconds !== undefined && object.deletedSeconds < nowSeconds - LEEWAY_SECONDS;
}
