/** A parameter of a path or query, in neither dialect yet. */
export interface Parameter {
  name: string;
  in: "query" | "path";
  type: "string" | "integer" | "boolean";
  description: string;
}

const query = (name: string, type: Parameter["type"], description: string): Parameter => ({
  name,
  in: "query",
  type,
  description,
});

export const PRETTY = query("pretty", "string", "If 'true', the output is indented.");

export const NAMESPACE: Parameter = {
  name: "namespace",
  in: "path",
  type: "string",
  description: "object name and auth scope, such as for teams and projects",
};

export const nameOf = (kind: string): Parameter => ({
  name: "name",
  in: "path",
  type: "string",
  description: `name of the ${kind}`,
});

export const PROXY_PATH: Parameter = {
  name: "path",
  in: "path",
  type: "string",
  description: "the part of the URL behind the proxy",
};

const DRY_RUN = query("dryRun", "string", "'All': go through every stage, but store nothing.");
const FIELD_MANAGER = query("fieldManager", "string", "Who is making the change: the owner of the fields it sets.");
/** kubectl looks for this one to learn that the server checks fields itself. */
const FIELD_VALIDATION = query(
  "fieldValidation",
  "string",
  "What becomes of unknown and duplicate fields: 'Ignore', 'Warn' (the default) or 'Strict'.",
);

export const WRITE: Parameter[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];

export const PATCH: Parameter[] = [
  ...WRITE,
  query("force", "boolean", "Take over fields that another manager owns (apply patches only)."),
];

export const DELETE: Parameter[] = [
  DRY_RUN,
  query("gracePeriodSeconds", "integer", "Seconds before the object is deleted; 0 deletes at once."),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query("propagationPolicy", "string", "What becomes of dependents: 'Orphan', 'Background' or 'Foreground'."),
];

export const LIST: Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Ask for events that only carry a resourceVersion."),
  query("continue", "string", "The token of the next page, from the one before."),
  query("fieldSelector", "string", "Restrict the objects by their fields."),
  query("labelSelector", "string", "Restrict the objects by their labels."),
  query("limit", "integer", "How many objects to return at most."),
  query("resourceVersion", "string", "The version to read at, or to watch from."),
  query("resourceVersionMatch", "string", "How resourceVersion is meant: 'Exact' or 'NotOlderThan'."),
  query("sendInitialEvents", "boolean", "Begin a watch with what is there, closed by a bookmark."),
  query("timeoutSeconds", "integer", "How long the call may take."),
  query("watch", "boolean", "Stream changes instead of a list."),
];

/** Those of lists that also choose what a deletion of a collection takes. */
export const DELETE_COLLECTION: Parameter[] = [
  ...DELETE,
  ...LIST.filter(({ name }) => name !== "allowWatchBookmarks" && name !== "watch"),
];

const CONTAINER = query("container", "string", "The container; the only one by default.");
const STREAMS = [
  query("stderr", "boolean", "Pass standard error on."),
  query("stdin", "boolean", "Pass standard input on."),
  query("stdout", "boolean", "Pass standard output on."),
  query("tty", "boolean", "Use a terminal."),
];

/** Of subresources that are connections or streams, by name. */
export const SUBRESOURCE_QUERY: Record<string, Parameter[]> = {
  attach: [CONTAINER, ...STREAMS],
  exec: [
    query("command", "string", "The command and its arguments, repeated; it is not run in a shell."),
    CONTAINER,
    ...STREAMS,
  ],
  log: [
    CONTAINER,
    query("follow", "boolean", "Go on with what is written from now on."),
    query("insecureSkipTLSVerifyBackend", "boolean", "Do not verify the node's certificate."),
    query("limitBytes", "integer", "How many bytes to return at most."),
    query("previous", "boolean", "The log of the container's previous instance."),
    query("sinceSeconds", "integer", "Only what was written in so many last seconds."),
    query("stream", "string", "'All', 'Stdout' or 'Stderr'."),
    query("tailLines", "integer", "Only so many last lines."),
    query("timestamps", "boolean", "Begin each line with its time."),
  ],
  portforward: [query("ports", "integer", "Ports to forward.")],
  proxy: [query("path", "string", "The part of the URL behind the proxy.")],
};
