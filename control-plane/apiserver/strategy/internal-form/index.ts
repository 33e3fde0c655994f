/**
 * Upstream's internal form of core types, which some of its messages show: diffs of what may not change, and values
 * quoted whole. Only for messages; nothing is stored or answered in it.
 */
export { diffInternal } from "./diff.ts";
export { renderInternal } from "./render.ts";
export type { InternalType } from "./types.ts";
