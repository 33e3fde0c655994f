import type { JsonObject } from "../../shared/api/json.ts";
import type { Requirement } from "../../shared/api/selector.ts";

/**
 * The contract of a ResourceStore: one per cluster and group/resource, linearizable, revisioned.
 *
 * Values are JSON texts WITHOUT `apiVersion`, `kind` and `metadata.resourceVersion`, and always begin with
 * `{"metadata":{"` (see shared/api/stored-object.ts, the only place that encodes and decodes them). The revision is
 * put in when a value is rendered, so that a write needs no second serialisation and every watcher and reader shares
 * one text.
 */

/** `<namespace>/<name>`, or `<name>` for cluster-scoped resources. */
export type Key = string;

/** What list and watch can select on without parsing a value. */
export interface Attributes {
  labels: Record<string, string>;
  /** Selectable fields of the kind, e.g. `spec.nodeName`; `metadata.name` and `metadata.namespace` come from the key. */
  fields: Record<string, string>;
}

export interface StoredValue {
  key: Key;
  /** Revision of the write that made this value: the object's `resourceVersion`. */
  revision: number;
  value: string;
}

interface WriteBase {
  key: Key;
  /**
   * Things no two objects of this store may hold at once, e.g. `ip/10.96.0.10`, `nodePort/30080`. The set replaces
   * what the object held before; it is released with the object. Undefined leaves it as it was.
   */
  claims?: string[];
}

export type WriteOp =
  | (WriteBase & { op: "create"; uid: string; value: string; attributes: Attributes })
  /** `expectRevision` makes it a compare-and-swap; every caller passes what it read. */
  | (WriteBase & { op: "update"; expectRevision: number; value: string; attributes: Attributes })
  /** `value`: the final text carried by the DELETED event; by default the last one. */
  | (WriteBase & { op: "delete"; expectRevision: number; value?: string });

export type WriteResult =
  | { ok: true; revision: number }
  | { ok: false; reason: "exists" | "conflict"; current: StoredValue }
  | { ok: false; reason: "notFound" }
  /** More writes are waiting than the store can take; nothing was done. */
  | { ok: false; reason: "busy" }
  | { ok: false; reason: "claimed"; claim: string; holder: Key }
  /** The value is over MAX_VALUE_BYTES. */
  | { ok: false; reason: "tooLarge" };

export type { Requirement };

export interface Selection {
  /** Undefined: all namespaces (or a cluster-scoped resource). */
  namespace?: string;
  /** One object only. */
  name?: string;
  labels?: Requirement[];
  fields?: Requirement[];
}

export interface ListRequest extends Selection {
  /** Serve this snapshot instead of the newest state; `expired` if it was compacted away. */
  revision?: number;
  /** Continue after this key. */
  after?: Key;
  /** At most so many items; the reply may stop earlier at MAX_LIST_REPLY_BYTES. */
  limit?: number;
}

export type ListResult =
  | {
      ok: true;
      /** The snapshot's revision: goes into the list's metadata.resourceVersion. */
      revision: number;
      items: StoredValue[];
      /** Set when there is more: pass it as `after`, with `revision`. */
      next?: Key;
      /** How many are left after `next`; undefined when a selector makes counting dear. */
      remaining?: number;
    }
  | { ok: false; reason: "expired"; oldest: number }
  /** A revision that is not yet there (upstream: "Too large resource version"). */
  | { ok: false; reason: "future"; newest: number };

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

export interface Change {
  type: ChangeType;
  key: Key;
  revision: number;
  /** For DELETED: the last value, its revision that of the deletion. */
  value: string;
}

/** Pushed to subscribers after each commit: everything between two revisions, in order, without gaps. */
export interface ChangeBatch {
  cluster: string;
  group: string;
  resource: string;
  /** The first revision the subscriber has not seen. A gap against its own cursor means: relist. */
  fromRevision: number;
  toRevision: number;
  changes: Change[];
}

/** What a Durable Object offers to be fed (`onChanges` is called over RPC, one batch at a time per store). */
export interface ChangeSubscriber {
  /** Resolves once the batch is taken in; a rejection is retried with back-off, by alarm if need be. */
  onChanges(batch: ChangeBatch): Promise<void>;
}

export interface WatchRequest extends Selection {
  /** Send changes after this revision. Undefined: start with ADDED for all that exists ("Any"/unset resourceVersion). */
  revision?: number;
  /** `sendInitialEvents=true`: ADDED for all that exists, then a bookmark with `k8s.io/initial-events-end`. */
  sendInitialEvents?: boolean;
  bookmarks?: boolean;
  /** Put before each object so that text is rendered once for all alike: `{"kind":"Pod","apiVersion":"v1",`. */
  typeMeta: { apiVersion: string; kind: string };
  /** What a bookmark's object has beside its metadata: the fields that are written even when nothing is set. */
  emptyFields?: JsonObject;
}

/** The RPC surface of the ResourceStore Durable Object. */
export interface ResourceStoreApi {
  get(key: Key): Promise<StoredValue | null>;
  /** One atomic write, committed (with its neighbours, see group commit) before it resolves. */
  write(op: WriteOp): Promise<WriteResult>;
  /** As so many `get` and `write`, in one call: the answers in the order of the questions. */
  getAll(keys: Key[]): Promise<(StoredValue | null)[]>;
  /** Each write stands alone, but when one cannot be judged (the disk is full, say) all are rejected. */
  writeAll(ops: WriteOp[]): Promise<WriteResult[]>;
  list(request: ListRequest): Promise<ListResult>;
  /** The revision of the last committed write. */
  currentRevision(): Promise<number>;
  /** How many objects there are under a namespace, or in all. */
  count(namespace?: string): Promise<number>;
  /**
   * Deletes the store with all that is in it, for good, and ends its watches: for deleting a cluster. The store may be
   * used again afterwards, but its revisions start anew.
   */
  destroy(): Promise<void>;
  /*
   * fetch(): two routes beside RPC, both streamed. client.ts speaks them: openList and openWatch.
   *   GET /list  (?request=<JSON ListRequest without limit & {typeMeta of the list}>)
   *              → the body of a Kubernetes List, rendered in the store; 410 and 504 with a JSON ListResult
   *   GET /watch (?request=<JSON WatchRequest>, Upgrade: websocket)
   *              → text frames, each of whole lines of watch events: `{"type":"ADDED","object":{…}}\n`.
   *              410 when the revision is compacted, 504 when it is not yet there, 413 for selectors over 16 kB.
   *              The reader has to acknowledge: a text frame with the number of characters that it has taken in since
   *              the last such frame, at each 128 Ki or so. A reader that does not gets nothing more after 1 Mi until
   *              it does; it is closed with 1013 once the changes that it misses are compacted away.
   *              It may also send `bookmark` (to get one now, as upstream sends it before a watch's timeout) and
   *              `ping` (answered with `pong` without waking the store).
   */
}

/** Upstream refuses objects over 1.5 MiB (etcd's request limit); a SQLite value may have 2 MB. */
export const MAX_VALUE_BYTES = 1_572_864;
/** Bounds one RPC reply (the platform allows 32 MiB) and the memory of both sides. */
export const MAX_LIST_REPLY_BYTES = 4 * 1024 * 1024;
