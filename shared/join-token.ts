/** What a new node must know to join a cluster; a person carries it from one terminal to another. */
export interface JoinToken {
  /** Where the API answers: `https://host:port`, with a path when the cluster has no host name of its own. */
  endpoint: string;
  cluster: string;
  /** `<id>.<secret>`: exchanged for a node credential at `POST /hearth/v1/join`. */
  secret: string;
  /** `sha256:<hex>` over the DER SubjectPublicKeyInfo of the cluster's CA: whom to trust before anything is trusted. */
  caHash: string;
}

const PREFIX = "hearth1.";
/** Bounds what a pasted text may make us parse; a real token has some 300 characters. */
const MAX_TOKEN_CHARS = 4096;

const SECRET = /^[a-z0-9]{6,32}\.[A-Za-z0-9_-]{16,128}$/;
const CLUSTER = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const CA_HASH = /^sha256:[0-9a-f]{64}$/;

/** The text given to people: `hearth1.` and base64url of a small JSON object. Every field is ASCII (a URL is punycoded). */
export function printJoinToken({ endpoint, cluster, secret, caHash }: JoinToken): string {
  const json = JSON.stringify({ e: endpoint, c: cluster, t: secret, h: caHash });
  return PREFIX + btoa(json).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws Error with a sentence for the person who pasted it, if the text is not a whole join token */
export function parseJoinToken(text: string): JoinToken {
  const trimmed = text.trim();
  if (!trimmed.startsWith(PREFIX)) {
    throw new Error(`this is not a join token: it must begin with "${PREFIX}"; "./hearth token create" prints one`);
  }
  if (trimmed.length > MAX_TOKEN_CHARS) throw new Error("this is not a join token: it is far too long");
  const fields = decodeFields(trimmed.slice(PREFIX.length));
  const { e: endpoint, c: cluster, t: secret, h: caHash } = fields;
  if (!isHttpsUrl(endpoint) || !matches(cluster, CLUSTER) || !matches(secret, SECRET) || !matches(caHash, CA_HASH)) {
    throw new Error("the join token is damaged: a field is missing or wrong; copy it again, whole");
  }
  return { endpoint, cluster, secret, caHash };
}

function decodeFields(encoded: string): Record<string, unknown> {
  try {
    const decoded: unknown = JSON.parse(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")));
    if (typeof decoded === "object" && decoded !== null) return decoded as Record<string, unknown>;
  } catch (cause) {
    throw new Error("the join token is damaged: it does not decode; copy it again, whole", { cause });
  }
  throw new Error("the join token is damaged: it does not decode; copy it again, whole");
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

function isHttpsUrl(value: unknown): value is string {
  return typeof value === "string" && URL.canParse(value) && new URL(value).protocol === "https:";
}
