import type { KubeObject } from "../../shared/api/object.ts";
import { SERVICE_ACCOUNTS } from "../../shared/api/refs.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { messageOf } from "../../shared/message-of.ts";
import type { Pod } from "../api/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import type { AgentState } from "../state/index.ts";
import type { VolumeSources } from "../volumes/index.ts";

/** A token is renewed when this share of its life has passed (KEP-1205), or after a day. */
const RENEW_AT = 0.8;
const MAX_TOKEN_AGE_MS = 24 * 3_600_000;

/** Tokens for pods, bound to them; kept sealed on the disk, so that a restart of the agent asks for none. */
export function createTokens({
  api,
  state,
  clock,
  log,
}: {
  api: ApiClient;
  state: AgentState;
  clock: Clock;
  log: Log;
}): VolumeSources["serviceAccountToken"] {
  return async (pod, { audience, expirationSeconds }) => {
    const { uid, name, namespace } = pod.metadata;
    const key = `${audience ?? ""}\0${expirationSeconds}`;
    const known = await state.token(uid, key);
    const nowMs = clock.nowMs();
    if (known && !needsRenewal(known, nowMs)) return known.token;
    try {
      const issued = await requestToken(api, pod, { audience, expirationSeconds });
      // The pod need not wait for the disk: without it the next agent asks for another one.
      state.saveToken(uid, key, { ...issued, issuedMs: nowMs }).catch((error: unknown) => {
        log("error", "cannot remember a token on the disk", { pod: `${namespace}/${name}`, error: messageOf(error) });
      });
      return issued.token;
    } catch (error) {
      const message = messageOf(error);
      if (!known) throw new Error(`failed to fetch token: ${message}`, { cause: error });
      // Even an expired one is better than no pod: the node works alone.
      log("warn", "cannot renew a service account token", { pod: `${namespace}/${name}`, error: message });
      return known.token;
    }
  };
}

export function needsRenewal(token: { expirationTimestamp: string; issuedMs: number }, nowMs: number): boolean {
  const lifeMs = Date.parse(token.expirationTimestamp) - token.issuedMs;
  return nowMs - token.issuedMs > Math.min(lifeMs * RENEW_AT, MAX_TOKEN_AGE_MS);
}

async function requestToken(
  api: ApiClient,
  { metadata, spec }: Pod,
  { audience, expirationSeconds }: { audience?: string; expirationSeconds: number },
): Promise<{ token: string; expirationTimestamp: string }> {
  const account = spec.serviceAccountName || "default";
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: { name: account, namespace: metadata.namespace },
    spec: {
      audiences: audience ? [audience] : [],
      expirationSeconds,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: metadata.uid },
    },
  };
  const answer = await api.create<KubeObject>(SERVICE_ACCOUNTS, request, { name: account, subresource: "token" });
  const status = answer["status"] as { token?: string; expirationTimestamp?: string } | undefined;
  if (!status?.token || !status.expirationTimestamp) throw new Error("the API answered a TokenRequest without a token");
  return { token: status.token, expirationTimestamp: status.expirationTimestamp };
}
