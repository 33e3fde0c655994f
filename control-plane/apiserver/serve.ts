import { pathNotFound } from "../../shared/api/status.ts";
import { GROUPS } from "../../shared/schema/index.ts";
import { statusAnswer, textAnswer, toStatus } from "./answer.ts";
import type { ApiContext, RequestAttributes } from "./attributes.ts";
import { authorizeRequest } from "./authz/index.ts";
import type { Answer, ApiCall } from "./call.ts";
import { deprecationOf } from "./deprecations.ts";
import { negotiate, type Output, PLAIN_JSON, wantsPretty } from "./negotiation.ts";
import { serveNonResource } from "./non-resource.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { routeOf } from "./routes.ts";

export interface Served {
  answer: Answer | Response;
  warnings: string[];
}

/** The chain for a request whose user is known. Errors become answers here and nowhere else. */
export async function serveCall(call: ApiCall, context: ApiContext): Promise<Served> {
  const warnings: string[] = [];
  try {
    const info = parseRequestInfo(call.method, call.url);
    const acting = await authorizeRequest(call, context, info);
    const answer = info.isResource
      ? await serveResource(call, acting, info, warnings)
      : await serveNonResource(call, acting);
    return { answer: answer ?? unknownPath(info.path), warnings };
  } catch (error) {
    return { answer: statusAnswer(toStatus(error), errorOutput(call)), warnings };
  }
}

/** Subresources that upstream prints no table of. */
const UNTABLED = new Set(["approval", "finalize"]);

/** The form of an error: what the client accepts, or JSON when that is nothing we have. */
function errorOutput(call: ApiCall): Output {
  const pretty = wantsPretty(call.url.searchParams, call.headers.get("user-agent"));
  try {
    const { format } = negotiate(call.headers.get("accept"), { transforms: true }, pretty);
    return { format, pretty };
  } catch {
    // Not acceptable in any form: the refusal itself has to be in some.
    return { ...PLAIN_JSON, pretty };
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
  const deprecation = deprecationOf(facts);
  if (deprecation) warnings.push(deprecation);
  const isWatch = info.verb === "watch";
  const isCollection = info.verb === "list" || isWatch;
  const output = negotiate(
    call.headers.get("accept"),
    { collection: isCollection, stream: isWatch, transforms: true, untabled: UNTABLED.has(info.subresource) },
    wantsPretty(call.url.searchParams, call.headers.get("user-agent")),
  );
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

/** Within a group that is served a Status, elsewhere the plain text of upstream's outermost handler. */
function unknownPath(path: string): Answer {
  const [root, group = ""] = path.slice(1).split("/");
  const isServed = root === "api" || (root === "apis" && GROUPS.some(({ name }) => name === group));
  if (isServed) throw pathNotFound();
  return textAnswer(404, "404 page not found\n");
}
