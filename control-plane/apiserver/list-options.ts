import { fieldForbidden, notSupported } from "../../shared/api/field-error.ts";
import { invalid, type StatusCause } from "../../shared/api/status.ts";
import { parseFlag, parseInteger } from "./query-options.ts";

/** Options of list, watch and deletecollection. */
export interface ListOptions {
  /** Undefined: no limit. */
  limit?: number;
  continue: string;
  resourceVersion: string;
  resourceVersionMatch: string;
  timeoutSeconds?: number;
  allowWatchBookmarks: boolean;
  sendInitialEvents?: boolean;
}

/** @throws ApiError 400 for what is no number, 422 for combinations that are not allowed */
export function parseListOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const sendInitialEvents = query.get("sendInitialEvents");
  const limit = parseInteger(query.get("limit"));
  const options: ListOptions = {
    ...(limit !== undefined && limit > 0 ? { limit } : {}),
    continue: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    timeoutSeconds: parseInteger(query.get("timeoutSeconds")),
    allowWatchBookmarks: parseFlag(query.get("allowWatchBookmarks")),
    ...(sendInitialEvents === null ? {} : { sendInitialEvents: parseFlag(sendInitialEvents) }),
  };
  if (watch) setWatchDefaults(options);
  const causes = watch ? checkWatchOptions(options) : checkListOptions(options);
  if (causes.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", causes);
  return options;
}

/** A watch from no version in particular begins with what there is: it is told apart by nothing but its last bookmark. */
function setWatchDefaults(options: ListOptions): void {
  if (options.sendInitialEvents !== undefined || options.resourceVersionMatch !== "") return;
  if (!["", "0"].includes(options.resourceVersion)) return;
  options.sendInitialEvents = true;
  options.resourceVersionMatch = "NotOlderThan";
}

const MATCH = "resourceVersionMatch";

function checkListOptions(options: ListOptions): StatusCause[] {
  const { resourceVersionMatch: match, resourceVersion } = options;
  const causes: StatusCause[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      causes.push(fieldForbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    }
    if (options.continue !== "") {
      causes.push(fieldForbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
    }
    if (match !== "Exact" && match !== "NotOlderThan") {
      causes.push(notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && resourceVersion === "0") {
      causes.push(fieldForbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    causes.push(fieldForbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return causes;
}

function checkWatchOptions(options: ListOptions): StatusCause[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const causes: StatusCause[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    causes.push(fieldForbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  }
  if (match !== "") {
    if (sendInitialEvents === undefined) {
      causes.push(fieldForbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== "NotOlderThan") causes.push(notSupported(MATCH, match, ["NotOlderThan"]));
    if (options.continue !== "") {
      causes.push(fieldForbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
    }
  }
  return causes;
}
