/** Query parameters of lists, watches and writes, for tests that make up requests. */
export const OPTION_NAMES = [
  "labelSelector",
  "fieldSelector",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "timeoutSeconds",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "pretty",
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "force",
  "gracePeriodSeconds",
  "propagationPolicy",
  "orphanDependents",
  "includeObject",
];

/** Those of logs. */
export const LOG_OPTION_NAMES = [
  "tailLines",
  "sinceSeconds",
  "sinceTime",
  "limitBytes",
  "follow",
  "previous",
  "timestamps",
  "stream",
  "container",
  "tail",
];
