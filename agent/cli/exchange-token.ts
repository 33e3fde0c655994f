import { request } from "node:https";
import { z } from "zod";
import { DEFAULT_CLUSTER_NETWORK } from "../../shared/api/cluster-network.ts";
import { jsonOrUndefined } from "../../shared/json-or-undefined.ts";
import { checkApiIdentity, explainFailure } from "../tunnel/index.ts";
import { AgentError } from "./agent-error.ts";

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;

const joinAnswerSchema = z.object({
  cluster: z.string(),
  nodeName: z.string(),
  credential: z.string().min(1),
  clusterCa: z.string().startsWith("-----BEGIN CERTIFICATE-----"),
  serviceCidrs: z
    .array(z.union([z.cidrv4(), z.cidrv6()]))
    .min(1)
    .max(2)
    .default(DEFAULT_CLUSTER_NETWORK.serviceCidrs),
});
export type JoinAnswer = z.infer<typeof joinAnswerSchema>;

/**
 * Exchanges a join token's secret for a node credential, over TLS that trusts `ca` alone.
 * @throws AgentError with the cluster's own sentence if it refuses (unknown or expired token, clock skew, name taken)
 */
export async function exchangeToken(options: {
  endpoint: string;
  ca: string;
  secret: string;
  nodeName: string;
  nowMs: number;
}): Promise<JoinAnswer> {
  const { endpoint, ca, secret, nodeName, nowMs } = options;
  const body = JSON.stringify({ token: secret, nodeName, nowMs });
  const { status, text } = await post(`${endpoint.replace(/\/$/, "")}/hearth/v1/join`, ca, body, endpoint);
  if (status !== 200) throw new AgentError(`the cluster refused: ${messageOf(text) ?? `HTTP ${status}`}`);
  const parsed = joinAnswerSchema.safeParse(jsonOrUndefined(text));
  if (!parsed.success) throw new AgentError(`${endpoint} answered with something that is no Hearth control plane's`);
  return parsed.data;
}

function post(url: string, ca: string, body: string, endpoint: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method: "POST",
      ca,
      checkServerIdentity: checkApiIdentity,
      agent: false,
      timeout: TIMEOUT_MS,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    });
    const fail = (error: Error) => reject(new AgentError(explainFailure(error, endpoint)));
    call.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > MAX_ANSWER_BYTES) response.destroy(new Error("the answer is too long"));
      });
      response.once("error", fail); // also when the connection breaks in the middle
      response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.once("timeout", () => call.destroy(new Error(`${endpoint} does not answer within ${TIMEOUT_MS / 1000} s`)));
    call.once("error", fail);
    call.end(body);
  });
}

/** The message of a Status. */
function messageOf(text: string): string | undefined {
  const { message } = (jsonOrUndefined(text) ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : undefined;
}
