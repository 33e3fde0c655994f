/**
 * The API server: from an HTTP request to objects in the stores and back. The chain, in order: cluster, authentication,
 * (serve.ts) request info, impersonation and authorization, route, negotiation; (handlers/) decoding, admission,
 * strategy, validation, storage. It keeps nothing between requests but caches a second old.
 */
import type { Env } from "../env.ts";
import { toResponse } from "./answer.ts";
import type { ApiContext } from "./attributes.ts";
import { readBody } from "./body.ts";
import type { ApiCall } from "./call.ts";
import { serveCall } from "./serve.ts";

export type { ApiContext } from "./attributes.ts";
export type { Answer, ApiCall, ConnectCall, ConnectHandler } from "./call.ts";
export { serveCall } from "./serve.ts";

/** A request from outside: finds the cluster, authenticates, then serves it. */
export async function handleRequest(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  return serveApi(request, {
    env,
    cluster: env.DEFAULT_CLUSTER ?? "default",
    user: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    waitUntil: (promise) => context.waitUntil(promise),
  });
}

/** A request whose user is known: controllers, the scheduler and node sessions call it in their own isolate. */
export async function serveApi(request: Request, context: ApiContext): Promise<Response> {
  const { answer, warnings } = await serveCall(callOf(request), context);
  return toResponse(answer, warnings);
}

const callOf = (request: Request): ApiCall => ({
  method: request.method,
  url: new URL(request.url),
  headers: request.headers,
  body: () => readBody(request),
  request,
});
