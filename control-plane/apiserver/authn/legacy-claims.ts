/** The issuer of tokens that are kept in Secrets: they have no expiry and no audience (LegacyServiceAccountToken…). */
export const LEGACY_ISSUER = "kubernetes/serviceaccount";

const PREFIX = "kubernetes.io/serviceaccount/";

/** Whom a token of a Secret is for. */
export interface LegacyToken {
  namespace: string;
  name: string;
  uid: string;
  secret: string;
}

/** What a signed token says. @returns a text of upstream's where a claim is missing, or they contradict each other */
export function legacyTokenOf(claims: Record<string, unknown>): LegacyToken | string {
  const of = (key: string) => (typeof claims[key] === "string" ? (claims[key] as string) : "");
  const token = {
    namespace: of(`${PREFIX}namespace`),
    secret: of(`${PREFIX}secret.name`),
    name: of(`${PREFIX}service-account.name`),
    uid: of(`${PREFIX}service-account.uid`),
  };
  if (!of("sub")) return "sub claim is missing";
  if (!token.namespace) return "namespace claim is missing";
  if (!token.secret) return "secretName claim is missing";
  if (!token.name) return "serviceAccountName claim is missing";
  if (!token.uid) return "serviceAccountUID claim is missing";
  if (of("sub") !== `system:serviceaccount:${token.namespace}:${token.name}`) return "sub claim is invalid";
  return token;
}

/** The objects behind a token of a Secret, as they are now; undefined when gone. */
export interface LegacyObjects {
  secret?: { token: string | undefined; isDeleted: boolean; invalidSince?: string };
  account?: { uid: string; isDeleted: boolean };
}

/**
 * Whether the token is good still. The texts are upstream's.
 * @returns no `fault` when it is; and whether it was used, which its Secret is to say: also when it is not taken for being
 *   marked invalid, as its owner may need it, but not of one that merely names the Secret
 */
export function checkLegacyToken(
  { namespace, name, uid, secret: secretName }: LegacyToken,
  { secret, account }: LegacyObjects,
  token: string,
): { fault?: string; isUse: boolean } {
  const refuse = (fault: string) => ({ fault, isUse: false });
  if (!secret || secret.isDeleted) return refuse("Token has been invalidated");
  if (secret.token !== token) return refuse("Token does not match server's copy");
  if (!account) return refuse(`serviceaccounts ${JSON.stringify(name)} not found`);
  if (account.isDeleted) return refuse(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (account.uid !== uid) return refuse(`ServiceAccount UID (${account.uid}) does not match claim (${uid})`);
  if (!secret.invalidSince) return { isUse: true };
  const fault =
    `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. ` +
    "Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the " +
    "'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token";
  return { fault, isUse: true };
}
