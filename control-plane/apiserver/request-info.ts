import type { CallUrl } from "./request-head.ts";

/** What a path and a method ask for, before anything is known of the resource (upstream's RequestInfo). */
export interface RequestInfo {
  isResource: boolean;
  path: string;
  /** `get`, `list` …; for a path that is no resource the method in lower case. */
  verb: string;
  /** `api` or `apis`. */
  prefix: string;
  group: string;
  version: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  /** Path parts from the resource on: resource, name, subresource, and whatever follows. */
  parts: string[];
  /** Only those of list, watch and deletecollection, unparsed. */
  labelSelector?: string;
  fieldSelector?: string;
  /** `/api/v1/watch/…`, deprecated. */
  watchByPath: boolean;
}

/** Subresources of a namespace; any other third part is a resource within it. */
const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

const VERB_OF_METHOD: Record<string, string> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

const SELECTING_VERBS = new Set(["list", "watch", "deletecollection"]);

/**
 * Upstream's rules, word for word: which part of a path is the group, the namespace, the name.
 * @returns undefined for a path that should be a resource's, and ends too soon
 * @see k8s.io/apiserver, endpoints/request: the classes of paths that RequestInfoFactory knows
 */
export function parseRequestInfo(method: string, url: CallUrl): RequestInfo | undefined {
  const info: RequestInfo = {
    isResource: false,
    path: url.pathname,
    verb: method.toLowerCase(),
    prefix: "",
    group: "",
    version: "",
    resource: "",
    subresource: "",
    namespace: "",
    name: "",
    parts: [],
    watchByPath: false,
  };
  let parts = splitPath(url.pathname);
  if (parts.length < 3 || (parts[0] !== "api" && parts[0] !== "apis")) return info;
  info.prefix = parts[0];
  parts = parts.slice(1);
  if (info.prefix === "apis") {
    if (parts.length < 3) return { ...info, prefix: "" };
    info.group = parts[0]!;
    parts = parts.slice(1);
  }
  info.version = parts[0]!;
  parts = parts.slice(1);
  info.isResource = true;

  if (parts[0] === "watch" || parts[0] === "proxy") {
    if (parts.length < 2) return undefined;
    info.verb = parts[0];
    info.watchByPath = info.verb === "watch";
    parts = parts.slice(1);
  } else {
    info.verb = VERB_OF_METHOD[method] ?? "";
  }

  if (parts[0] === "namespaces" && parts.length > 1) {
    info.namespace = parts[1]!;
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2]!)) parts = parts.slice(2);
  }
  info.parts = parts;
  info.resource = parts[0] ?? "";
  info.name = parts[1] ?? "";
  if (info.verb !== "proxy") info.subresource = parts[2] ?? "";

  if (info.name === "" && info.verb === "get") {
    info.verb = asksToWatch(url.searchParams) ? "watch" : "list";
    info.name = singleName(url.searchParams.get("fieldSelector"));
  }
  if (info.name === "" && info.verb === "delete") info.verb = "deletecollection";
  if (!info.watchByPath && SELECTING_VERBS.has(info.verb)) {
    info.labelSelector = url.searchParams.get("labelSelector") ?? undefined;
    info.fieldSelector = url.searchParams.get("fieldSelector") ?? undefined;
  }
  return info;
}

/** `watch` alone or with any value but false and 0 is a watch. */
export function asksToWatch(query: URLSearchParams): boolean {
  const value = query.get("watch");
  return value !== null && !["false", "0"].includes(value.toLowerCase());
}

/** The name that a field selector pins, so that rights by name (resourceNames) cover lists and watches of one object. */
function singleName(fieldSelector: string | null): string {
  if (!fieldSelector) return "";
  const match = /(?:^|,)metadata\.name==?([^,=!\\/%]+)(?:,|$)/.exec(fieldSelector);
  return match?.[1] ?? "";
}

function splitPath(path: string): string[] {
  const trimmed = decodePath(path).replace(/^\/+|(?<!\/)\/+$/g, "");
  return trimmed === "" ? [] : trimmed.split("/");
}

/** As a whole, so that an escaped slash parts as any other. A path that is no valid escape stays as it is. */
function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
