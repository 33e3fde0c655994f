/**
 * Lists and objects as tables (meta.k8s.io/v1 Table), the form kubectl prints: the columns and cells of each kind. Pure:
 * which representation a client accepts, and what objects it may see, is decided elsewhere.
 */
export { humanDuration } from "./duration.ts";
export { type PodSummary, summarizePod } from "./pod.ts";
export { type IncludeObject, renderTable, type Table, type TableOptions, type TableRow } from "./render.ts";
