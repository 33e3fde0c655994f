/**
 * The API server: from an HTTP request to objects in the stores and back. The chain, in order: cluster, authentication,
 * (serve.ts) request info, impersonation and authorization, route, negotiation; (handlers/) decoding, admission,
 * strategy, validation, storage. It keeps nothing between requests but caches a second old.
 */
import { ApiError, pathNotFound } from "../../shared/api/status.ts";
import type { Env } from "../env.ts";
import { handleTunnelRequest, TUNNEL_PATH } from "../gateway/index.ts";
import { HOSTING_PREFIX, handleHostingRequest, isCluster } from "../hosting/index.ts";
import { toResponse, toStatus } from "./answer.ts";
import type { ApiContext, UserInfo } from "./attributes.ts";
import { authenticate } from "./authn/index.ts";
import { ANONYMOUS, UNAUTHENTICATED } from "./authz/index.ts";
import { discardBody, readBody } from "./body.ts";
import { bootstrapCluster } from "./bootstrap/index.ts";
import type { ApiCall } from "./call.ts";
import { compressed, takesGzip } from "./compression.ts";
import { atPath, type CallUrl, PlainHeaders, parseAddress } from "./request-head.ts";
import { serveCall } from "./serve.ts";

export { certifyNodeApi } from "../hosting/index.ts";
export type { ApiContext } from "./attributes.ts";
export { bootstrapCluster } from "./bootstrap/index.ts";
export type { Answer, ApiCall, ConnectHandler } from "./call.ts";
export { PlainHeaders, parseAddress } from "./request-head.ts";
export { serveCall } from "./serve.ts";

const NOBODY: UserInfo = { username: ANONYMOUS, groups: [UNAUTHENTICATED] };
const CLUSTER_PATH = /^\/clusters\/([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)(\/.*)?$/;

/** A request from outside: finds the cluster, authenticates, then serves it. */
export async function handleRequest(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  const response = await answerRequest(request, env, context);
  await discardBody(request);
  return response;
}

async function answerRequest(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  const address = parseAddress(request.url);
  const byPath = CLUSTER_PATH.exec(address.pathname);
  const url = byPath ? atPath(address, byPath[2] ?? "/", `/clusters/${byPath[1]}`) : address;
  const cluster = byPath?.[1] ?? env.DEFAULT_CLUSTER;
  if (url.pathname.startsWith(HOSTING_PREFIX) && url.pathname !== TUNNEL_PATH)
    return handleHostingRequest(request, env, cluster, bootstrapCluster);
  if (!cluster || !(await isCluster(env, cluster))) return Response.json(pathNotFound().status, { status: 404 });
  if (url.pathname === TUNNEL_PATH) return handleTunnelRequest(request, env, cluster);
  return serveCallFrom(callOf(request, url), { env, cluster, waitUntil: (promise) => context.waitUntil(promise) });
}

/** A request to a cluster's API from whoever its headers say: what an agent passes on for its node's pods. */
export const serveCaller = (request: Request, context: Omit<ApiContext, "user">): Promise<Response> =>
  serveCallFrom(callOf(request, parseAddress(request.url)), context);

async function serveCallFrom(call: ApiCall, context: Omit<ApiContext, "user">): Promise<Response> {
  const user = await identify(call, context.env, context.cluster);
  if (user instanceof ApiError) return Response.json(user.status, { status: user.status.code });
  const { answer, warnings, isDocument } = await serveCall(call, { ...context, user });
  const isCompressed = isDocument && !(answer instanceof Response) && takesGzip(call.headers.get("accept-encoding"));
  return toResponse(isCompressed ? await compressed(answer) : answer, warnings);
}

/** Who asks. Credentials that are wrong are refused, none at all are the anonymous user's. */
async function identify(call: ApiCall, env: Env, cluster: string): Promise<UserInfo | ApiError> {
  try {
    return (await authenticate(call, env, cluster)) ?? NOBODY;
  } catch (error) {
    return new ApiError(toStatus(error));
  }
}

/** A request whose user is known: controllers, the scheduler and node sessions call it in their own isolate. */
export async function serveApi(request: Request, context: ApiContext): Promise<Response> {
  const { answer, warnings } = await serveCall(callOf(request, parseAddress(request.url)), context);
  return toResponse(answer, warnings);
}

const callOf = (request: Request, url: CallUrl): ApiCall => ({
  method: request.method,
  url,
  headers: new PlainHeaders(request.headers),
  body: (kind) => readBody(request, kind),
  request,
});
