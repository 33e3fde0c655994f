import { z } from "zod";
import { badRequest, requestTooLarge } from "../../shared/api/status.ts";
import { MAX_SUBJECT_ALT_NAMES } from "./certificate-authority.ts";

/** These bodies hold a few names and a key. */
const MAX_BODY_BYTES = 64 * 1024;

/** A cluster's id: a DNS label, since it becomes part of host names. */
export const CLUSTER_ID = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** A node's name (DNS-1123 subdomain). */
const NODE_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const DEFAULT_JOIN_TTL_SECONDS = 24 * 3600;
const MAX_JOIN_TTL_SECONDS = 365 * 24 * 3600;

export const servingCertificateRequest = z.object({
  publicKeyPem: z.string().max(4096),
  dnsNames: z.array(z.string().min(1).max(253)).max(MAX_SUBJECT_ALT_NAMES),
  ipAddresses: z.array(z.union([z.ipv4(), z.ipv6()])).max(MAX_SUBJECT_ALT_NAMES),
});

export const nodeApiCertificateRequest = z.object({ publicKeyPem: z.string().max(4096) });

export const clusterRequest = z.object({
  advertised: z.object({ ip: z.union([z.ipv4(), z.ipv6()]), port: z.number().int().min(1).max(65_535) }).optional(),
  network: z
    .object({ clusterCidr: z.string().max(128).optional(), serviceClusterIpRange: z.string().max(128).optional() })
    .optional(),
});

export const joinTokenRequest = z.object({
  ttlSeconds: z.number().int().positive().max(MAX_JOIN_TTL_SECONDS).default(DEFAULT_JOIN_TTL_SECONDS),
});

export const joinRequest = z.object({
  token: z.string().max(256),
  nodeName: z.string().regex(NODE_NAME, "must be a DNS-1123 subdomain: lower case letters, digits, '-' and '.'"),
  /** The node's clock, epoch milliseconds. */
  nowMs: z.number().int(),
});

/** @throws ApiError 400 or 413 that names the wrong field */
export async function parseBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > MAX_BODY_BYTES) throw requestTooLarge("the body is too large");
  const parsed = schema.safeParse(parseJson(await readText(request)));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw badRequest(path.length ? `${path.join(".")}: ${message}` : message);
}

/** Holds no more than the bound: who joins is not known yet. */
async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of (request.body as ReadableStream<Uint8Array> | null) ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw requestTooLarge("the body is too large");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("the body is not JSON");
  }
}
