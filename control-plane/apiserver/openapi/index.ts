/**
 * The API's description for clients: OpenAPI 3.0 by group version (kubectl explain, apply and its checks), and Swagger
 * 2.0 in one piece (generators, older clients). JSON only: clients that insist on protobuf are refused, and those that
 * have another way take it. Texts are made when they are asked for; the last few are kept.
 */
import { DOCUMENTS_HASH } from "../../../generated/build-facts.ts";
import { failure, notAcceptable } from "../../../shared/api/status.ts";
import { GROUPS, RESOURCES } from "../../../shared/schema/index.ts";
import type { Answer, ApiCall } from "../call.ts";
import { renderV2, renderV3 } from "./document.ts";

type OpenApiCall = Pick<ApiCall, "method" | "url" | "headers">;

const JSON_HEADERS = { "content-type": "application/json", vary: "Accept" };
/** A URL with the hash in it names one document for ever. */
const IMMUTABLE = { "cache-control": "public, immutable", expires: "Thu, 31 Dec 2037 23:55:55 GMT" };

/**
 * Answers `/openapi/v2`, `/openapi/v3` (the list of documents) and `/openapi/v3/<group version>`; a group version that is
 * not served is an empty 404, as upstream gives it. Undefined for other paths.
 * @throws ApiError 405 for a method other than GET and HEAD, 406 for a client that does not take JSON
 */
export function serveOpenApi(call: OpenApiCall): Answer | undefined {
  const path = call.url.pathname.replace(/\/$/, "");
  if (path !== "/openapi/v2" && path !== "/openapi/v3" && !path.startsWith("/openapi/v3/")) return undefined;
  if (call.method !== "GET" && call.method !== "HEAD") {
    throw failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
  }
  if (!takesJson(call.headers.get("accept"))) throw notAcceptable(["application/json"]);
  if (path === "/openapi/v2") return documentAnswer(call, "v2", renderV2);
  if (path === "/openapi/v3") return documentAnswer(call, "v3", renderIndex);
  return versionAnswer(call, path.slice("/openapi/v3/".length));
}

const takesJson = (accept: string | null) =>
  accept === null ||
  accept.split(",").some((clause) => /^\s*(application\/json|application\/\*|\*\/\*|\*)\s*(;|$)/.test(clause));

/** `api/v1`, `apis/apps/v1`, by group and version. */
function versionPaths(): Map<string, { group: string; version: string }> {
  const paths = new Map<string, { group: string; version: string }>();
  for (const { name, versions } of GROUPS) {
    for (const version of versions) {
      paths.set(name === "" ? `api/${version}` : `apis/${name}/${version}`, { group: name, version });
    }
  }
  return paths;
}

const documentUrl = (path: string) => `/openapi/v3/${path}?hash=${DOCUMENTS_HASH}`;

const renderIndex = () => ({
  paths: Object.fromEntries([...versionPaths().keys()].map((path) => [path, { serverRelativeURL: documentUrl(path) }])),
});

function versionAnswer(call: OpenApiCall, path: string): Answer {
  const found = versionPaths().get(path);
  if (!found) return { code: 404, headers: {}, body: null };
  const hash = call.url.searchParams.get("hash");
  if (hash !== null && hash !== DOCUMENTS_HASH) {
    // The client has an old list of documents; upstream sends it to the new one too.
    return { code: 301, headers: { location: documentUrl(path) }, body: null };
  }
  const answer = documentAnswer(call, path, () =>
    renderV3(RESOURCES.filter(({ group, version }) => group === found.group && version === found.version)),
  );
  return hash === null ? answer : { ...answer, headers: { ...answer.headers, ...IMMUTABLE } };
}

/** kubectl wants the list and one or two documents; the largest text has 2 MB. */
const MAX_KEPT_TEXTS = 4;
const texts = new Map<string, string>();

function documentAnswer(call: OpenApiCall, name: string, render: () => unknown): Answer {
  const etag = `"${DOCUMENTS_HASH}"`;
  const headers = { ...JSON_HEADERS, etag };
  if (call.headers.get("if-none-match") === etag) return { code: 304, headers, body: null };
  const text = texts.get(name) ?? JSON.stringify(render());
  // The map's order is that of use.
  texts.delete(name);
  texts.set(name, text);
  if (texts.size > MAX_KEPT_TEXTS) texts.delete(texts.keys().next().value!);
  return { code: 200, headers, body: call.method === "HEAD" ? null : text };
}
