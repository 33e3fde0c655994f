/**
 * The API's description for clients: OpenAPI 3.0 by group version (kubectl explain, apply and its checks), and Swagger
 * 2.0 in one piece (generators, and kubectl for a kind that is not served), which client-go wants in protobuf; OpenAPI
 * 3.0 is JSON only. Documents are made when they are asked for; the last few are kept.
 */
import { DOCUMENTS_HASH } from "../../../generated/build-facts.ts";
import { GROUPS, RESOURCES } from "../../../shared/schema/index.ts";
import { parseAccept } from "../accept.ts";
import type { Answer, ApiCall } from "../call.ts";
import { renderV2, renderV3 } from "./document.ts";
import { encodeSwagger } from "./gnostic/index.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { otherPaths } from "./other-paths.ts";

type OpenApiCall = Pick<ApiCall, "method" | "url" | "headers">;

const JSON_TYPE = "application/json";
const PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** What can be asked for, and how it is answered. client-go asks by the older name of protobuf, which no media type may have. */
const V3_TYPES = new Map([[JSON_TYPE, JSON_TYPE]]);
const V2_TYPES = new Map([
  ...V3_TYPES,
  ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf", PROTOBUF_TYPE],
  [PROTOBUF_TYPE, PROTOBUF_TYPE],
]);
/** A URL with the hash in it names one document for ever. */
const IMMUTABLE = { "cache-control": "public, immutable", expires: "Thu, 31 Dec 2037 23:55:55 GMT" };

/**
 * Answers `/openapi/v2`, `/openapi/v3` (the list of documents) and `/openapi/v3/<group version>`. As upstream gives
 * them, a group version that is not served is an empty 404, and a client that takes none of the types an empty 406.
 * Undefined for other paths. Whatever the method is, it reads.
 */
export function serveOpenApi(call: OpenApiCall): Answer | undefined {
  const path = call.url.pathname;
  if (path !== "/openapi/v2" && path !== "/openapi/v3" && !path.startsWith("/openapi/v3/")) return undefined;
  if (path === "/openapi/v3") return indexAnswer();
  const type = chooseType(call.headers.get("accept"), path === "/openapi/v2" ? V2_TYPES : V3_TYPES);
  if (!type) return { code: 406, headers: { vary: varyOf(path) }, body: null };
  if (type === PROTOBUF_TYPE) return documentAnswer(call, type, "v2", () => encodeSwagger(renderV2()));
  if (path === "/openapi/v2") return documentAnswer(call, type, "v2", () => JSON.stringify(renderV2()));
  return versionAnswer(call, path.slice("/openapi/v3/".length));
}

/** The first of a client's types, by its order and quality values, that there is. */
function chooseType(accept: string | null, types: Map<string, string>): string | undefined {
  for (const { type, subtype } of parseAccept(accept || "*/*")) {
    const isAny = subtype === "*" && (type === "*" || type === "application");
    const chosen = isAny ? JSON_TYPE : types.get(`${type}/${subtype}`);
    if (chosen) return chosen;
  }
  return undefined;
}

/** What each document holds beside its own discovery: `api/v1` and `apis/apps/v1` the resources of a group version. */
function documentPaths(): Map<string, { group: string; version: string } | undefined> {
  const paths = new Map<string, { group: string; version: string } | undefined>();
  for (const { document } of otherPaths()) paths.set(document, undefined);
  for (const { name, versions } of GROUPS) {
    for (const version of versions) {
      paths.set(name === "" ? `api/${version}` : `apis/${name}/${version}`, { group: name, version });
    }
  }
  return paths;
}

function operationsIn(path: string, held: { group: string; version: string } | undefined): Operation[] {
  const resources = held
    ? RESOURCES.filter(({ group, version }) => group === held.group && version === held.version)
    : [];
  const others = otherPaths().filter(({ document }) => document === path);
  return [...others.map(({ operation }) => operation), ...resources.flatMap(operationsOf)];
}

const documentUrl = (path: string) => `/openapi/v3/${path}?hash=${DOCUMENTS_HASH}`;

const renderIndex = () => ({
  paths: Object.fromEntries(
    [...documentPaths().keys()].sort().map((path) => [path, { serverRelativeURL: documentUrl(path) }]),
  ),
});

/** Upstream does not say of this one that it is JSON, whatever a client takes. */
const indexAnswer = (): Answer => ({
  code: 200,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: JSON.stringify(renderIndex()),
});

/** The larger document may come compressed. */
const varyOf = (path: string) => (path === "/openapi/v2" ? "Accept-Encoding, Accept" : "Accept");

function versionAnswer(call: OpenApiCall, path: string): Answer {
  const paths = documentPaths();
  if (!paths.has(path)) return { code: 404, headers: {}, body: null };
  const hash = call.url.searchParams.get("hash");
  if (hash !== null && hash !== DOCUMENTS_HASH) {
    // The client has an old list of documents; upstream sends it to the new one too.
    return { code: 301, headers: { location: documentUrl(path) }, body: null };
  }
  const make = () => JSON.stringify(renderV3(operationsIn(path, paths.get(path))));
  const answer = documentAnswer(call, JSON_TYPE, path, make);
  return hash === null ? answer : { ...answer, headers: { ...answer.headers, ...IMMUTABLE } };
}

/** kubectl wants the list and one or two documents; the largest has 2 MB. */
const MAX_KEPT_DOCUMENTS = 4;
const documents = new Map<string, string | Uint8Array<ArrayBuffer>>();

/** All types of a document have one ETag: `Vary` keeps them apart. */
function documentAnswer(
  call: OpenApiCall,
  type: string,
  name: string,
  make: () => string | Uint8Array<ArrayBuffer>,
): Answer {
  const etag = `"${DOCUMENTS_HASH}"`;
  const headers = { "content-type": type, vary: varyOf(call.url.pathname), etag };
  if (call.headers.get("if-none-match") === etag) return { code: 304, headers, body: null };
  if (call.method === "HEAD") return { code: 200, headers, body: null };
  const key = `${name} ${type}`;
  const document = documents.get(key) ?? make();
  // The map's order is that of use.
  documents.delete(key);
  documents.set(key, document);
  if (documents.size > MAX_KEPT_DOCUMENTS) documents.delete(documents.keys().next().value!);
  return { code: 200, headers, body: typeof document === "string" ? document : new Response(document).body };
}
