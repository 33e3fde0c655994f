import { failure, notAcceptable } from "../../shared/api/status.ts";
import { PROTOBUF_TYPE } from "../../shared/schema/index.ts";

/** The form an answer takes. */
export interface Output {
  format: "json" | "yaml";
  pretty: boolean;
  /** The object is answered as something else of meta.k8s.io: Table, PartialObjectMetadata(List). */
  as?: { kind: string; version: string };
}

export const PLAIN_JSON: Output = { format: "json", pretty: false };

const FORMATS: Record<string, Output["format"]> = { "application/json": "json", "application/yaml": "yaml" };
/** What upstream offers. Protobuf is read, not written: a client that takes nothing else is refused. */
const REPRESENTATIONS = ["application/json", "application/yaml", PROTOBUF_TYPE];
const STREAMS = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const TRANSFORMS = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);
const META_VERSIONS = new Set(["v1", "v1beta1"]);

interface Clause {
  type: string;
  params: Record<string, string>;
  quality: number;
}

export interface Offer {
  /** The path answers collections too: its 406 names the streaming forms. */
  collection?: boolean;
  /** A watch: JSON only. */
  stream?: boolean;
  /** Tables and partial metadata can be had. */
  transforms?: boolean;
  /** There is no table of it, though other transforms can be had. */
  untabled?: boolean;
}

/**
 * Chooses by the client's order and quality values.
 * @throws ApiError 406 when nothing suits
 */
export function negotiate(accept: string | null, offer: Offer, pretty: boolean): Output {
  if (!accept || accept === "application/json" || accept === "*/*") return { format: "json", pretty };
  const clauses = parseAccept(accept);
  if (!clauses.some(({ type }) => type === "*/*" || REPRESENTATIONS.includes(type))) {
    const offered = offer.collection ? [...REPRESENTATIONS, ...STREAMS] : REPRESENTATIONS;
    throw failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`, {});
  }
  for (const { type, params } of clauses) {
    const format = type === "*/*" || type === "application/*" ? "json" : FORMATS[type];
    if (!format) continue;
    // The first type that is known decides, even when it cannot be streamed.
    if (offer.stream && format !== "json") break;
    if (params.stream && params.stream !== "watch") continue;
    const as = transformOf(params, offer);
    if (as === "unknown") continue;
    return { format, pretty: pretty || params.pretty === "1", ...(as ? { as } : {}) };
  }
  throw notAcceptable(offer.stream ? STREAMS : REPRESENTATIONS);
}

function transformOf(params: Record<string, string>, offer: Offer): Output["as"] | "unknown" | undefined {
  if (params.as === undefined && params.g === undefined && params.v === undefined) return undefined;
  const { as = "", g = "", v = "" } = params;
  if (as === "Table" && offer.untabled) return "unknown";
  const known = offer.transforms && TRANSFORMS.has(as) && g === "meta.k8s.io" && META_VERSIONS.has(v);
  return known ? { kind: as, version: v } : "unknown";
}

/** An Accept header's types, the one that suits the client best first. */
export function parseAccept(accept: string): Clause[] {
  const clauses = accept.split(",").flatMap((text): Clause[] => {
    const [type = "", ...pairs] = text.split(";").map((part) => part.trim());
    if (type === "") return [];
    const params: Record<string, string> = {};
    for (const pair of pairs) {
      const at = pair.indexOf("=");
      if (at > 0) params[pair.slice(0, at)] = pair.slice(at + 1).replace(/^"(.*)"$/, "$1");
    }
    const { q, ...rest } = params;
    return [{ type: type === "*" ? "*/*" : type, params: rest, quality: q === undefined ? 1 : Number(q) || 0 }];
  });
  return clauses.sort((a, b) => b.quality - a.quality || wildness(a.type) - wildness(b.type));
}

const wildness = (type: string) => (type === "*/*" ? 2 : type.endsWith("/*") ? 1 : 0);

/** `pretty`, or a client that a person reads (upstream's list of user agents). */
export function wantsPretty(query: URLSearchParams, userAgent: string | null): boolean {
  const asked = query.get("pretty");
  if (asked) return ["1", "t", "T", "TRUE", "true", "True"].includes(asked);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "");
}

/** What the text of a request's body is; undefined for a type that cannot be read. */
export function inputFormat(contentType: string | null): Output["format"] | undefined {
  const type = mediaTypeOf(contentType);
  // A body in protobuf has become JSON when its text is asked for (body.ts).
  return type === "" || type === PROTOBUF_TYPE ? "json" : FORMATS[type];
}

/** A Content-Type without its parameters. */
export const mediaTypeOf = (contentType: string | null): string =>
  (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();

export const INPUT_TYPES = REPRESENTATIONS;
