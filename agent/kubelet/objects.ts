import type { KubeObject } from "../../shared/api/object.ts";
import { CONFIG_MAPS, SECRETS, SERVICE_ACCOUNTS } from "../../shared/api/refs.ts";
import { ApiError, isNotFound } from "../../shared/api/status.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import type { ConfigMap, Pod, Secret } from "../api/index.ts";
import type { AgentState } from "../state/index.ts";
import type { VolumeSources } from "../volumes/index.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

/** A token is renewed when this share of its life has passed (KEP-1205), or after a day. */
const RENEW_AT = 0.8;
const MAX_TOKEN_AGE_MS = 24 * 3_600_000;

/** The objects pods refer to. What was read is remembered on the disk, for the time when the API is away. */
export function createObjects({
  api,
  state,
  clock,
  log,
}: {
  api: ApiClient;
  state: AgentState;
  clock: Clock;
  log: Log;
}): VolumeSources {
  async function read<T extends KubeObject>(
    ref: ResourceRef,
    kind: "configmaps" | "secrets",
    namespace: string,
    name: string,
  ): Promise<T | undefined> {
    try {
      const object = await api.get<T>(ref, name, namespace);
      const known = await state.object(kind, namespace, name);
      if (known?.metadata.resourceVersion !== object.metadata.resourceVersion) await state.saveObject(kind, object);
      return object;
    } catch (error) {
      if (isNotFound(error)) {
        await state.forgetObject(kind, namespace, name);
        return undefined;
      }
      if (!isUnreachable(error)) throw error;
      const remembered = await state.object(kind, namespace, name);
      if (!remembered) throw error;
      log("debug", "the API is away, using the remembered object", { kind, namespace, name });
      return remembered as T;
    }
  }

  return {
    configMap: (namespace, name) => read<ConfigMap>(CONFIG_MAPS, "configmaps", namespace, name),
    secret: (namespace, name) => read<Secret>(SECRETS, "secrets", namespace, name),
    async serviceAccountToken(pod, { audience, expirationSeconds }) {
      const { uid, name, namespace } = pod.metadata;
      const key = `${audience ?? ""}\0${expirationSeconds}`;
      const known = await state.token(uid, key);
      const nowMs = clock.nowMs();
      if (known && !needsRenewal(known, nowMs)) return known.token;
      try {
        const issued = await requestToken(api, pod, { audience, expirationSeconds });
        await state.saveToken(uid, key, { ...issued, issuedMs: nowMs });
        return issued.token;
      } catch (error) {
        if (!known || !isUnreachable(error))
          throw new Error(`failed to fetch token: ${messageOf(error)}`, { cause: error });
        log("warn", "cannot renew a service account token", { pod: `${namespace}/${name}`, error: messageOf(error) });
        return known.token;
      }
    },
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

/** No answer, or one that says that the server itself is in trouble. */
export function isUnreachable(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status.code >= 500 || error.status.code === 429;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
