import { findResource } from "../../../shared/schema/index.ts";
import type { RequestInfo } from "../request-info.ts";

/** What a request is counted under. Every label has few values, whatever clients send. */
export interface RequestLabels {
  verb: string;
  group: string;
  version: string;
  resource: string;
  /** Of what is no resource, the path. */
  subresource: string;
  /** Whether one object was meant, those of a namespace, or all. */
  scope: "resource" | "namespace" | "cluster" | "";
  dryRun: "All" | "";
}

const VERBS: Partial<Record<string, string>> = {
  create: "POST",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION",
  get: "GET",
  list: "LIST",
  patch: "PATCH",
  update: "PUT",
  watch: "WATCH",
};
const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
/** Subresources that are connections: how long they last says nothing of the server. */
const CONNECTED = new Set(["attach", "exec", "log", "portforward", "proxy"]);
const PATHS = new Set([
  "/api",
  "/apis",
  "/healthz",
  "/livez",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/readyz",
  "/version",
]);

/** @param info undefined for a path that could not be understood */
export function labelsOf(method: string, query: URLSearchParams, info: RequestInfo | undefined): RequestLabels {
  const facts = info?.isResource ? findResource(info) : undefined;
  const dryRun = query.size > 0 && query.has("dryRun") ? "All" : "";
  if (!info || !facts) {
    const verb = METHODS.has(method) ? method : "other";
    const path = info && PATHS.has(info.path) ? info.path : "";
    return { verb, group: "", version: "", resource: "", subresource: path, scope: "", dryRun };
  }
  const subresource = facts.subresources.some(({ name }) => name === info.subresource) ? info.subresource : "";
  const isOne = info.name !== "" || info.verb === "create";
  return {
    verb: CONNECTED.has(subresource) ? "CONNECT" : (VERBS[info.verb] ?? "other"),
    group: facts.group,
    version: facts.version,
    resource: facts.resource,
    subresource,
    scope: isOne ? "resource" : info.namespace !== "" ? "namespace" : "cluster",
    dryRun,
  };
}

/** A stream: it is counted when it begins, and not timed. */
export const isLongRunning = ({ verb }: RequestLabels): boolean => verb === "WATCH" || verb === "CONNECT";
