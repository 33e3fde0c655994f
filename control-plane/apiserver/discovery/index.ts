/**
 * What the API tells of itself: groups, versions, resources and their verbs, in the old form (a document a version) and
 * the aggregated one. The built-in resources alone, so far: its documents never change while the server runs.
 */
import { DOCUMENTS_HASH } from "../../../generated/build-facts.ts";
import type { JsonObject } from "../../../shared/api/json.ts";
import { failure } from "../../../shared/api/status.ts";
import { encodeProtobuf, GROUPS, type Group, PROTOBUF_TYPE, RESOURCES } from "../../../shared/schema/index.ts";
import { jsonAnswer, valueAnswer } from "../answer.ts";
import type { Answer, ApiCall } from "../call.ts";
import {
  checkProduced,
  type Format,
  formOfAggregated,
  negotiate,
  type Output,
  PRODUCED,
  wantsPretty,
} from "../negotiation.ts";
import { renderYaml } from "../yaml/index.ts";
import { renderDiscovery } from "./aggregated.ts";
import { renderApiVersions, renderGroup, renderGroupList, renderResourceList } from "./legacy.ts";
import { rootPaths } from "./root-paths.ts";
import { VERSION_INFO } from "./version.ts";

export { VERSION_INFO } from "./version.ts";

type DiscoveryCall = Pick<ApiCall, "method" | "url" | "headers">;

/**
 * Answers `/`, `/version`, `/api`, `/apis`, and the documents of groups and versions. Undefined: the path is not one of discovery's, or
 * names a group or version that is not served.
 * @throws ApiError 405 for a method other than GET (lists of groups have none), 406 when the client takes none of the forms
 */
export function serveDiscovery(call: DiscoveryCall): Answer | undefined {
  const steps = call.url.pathname.replace(/\/$/, "").slice(1).split("/");
  const isIndex = call.url.pathname === "/" || call.url.pathname === "/index.html";
  if (isIndex) return jsonAnswer(200, JSON.stringify({ paths: rootPaths() }, undefined, 2));
  const isVersion = steps.length === 1 && steps[0] === "version";
  const document = documentAt(steps, call);
  if (!document && !isVersion) return undefined;
  if (call.method !== "GET" && !isAggregators(steps)) {
    throw failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
  }
  if (!document) return versionAnswer(call);
  const aggregated = steps.length === 1 ? formOfAggregated(call.headers.get("accept")) : undefined;
  return aggregated
    ? aggregatedAnswer(steps[0]!, call, aggregated)
    : valueAnswer(200, document(), outputOf(steps, call));
}

/** Upstream's aggregator serves lists of groups, past the router and its look at types and methods. */
const isAggregators = (steps: string[]) => steps[0] === "apis" && steps.length <= 2;

function outputOf(steps: string[], { url, headers }: DiscoveryCall): Output {
  const accept = headers.get("accept");
  if (!isAggregators(steps)) checkProduced(accept, PRODUCED);
  return negotiate(accept, {}, wantsPretty(url.searchParams, headers.get("user-agent")));
}

/** For people and for old clients: it has one form. */
function versionAnswer({ headers }: DiscoveryCall): Answer {
  checkProduced(headers.get("accept"), ["application/json"]);
  return jsonAnswer(200, JSON.stringify(VERSION_INFO, undefined, 2));
}

type Document = () => unknown;

function documentAt(steps: string[], call: DiscoveryCall): Document | undefined {
  if (steps[0] === "api") return coreDocument(steps, call);
  if (steps[0] === "apis") return groupDocument(steps);
  return undefined;
}

function coreDocument(steps: string[], { url }: DiscoveryCall): Document | undefined {
  if (steps.length === 1) return () => renderApiVersions(url.host);
  return steps.length === 2 ? versionDocument("", steps[1]!) : undefined;
}

function groupDocument([, name, version, ...more]: string[]): Document | undefined {
  if (more.length > 0) return undefined;
  if (name === undefined) return () => renderGroupList(GROUPS);
  const group = GROUPS.find((candidate) => candidate.name === name && name !== "");
  if (!group) return undefined;
  return version === undefined ? () => renderGroup(group) : versionDocument(name, version);
}

function versionDocument(group: string, version: string): Document | undefined {
  const resources = RESOURCES.filter((facts) => facts.group === group && facts.version === version);
  if (resources.length === 0) return undefined;
  return () => renderResourceList(group === "" ? version : `${group}/${version}`, resources);
}

/** A text or bytes for each root and format, made when it is first asked for. */
const aggregated = new Map<string, string | Uint8Array<ArrayBuffer>>();

const FORMAT_TYPES = { json: "application/json", yaml: "application/yaml", protobuf: PROTOBUF_TYPE };

function aggregatedAnswer(root: string, call: DiscoveryCall, format: Format): Answer {
  const etag = `"${DOCUMENTS_HASH}"`;
  const type = `${FORMAT_TYPES[format]};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;
  // May be kept, as long as it is asked for by its ETag.
  const headers = { etag, vary: "Accept", "content-type": type, "cache-control": "public" };
  if (call.headers.get("if-none-match") === etag) return { code: 304, headers, body: null };
  const key = `${root} ${format}`;
  const body = aggregated.get(key) ?? renderAggregated(root, format);
  aggregated.set(key, body);
  return { code: 200, headers, body: typeof body === "string" ? body : new Response(body).body };
}

function renderAggregated(root: string, format: Format): string | Uint8Array<ArrayBuffer> {
  const isCore = ({ name }: Group) => name === "";
  const groups = GROUPS.filter((group) => isCore(group) === (root === "api"));
  const document = renderDiscovery(groups, RESOURCES);
  if (format === "protobuf") return encodeProtobuf(document as unknown as JsonObject);
  return format === "yaml" ? renderYaml(document) : JSON.stringify(document);
}
