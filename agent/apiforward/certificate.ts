import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { z } from "zod";
import { messageOf } from "../../shared/message-of.ts";
import { NODE_API_CERTIFICATE_PATH } from "../../shared/tunnel/index.ts";
import type { NetworkContext } from "../network/index.ts";
import { apiTransport, retryClock } from "../tunnel/index.ts";

/** Half of its life: the other half is what the node can be away from its control plane. */
const RENEW_BEFORE_MS = 15 * 24 * 3600 * 1000;
/** Timers take no more than 24 days; looking once a day costs nothing. */
const MAX_SLEEP_MS = 24 * 3600 * 1000;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 5 * 60 * 1000;
const SERVED_NAME = "kubernetes.default.svc";

/** The name under which the state has it, sealed. */
const SECRET = "api-serving";

const pairSchema = z.object({ keyPem: z.string(), certificatePem: z.string().max(16_384) });
const answerSchema = pairSchema.pick({ certificatePem: true });

export type ServingPair = z.infer<typeof pairSchema>;

type Context = Pick<NetworkContext, "clusterCa" | "log" | "signal" | "state" | "tunnel">;

/**
 * Hands out the certificate for the node's API, and each one that follows. Resolves when a remembered one is being served,
 * or else at once; asking for new ones goes on until the signal is aborted.
 * @throws what `use` throws for the remembered one; nothing goes on then
 */
export async function keepCertificate(context: Context, use: (pair: ServingPair) => Promise<void>): Promise<void> {
  const remembered = pairSchema.safeParse(await context.state.secret(SECRET)).data;
  const isGood = remembered !== undefined && refusal(remembered, context.clusterCa, Date.now()) === undefined;
  if (isGood) await use(remembered);
  void renew(context, isGood ? remembered : undefined, use);
}

async function renew(
  context: Context,
  first: ServingPair | undefined,
  use: (pair: ServingPair) => Promise<void>,
): Promise<void> {
  const { log, signal, tunnel } = context;
  const clock = retryClock(tunnel);
  let current = first;
  let unserved: ServingPair | undefined;
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    const restMs = current ? renewalMs(current) - Date.now() : 0;
    if (restMs > 0) {
      await clock.sleep(Math.min(restMs, MAX_SLEEP_MS), signal);
      continue;
    }
    try {
      unserved ??= await newPair(context);
      await use(unserved);
      current = unserved;
      unserved = undefined;
      retryMs = FIRST_RETRY_MS;
    } catch (error) {
      if (tunnel.isConnected)
        log("warn", "the API cannot be served to this node's pods yet", { error: messageOf(error) });
      await clock.sleep(retryMs, signal);
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    }
  }
}

async function newPair({ clusterCa, log, state, tunnel }: Context): Promise<ServingPair> {
  const pair = await request(tunnel);
  const fault = refusal(pair, clusterCa, Date.now());
  if (fault) throw new Error(fault);
  // Served also when it cannot be written down: after a restart another one is asked for.
  await state.saveSecret(SECRET, pair).catch((error: unknown) => {
    log("warn", "the certificate for this node's API cannot be kept", { error: messageOf(error) });
  });
  return pair;
}

const renewalMs = ({ certificatePem }: ServingPair) =>
  new X509Certificate(certificatePem).validToDate.getTime() - RENEW_BEFORE_MS;

/** The key is made here and stays here. */
async function request(tunnel: Context["tunnel"]): Promise<ServingPair> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { status, body } = await apiTransport(tunnel)({
    method: "POST",
    path: NODE_API_CERTIFICATE_PATH,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ publicKeyPem: publicKey.export({ type: "spki", format: "pem" }) }),
  });
  const text = await new Response(body as ReadableStream).text();
  if (status !== 200) throw new Error(`the control plane refused: ${text.slice(0, 1000)}`);
  const { certificatePem } = answerSchema.parse(JSON.parse(text));
  return { certificatePem, keyPem: privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

/** Why a certificate cannot be served; undefined if it can. A cluster that was made anew has another CA. */
export function refusal({ keyPem, certificatePem }: ServingPair, clusterCa: string, nowMs: number): string | undefined {
  try {
    const certificate = new X509Certificate(certificatePem);
    if (!certificate.verify(new X509Certificate(clusterCa).publicKey)) return "it is not signed by the cluster's CA";
    if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) return "it is for another key";
    if (!certificate.checkHost(SERVED_NAME)) return `it is not for ${SERVED_NAME}`;
    return certificate.validToDate.getTime() > nowMs ? undefined : "it has expired";
  } catch (error) {
    return messageOf(error);
  }
}
