import { isReady } from "../../../../shared/api/conditions.ts";
import { badRequest, serviceUnavailable } from "../../../../shared/api/status.ts";
import type { Node } from "../../../../shared/api/types.ts";
import { dialThroughNode, ENCODING_HEADER, isConnected } from "../../../gateway/index.ts";
import type { ApiContext } from "../../attributes.ts";
import { clusterReader } from "../../cluster-reader.ts";
import { answerHeaders, isWebSocket, mayHaveBody, requestHeaders } from "./headers.ts";
import { joinPath } from "./join-path.ts";
import type { Location } from "./location.ts";
import { type ProxiedPath, proxiedPath } from "./proxied-path.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import { type ProxiedPage, rewriteUrl } from "./rewrite-url.ts";

const DEFAULT_PORTS = { http: 80, https: 443 };
/** How many nodes are asked whether they are there, when the pod's own is not. */
const MAX_OTHER_NODES = 5;
const BODILESS = [101, 204, 205, 304];

/**
 * Passes a request on to a server of the cluster, and its answer back: links and redirects of the answer lead through the
 * proxy again.
 * @throws ApiError 400 for an upgrade other than to a WebSocket, 503 where no node can dial
 * @see k8s.io/apimachinery, util/proxy: UpgradeAwareHandler
 */
export async function passOn(context: ApiContext, location: Location, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const proxied = proxiedPath(request.url);
  const isUpgrade = request.headers.has("upgrade");
  // The platform ends WebSockets and opens them; of other protocols it passes nothing on.
  if (isUpgrade && !isWebSocket(request.headers)) throw badRequest("only WebSockets can be proxied");
  const root = isUpgrade ? undefined : redirectToRoot(request, proxied.path);
  if (root) return root;
  const node = await dialler(context, location.node);
  const { answer, encoding } = await dialThroughNode(
    context.env,
    { cluster: context.cluster, node },
    {
      target: {
        scheme: location.scheme,
        address: location.address,
        port: portOf(location),
        host: url.host,
      },
      path: (proxied.path || "/") + url.search,
      method: request.method,
      headers: forwardedHeaders(request, proxied),
      body: mayHaveBody(request) ? request.body : null,
      signal: request.signal,
    },
  );
  if (answer.webSocket) return answer;
  return passBack(answer, encoding, {
    prefix: proxied.prefix,
    serverHost: hostOf(location),
    requestHost: url.host,
  });
}

/** A proxied server's root is a directory: without the slash its page's links would lead elsewhere (kubernetes 4958). */
export function redirectToRoot(request: Request, path: string): Response | undefined {
  if (path !== "" || (request.method !== "GET" && request.method !== "HEAD")) return undefined;
  const { pathname, search } = new URL(request.url);
  return new Response(null, { status: 301, headers: { location: `${pathname}/${search}` } });
}

function forwardedHeaders(request: Request, { prefix, path }: ProxiedPath): Headers {
  const headers = requestHeaders(request);
  headers.set("x-forwarded-uri", joinPath(prefix, path));
  return headers;
}

function passBack(answer: Response, encoding: string | null, page: ProxiedPage): Response {
  const headers = answerHeaders(answer.headers);
  headers.delete(ENCODING_HEADER);
  // It is encoded already: the platform must not do it again.
  if (encoding !== null) headers.set("content-encoding", encoding);
  let body = BODILESS.includes(answer.status) ? null : (answer.body as ReadableStream<Uint8Array> | null);
  const location = headers.get("location");
  const contentType = headers.get("content-type")?.split(";")[0]?.trim();
  if (location !== null) headers.set("location", rewriteUrl(location, page));
  else if (contentType === "text/html" && body) {
    headers.delete("content-length");
    body = rewriteHtml(body, encoding, page);
  }
  return new Response(body, { status: answer.status, headers, encodeBody: "manual" });
}

/** @throws ApiError 503 for a port that nothing can listen on, in the words of upstream's resolver and kernel */
function portOf({ scheme, address, port }: Location): number {
  if (port === undefined) return DEFAULT_PORTS[scheme];
  if (!/^\d{1,5}$/.test(port)) throw unreachable(`dial tcp: lookup tcp/${port}: unknown port`);
  const number = Number(port);
  if (number === 0) throw unreachable(`dial tcp ${address}:0: connect: connection refused`);
  if (number > 65_535) throw unreachable(`dial tcp: address ${port}: invalid port`);
  return number;
}

const hostOf = ({ address, port }: Location): string => {
  const host = address.includes(":") ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
};

const unreachable = (why: string) => serviceUnavailable(`error trying to reach service: ${why}`);

/**
 * The node that dials: the pod's own; while that is not connected, any other, since only its agent may be away.
 * @throws ApiError 503 when none is connected
 */
async function dialler({ env, cluster }: ApiContext, own: string | undefined): Promise<string> {
  if (own !== undefined && (await isConnected(env, { cluster, node: own }))) return own;
  const nodes = await clusterReader(env, cluster).list({ group: "", resource: "nodes" });
  const others = (nodes as Node[]).filter((node) => node.metadata.name !== own && isReady(node));
  for (const { metadata } of others.slice(0, MAX_OTHER_NODES)) {
    if (await isConnected(env, { cluster, node: metadata.name })) return metadata.name;
  }
  throw unreachable(own === undefined ? "no node is connected" : "the node's agent is not connected");
}
