import type { Key } from "./interface.ts";

/** Keys strictly between two texts; SQLite compares UTF-8 bytes, as etcd does. */
export interface KeyRange {
  above: string;
  below: string;
}

/** No key reaches it: names are ASCII. */
const AFTER_ALL = "\u{10ffff}";

/** The keys of a namespace (all keys without one), after a key if given. */
export function keyRange(namespace: string | undefined, after?: Key): KeyRange {
  // "0" is the character after "/".
  const range =
    namespace === undefined ? { above: "", below: AFTER_ALL } : { above: `${namespace}/`, below: `${namespace}0` };
  return after !== undefined && after > range.above ? { above: after, below: range.below } : range;
}

/** A key's namespace ("" for a cluster-scoped one) and name. */
export function splitKey(key: Key): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return { namespace: slash < 0 ? "" : key.slice(0, slash), name: key.slice(slash + 1) };
}
