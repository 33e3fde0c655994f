import { type ListRequest, type ListResult, MAX_LIST_REPLY_BYTES, type StoredValue } from "./interface.ts";
import { selectsAll } from "./selection.ts";
import { Snapshot } from "./snapshot.ts";
import type { Tables } from "./tables.ts";

/** The revisions that can be read. */
export interface Readable {
  newest: number;
  compacted: number;
}

/** The revision that a list is served at, or why it cannot be. */
export function listRevision(
  wanted: number | undefined,
  { newest, compacted }: Readable,
): { ok: true; revision: number } | Extract<ListResult, { ok: false }> {
  if (wanted === undefined) return { ok: true, revision: newest };
  if (wanted > newest) return { ok: false, reason: "future", newest };
  if (wanted < compacted) return { ok: false, reason: "expired", oldest: compacted };
  return { ok: true, revision: wanted };
}

/** One page; ends at the limit or at the bound of a reply, whichever comes first (but holds one item at least). */
export function listPage(tables: Tables, request: ListRequest, readable: Readable): ListResult {
  const at = listRevision(request.revision, readable);
  if (!at.ok) return at;
  const snapshot = new Snapshot(tables, at.revision, readable.newest);
  const { items, next } = takePage(snapshot.select(request, request.after), request.limit);
  if (next === undefined) return { ok: true, revision: at.revision, items };
  const remaining = selectsAll(request) ? snapshot.count(request.namespace, next) : undefined;
  return { ok: true, revision: at.revision, items, next, remaining };
}

function takePage(states: Iterable<StoredValue>, limit = Number.POSITIVE_INFINITY) {
  const items: StoredValue[] = [];
  let chars = 0;
  for (const state of states) {
    const isFull = items.length >= limit || (items.length > 0 && chars + state.value.length > MAX_LIST_REPLY_BYTES);
    if (isFull) return { items, next: items.at(-1)!.key };
    items.push(state);
    chars += state.value.length;
  }
  return { items, next: undefined };
}
