import { failure, notAcceptable } from "../../shared/api/status.ts";
import { ownMember } from "../../shared/own-member.ts";
import { PROTOBUF_TYPE } from "../../shared/schema/index.ts";
import { acceptedTypes, type Clause, parseAccept } from "./accept.ts";

type InputFormat = "json" | "yaml";
export type Format = InputFormat | "protobuf";

/** The form an answer takes. */
export interface Output {
  format: Format;
  pretty: boolean;
  /** The object is answered as something else of meta.k8s.io: Table, PartialObjectMetadata(List). */
  as?: { kind: string; version: string };
}

export const PLAIN_JSON: Output = { format: "json", pretty: false };

const INPUT_FORMATS: Record<string, InputFormat> = { "application/json": "json", "application/yaml": "yaml" };
const FORMATS: Record<string, Format> = { ...INPUT_FORMATS, [PROTOBUF_TYPE]: "protobuf" };
/** What upstream offers, in its order. */
const REPRESENTATIONS = ["application/json", "application/yaml", PROTOBUF_TYPE];
const STREAMS = ["application/json;stream=watch", `${PROTOBUF_TYPE};stream=watch`];
const TRANSFORMS = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);
const META_VERSIONS = new Set(["v1", "v1beta1"]);

export interface Offer {
  /** The types that the path is registered with; a request for none of them does not get as far as its handler. */
  produces?: readonly string[];
  /** A watch: what cannot be streamed is refused. */
  stream?: boolean;
  /** Tables and partial metadata can be had. */
  transforms?: boolean;
  /** There is no table of it, though other transforms can be had. */
  untabled?: boolean;
}

/** What a path of a collection, or of anything else, is registered with. */
export const PRODUCED = REPRESENTATIONS;
export const PRODUCED_BY_COLLECTIONS = [...REPRESENTATIONS, ...STREAMS];
export const PRODUCED_BY_LOGS = ["text/plain", ...REPRESENTATIONS];

/**
 * Chooses by the client's order and quality values.
 * @throws ApiError 406 when nothing suits
 */
export function negotiate(accept: string | null, offer: Offer, pretty: boolean): Output {
  if (!accept || accept === "application/json" || accept === "*/*") return { format: "json", pretty };
  if (offer.produces) checkProduced(accept, offer.produces);
  const output = firstOf(parseAccept(accept), offer, pretty);
  if (!output) throw notAcceptable(REPRESENTATIONS);
  // The first type that is known decides, even when it cannot be streamed.
  if (offer.stream && output.format === "yaml") throw notAcceptable(STREAMS);
  return output;
}

/** @throws ApiError 406 in the words of upstream's router */
export function checkProduced(accept: string | null, produces: readonly string[]): void {
  if (!accept || acceptedTypes(accept).some((type) => type === "*/*" || produces.includes(type))) return;
  throw failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${produces.join(", ")}`, {});
}

/**
 * The form of the one document of all groups (KEP-3352), for clients that take it in any place of their list: they name
 * the old form to fall back on. Undefined for others.
 */
export function formOfAggregated(accept: string | null): Format | undefined {
  if (!accept?.includes("APIGroupDiscoveryList")) return undefined;
  for (const clause of parseAccept(accept)) {
    const { as, g, v } = clause.params;
    if (as !== "APIGroupDiscoveryList" || g !== "apidiscovery.k8s.io" || v !== "v2") continue;
    const name = REPRESENTATIONS.find((each) => matches(clause, each));
    if (name) return FORMATS[name];
  }
  return undefined;
}

function firstOf(clauses: Clause[], offer: Offer, pretty: boolean): Output | undefined {
  for (const clause of clauses) {
    for (const [name, format] of Object.entries(FORMATS)) {
      if (!matches(clause, name)) continue;
      const { params } = clause;
      if (params.stream && (params.stream !== "watch" || format === "yaml")) continue;
      if (params.sv && params.sv !== "v1") continue;
      const as = transformOf(params, offer);
      if (as === "unknown" || (as?.kind === "Table" && format === "protobuf")) continue;
      return { format, pretty: pretty || params.pretty === "1", ...(as ? { as } : {}) };
    }
  }
  return undefined;
}

function matches({ type, subtype }: Clause, name: string): boolean {
  if (type === "*") return subtype === "*";
  return type === "application" && (subtype === "*" || `${type}/${subtype}` === name);
}

function transformOf(params: Record<string, string>, offer: Offer): Output["as"] | "unknown" | undefined {
  if (params.as === undefined && params.g === undefined && params.v === undefined) return undefined;
  const { as = "", g = "", v = "" } = params;
  if (as === "Table" && offer.untabled) return "unknown";
  const known = offer.transforms && TRANSFORMS.has(as) && g === "meta.k8s.io" && META_VERSIONS.has(v);
  return known ? { kind: as, version: v } : "unknown";
}

/** `pretty`, or a client that a person reads (upstream's list of user agents). */
export function wantsPretty(query: URLSearchParams, userAgent: string | null): boolean {
  const asked = query.get("pretty");
  if (asked) return ["1", "t", "T", "TRUE", "true", "True"].includes(asked);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "");
}

/** What the text of a request's body is; undefined for a type that cannot be read. */
export function inputFormat(contentType: string | null): InputFormat | undefined {
  const type = mediaTypeOf(contentType);
  // A body in protobuf has become JSON when its text is asked for (body.ts).
  return type === "" || type === PROTOBUF_TYPE ? "json" : ownMember(INPUT_FORMATS, type);
}

/** A Content-Type without its parameters. */
export const mediaTypeOf = (contentType: string | null): string =>
  (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();

export const INPUT_TYPES = REPRESENTATIONS;
