import { badRequest, pathNotFound } from "../../shared/api/status.ts";
import { GROUPS, type ResourceFacts } from "../../shared/schema/index.ts";
import { statusAnswer, textAnswer, toStatus } from "./answer.ts";
import type { ApiContext, RequestAttributes } from "./attributes.ts";
import { authorizeRequest } from "./authz/index.ts";
import type { Answer, ApiCall } from "./call.ts";
import { deprecationOf } from "./deprecations.ts";
import { beginRequest } from "./metrics/index.ts";
import {
  checkProduced,
  negotiate,
  type Output,
  PLAIN_JSON,
  PRODUCED,
  PRODUCED_BY_COLLECTIONS,
  PRODUCED_BY_LOGS,
  wantsPretty,
} from "./negotiation.ts";
import { serveNonResource } from "./non-resource.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { routeOf } from "./routes.ts";

export interface Served {
  answer: Answer | Response;
  warnings: string[];
  /** It is whole, and may be large: worth compressing on the way out. */
  isDocument?: boolean;
}

/** The chain for a request whose user is known. Errors become answers here and nowhere else. */
export async function serveCall(call: ApiCall, context: ApiContext): Promise<Served> {
  const end = beginRequest(context.cluster, call);
  const info = parseRequestInfo(call.method, call.url);
  const served = await serveInfo(call, context, info);
  end(info, served.answer instanceof Response ? served.answer.status : served.answer.code);
  return served;
}

async function serveInfo(call: ApiCall, context: ApiContext, info: RequestInfo | undefined): Promise<Served> {
  const warnings: string[] = [];
  if (!info) return { answer: unclearPath(call.url.pathname), warnings };
  let isAllowed = false;
  try {
    const acting = await authorizeRequest(call, context, info);
    isAllowed = true;
    checkTimeout(call, info);
    // What is asked for is found behind any number of slashes; the router knows but one.
    if (info.path.startsWith("//")) return { answer: unknownPath(info.path), warnings };
    const answer = info.isResource
      ? await serveResource(call, acting, info, warnings)
      : await serveNonResource(call, acting);
    return { answer: answer ?? unknownPath(info.path), warnings, isDocument: isDocument(info) };
  } catch (error) {
    const answer = statusAnswer(toStatus(error), errorOutput(call));
    // As upstream's authorization filter answers; what refuses later does not.
    if (!isAllowed && answer.code === 403) answer.headers["x-content-type-options"] = "nosniff";
    return { answer, warnings };
  }
}

const isDocument = ({ isResource, verb, path }: RequestInfo): boolean =>
  isResource ? verb === "get" || verb === "list" : path.startsWith("/openapi/");

/** @throws ApiError 400 for a `timeout` that is no duration in Go's form; a watch has its own, what streams has none */
function checkTimeout({ url: { searchParams } }: ApiCall, { verb, subresource }: RequestInfo): void {
  if (CONNECTIONS.has(subresource) || subresource === "log") return;
  const text = searchParams.size === 0 ? null : searchParams.get("timeout");
  if (!text || verb === "watch" || /^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return;
  const why = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text) ? "missing unit in duration" : "invalid duration";
  throw badRequest(`invalid timeout specified in the request URL - time: ${why} ${JSON.stringify(text)}`);
}

/** A path that begins like a resource's and has none, in the words of upstream's outermost handler. */
function unclearPath(path: string): Answer {
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${path}`;
  return textAnswer(500, `Internal Server Error: ${JSON.stringify(path)}: ${why}\n`);
}

/** Subresources that upstream prints no table of. */
const UNTABLED = new Set([
  "approval",
  "binding",
  "ephemeralcontainers",
  "eviction",
  "finalize",
  "log",
  "resize",
  "token",
]);
/** Subresources that are connections: what they answer is not ours to choose. */
const CONNECTIONS = new Set(["attach", "exec", "portforward", "proxy"]);

/** The form of an error: what the client accepts as it is, or JSON when that is nothing we have. */
function errorOutput(call: ApiCall): Output {
  const pretty = wantsPretty(call.url.searchParams, call.headers.get("user-agent"));
  try {
    const { format } = negotiate(call.headers.get("accept"), {}, pretty);
    return { format, pretty };
  } catch {
    // Not acceptable in any form: the refusal itself has to be in some, and is for people to read.
    return { ...PLAIN_JSON, pretty: true };
  }
}

async function serveResource(
  call: ApiCall,
  context: ApiContext,
  info: RequestInfo,
  warnings: string[],
): Promise<Answer | Response> {
  if (info.prefix === "apis" && !GROUPS.some(({ name }) => name === info.group)) return unknownPath(info.path);
  const { facts, handler } = routeOf(info, call.method);
  const output = negotiateFor(call, info, facts, warnings);
  const attributes: RequestAttributes = {
    verb: info.verb as RequestAttributes["verb"],
    resource: facts,
    ...(info.subresource ? { subresource: info.subresource } : {}),
    ...(info.namespace ? { namespace: info.namespace } : {}),
    ...(info.name ? { name: info.name } : {}),
    dryRun: false,
    fieldManager: call.url.searchParams.get("fieldManager") ?? "",
  };
  // `namespaces/<name>` counts as in that namespace for authorization; it is stored as what it is, cluster-scoped.
  const stored = facts.namespaced ? info : { ...info, namespace: "" };
  const request: ResourceRequest = { call, context, info: stored, facts, attributes, output, warnings };
  return handler(request);
}

/** The form of a resource's answer. A request that takes none of the path's types is refused before it is warned. */
function negotiateFor(call: ApiCall, info: RequestInfo, facts: ResourceFacts, warnings: string[]): Output {
  const { verb, subresource } = info;
  const pretty = wantsPretty(call.url.searchParams, call.headers.get("user-agent"));
  if (CONNECTIONS.has(subresource)) return errorOutput(call);
  const accept = call.headers.get("accept");
  const isWatch = verb === "watch";
  const isCollection = verb === "list" || isWatch;
  checkProduced(accept, isCollection ? PRODUCED_BY_COLLECTIONS : subresource === "log" ? PRODUCED_BY_LOGS : PRODUCED);
  const deprecation = deprecationOf(facts);
  if (deprecation) warnings.push(deprecation);
  return negotiate(accept, { stream: isWatch, transforms: true, untabled: !isTabled(facts, subresource) }, pretty);
}

/** Of what is stored there are tables; of what is answered at once only where upstream prints one. */
function isTabled({ kind, group, virtual }: ResourceFacts, subresource: string): boolean {
  if (virtual) return kind === "ComponentStatus";
  if (subresource === "status" && group === "apiregistration.k8s.io") return false;
  return !UNTABLED.has(subresource);
}

/** Within a group that is served a Status, elsewhere the plain text of upstream's outermost handler. */
function unknownPath(path: string): Answer {
  const [root, group = ""] = path.slice(1).split("/");
  const isServed = root === "api" || (root === "apis" && group !== "" && GROUPS.some(({ name }) => name === group));
  if (isServed) throw pathNotFound();
  return textAnswer(404, "404 page not found\n");
}
