/**
 * The API for the control plane's own Durable Objects: the whole chain of the API server, run in the caller's isolate,
 * so that a call costs a hop only where it reaches a store. Nothing is authenticated: the caller is who it says.
 */
import type { ApiClient, ApiResponse } from "../../shared/client/api-client.ts";
import { createApiClient } from "../../shared/client/http-client.ts";
import { type Answer, type ApiContext, PlainHeaders, parseAddress, serveCall } from "../apiserver/index.ts";
import type { Env } from "../env.ts";
import { groupedStores } from "./grouped-stores.ts";

/** The control plane's parts are trusted until each has its own role. */
const TRUSTED_GROUPS = ["system:masters", "system:authenticated"];

const CONTROLLER_PREFIX = "system:serviceaccount:kube-system:";

/**
 * @param username as authorization, audit and managedFields see it: `system:kube-scheduler`,
 *   `system:serviceaccount:kube-system:replicaset-controller`
 */
export function inProcessClient(
  env: Env,
  cluster: string,
  username: string,
  groups: string[] = TRUSTED_GROUPS,
): ApiClient {
  const context: ApiContext = {
    env: groupedStores(env),
    cluster,
    user: { username, groups },
    // Nothing in the chain outlives its answer but caches, and those may be lost.
    waitUntil: (promise) => void promise.catch(() => undefined),
  };
  return createApiClient(
    async ({ method, path, headers, body, answersNobody }) => {
      const { answer } = await serveCall(
        {
          method,
          url: parseAddress(`https://kubernetes.default.svc${path}`),
          headers: new PlainHeaders(Object.entries(headers)),
          body: async () => body ?? "",
          answersNobody,
        },
        context,
      );
      if (answer instanceof Response) throw new Error(`${path} is a connection: it cannot be made in process`);
      return responseOf(answer);
    },
    { userAgent: managerOf(username) },
  );
}

/** managedFields name the program, not the identity: upstream's controllers are one program. */
function managerOf(username: string): string | undefined {
  return username.startsWith(CONTROLLER_PREFIX) ? "kube-controller-manager" : username.split(":").at(-1);
}

function responseOf({ code: status, headers, body }: Answer): ApiResponse {
  if (body instanceof ReadableStream) return { status, headers, body };
  const text = body ?? "";
  return {
    status,
    headers,
    text,
    get body() {
      return new Response(text).body!;
    },
  };
}
