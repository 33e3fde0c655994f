import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { SharedAlarm } from "./alarm.ts";
import { applyWrites } from "./apply-writes.ts";
import { ChangeFeed, SAVE_CURSOR_AFTER_MS } from "./change-feed.ts";
import { decideCompaction, planCompaction } from "./compaction.ts";
import { CurrentStates } from "./current-states.ts";
import { GroupCommit } from "./group-commit.ts";
import type {
  Key,
  ListRequest,
  ListResult,
  ResourceStoreApi,
  StoredValue,
  WatchRequest,
  WriteOp,
  WriteResult,
} from "./interface.ts";
import { keyRange } from "./key.ts";
import { listPage, listRevision } from "./list.ts";
import { type StreamedListRequest, streamList } from "./list-stream.ts";
import type { Meta } from "./meta-table.ts";
import { RecentRows } from "./recent-rows.ts";
import type { RevisionRow } from "./revision-table.ts";
import { Snapshot } from "./snapshot.ts";
import { parseStoreName } from "./store-name.ts";
import { SUBSCRIBERS } from "./subscribers.ts";
import { openTables, type Tables } from "./tables.ts";
import { WatchHub } from "./watch-hub.ts";

/** About as often as upstream's API server. */
const BOOKMARK_INTERVAL_MS = 60_000;
/**
 * An empty store has a revision too: "0" would mean "any" to a client, and "1" is what one asks for that wants a
 * version which is surely past, as it is upstream from the first minutes on.
 */
const INITIAL_REVISION = 2;

/**
 * The objects of one resource of one cluster: see interface.ts for what it promises. Everything it knows is in its
 * tables; what it holds in memory is a cache of them, good until the next eviction.
 */
export class ResourceStore extends DurableObject<Env> implements ResourceStoreApi {
  readonly #alarm: SharedAlarm;
  readonly #commits: GroupCommit;
  readonly #watchers: WatchHub;
  /** Epoch ms; null while nothing has been written since the last ones. */
  #bookmarksAtMs: number | null = null;
  #tables!: Tables;
  #feeds!: ChangeFeed[];
  #recent!: RecentRows;
  #current!: CurrentStates;
  #newest!: number;
  #meta!: Meta;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    this.#load();
    this.#commits = new GroupCommit({
      commit: (ops) => this.#commit(ops),
      untilDurable: () => context.storage.sync(),
    });
    this.#watchers = new WatchHub(context, this.#log);
    this.#alarm = new SharedAlarm(context.storage);
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    context.blockConcurrencyWhile(() => this.#alarm.load());
  }

  async get(key: Key): Promise<StoredValue | null> {
    return this.#read(key);
  }

  async getAll(keys: Key[]): Promise<(StoredValue | null)[]> {
    return keys.map((key) => this.#read(key));
  }

  async write(op: WriteOp): Promise<WriteResult> {
    const [result] = await this.#commits.submit([op]);
    return result!;
  }

  writeAll(ops: WriteOp[]): Promise<WriteResult[]> {
    return this.#commits.submit(ops);
  }

  async list(request: ListRequest): Promise<ListResult> {
    return listPage(this.#tables, request, { newest: this.#newest, compacted: this.#meta.compacted });
  }

  async currentRevision(): Promise<number> {
    return this.#newest;
  }

  async count(namespace?: string): Promise<number> {
    return this.#tables.objects.count(keyRange(namespace));
  }

  /** Deletes the store with all that is in it, and ends its watches. What is written later starts from nothing. */
  async destroy(): Promise<void> {
    this.#watchers.closeAll(1001, "the store is deleted");
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#alarm.fired();
    this.#load();
  }

  /** The streamed routes, `GET /list` and `GET /watch`. */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const body = url.searchParams.get("request");
    if (body === null) return new Response("no request", { status: 400 });
    switch (url.pathname) {
      case "/list":
        return this.#list(JSON.parse(body) as StreamedListRequest);
      case "/watch":
        return this.#watch(JSON.parse(body) as WatchRequest);
      default:
        return new Response("no such route", { status: 404 });
    }
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#watchers.receive(socket, typeof message === "string" ? message : "");
  }

  override webSocketClose(socket: WebSocket): void {
    this.#watchers.remove(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#watchers.remove(socket);
  }

  /** Everything that has to happen later; each part finds out for itself whether its time has come. */
  override async alarm(): Promise<void> {
    this.#alarm.fired();
    this.#sendBookmarksWhenDue();
    await this.#compactWhatIsDue();
    this.#runFeeds();
    this.#saveCursors();
    if (this.#meta.next) this.#alarm.ensureBy(this.#meta.next.atMs);
  }

  #read(key: Key): StoredValue | null {
    const kept = this.#current.get(key);
    if (kept) return kept;
    const revision = this.#tables.objects.get(key)?.revision;
    const state = revision === undefined ? null : this.#tables.revisions.state(revision);
    if (!state) return null;
    const read = { key, revision: state.revision, value: state.value };
    this.#current.keep(read);
    return read;
  }

  readonly #log = {
    newest: () => this.#newest,
    compacted: () => this.#meta.compacted,
    snapshot: (revision: number) => new Snapshot(this.#tables, revision, this.#newest),
    after: (revision: number) => this.#recent.after(revision) ?? this.#tables.revisions.after(revision),
    state: (revision: number) => this.#tables.revisions.state(revision),
  };

  /** Fills memory from the tables. */
  #load(): void {
    this.#tables = openTables(this.ctx.storage);
    this.#recent = new RecentRows();
    this.#current = new CurrentStates();
    this.#newest = Math.max(INITIAL_REVISION, this.#tables.revisions.newest());
    const meta = this.#tables.meta.get();
    this.#meta = { ...meta, compacted: Math.max(INITIAL_REVISION, meta.compacted) };
    this.#feeds = this.#openFeeds();
  }

  #list(request: StreamedListRequest): Response {
    const at = listRevision(request.revision, { newest: this.#newest, compacted: this.#meta.compacted });
    if (!at.ok) return Response.json(at, { status: at.reason === "expired" ? 410 : 504 });
    const body = streamList(request, at.revision, (revision) => {
      if (revision < this.#meta.compacted) throw new Error(`revision ${revision} was compacted while it was listed`);
      return this.#log.snapshot(revision);
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  }

  #watch(request: WatchRequest): Response {
    return this.#watchers.attach(request);
  }

  #commit(ops: WriteOp[]): WriteResult[] {
    const { results, rows } = this.ctx.storage.transactionSync(() => {
      const applied = applyWrites(this.#tables, ops, this.#newest);
      if (applied.rows.some(({ previous }) => previous !== null))
        this.#planCompaction(this.#newest + applied.rows.length);
      return applied;
    });
    if (rows.length === 0) return results;
    this.#newest += rows.length;
    this.#recent.push(rows);
    this.#current.apply(rows);
    this.#afterCommit(rows);
    return results;
  }

  /** From here on nothing leaves the object before the commit is on disk: the output gate holds it all back. */
  #afterCommit(rows: RevisionRow[]): void {
    this.#watchers.publish(rows);
    this.#planBookmarks();
    // Also for the case that this object dies before it has fed them.
    if (this.#feeds.length > 0) this.#alarm.ensureBy(Date.now() + SAVE_CURSOR_AFTER_MS);
    this.#runFeeds();
    this.#compactStep();
  }

  #planBookmarks(): void {
    if (this.#bookmarksAtMs !== null || !this.#watchers.wantsBookmarks) return;
    this.#bookmarksAtMs = Date.now() + BOOKMARK_INTERVAL_MS;
    this.#alarm.ensureBy(this.#bookmarksAtMs);
  }

  /** An object that was evicted meanwhile does not know when they are due, and sends none before the next write. */
  #sendBookmarksWhenDue(): void {
    if (this.#bookmarksAtMs === null) return;
    if (Date.now() < this.#bookmarksAtMs) {
      this.#alarm.ensureBy(this.#bookmarksAtMs);
      return;
    }
    this.#bookmarksAtMs = null;
    this.#watchers.sendBookmarks();
  }

  #planCompaction(newest: number): void {
    const next = planCompaction({ ...this.#meta, newest, nowMs: Date.now() });
    if (next === null) return;
    this.#setMeta({ ...this.#meta, next });
    this.#alarm.ensureBy(next.atMs);
  }

  async #compactWhatIsDue(): Promise<void> {
    while (this.#compactStep()) await scheduler.wait(0);
  }

  /** @returns whether it did something, and there may be more */
  #compactStep(): boolean {
    const nowMs = Date.now();
    const step = decideCompaction({ ...this.#meta, newest: this.#newest, nowMs });
    if (step === null) return false;
    this.ctx.storage.transactionSync(() => {
      this.#tables.revisions.compact(this.#meta.compacted, step.toRevision);
      this.#setMeta(this.#metaAfter(step.toRevision, nowMs));
    });
    this.#watchers.closeExpired();
    return true;
  }

  #metaAfter(compacted: number, nowMs: number): Meta {
    const { next } = this.#meta;
    if (next !== null && compacted < next.toRevision) return { compacted, next };
    if (!this.#tables.revisions.hasGarbageAfter(compacted)) return { compacted, next: null };
    return { compacted, next: planCompaction({ compacted, next: null, newest: this.#newest, nowMs }) };
  }

  #setMeta(meta: Meta): void {
    this.#tables.meta.set(meta);
    this.#meta = meta;
  }

  #openFeeds(): ChangeFeed[] {
    const store = parseStoreName(this.ctx.id.name);
    const cursors = this.#tables.subscribers.cursors();
    return SUBSCRIBERS.filter((subscriber) => subscriber.wants(store)).map(
      ({ name, stub }) =>
        new ChangeFeed({
          name,
          store,
          source: this.#log,
          cursor: cursors.get(name) ?? INITIAL_REVISION,
          target: () => {
            const target = stub(this.env, store.cluster);
            if (!target) throw new Error(`no Durable Object for ${name}`);
            return target;
          },
          wakeBy: (atMs) => this.#alarm.ensureBy(atMs),
        }),
    );
  }

  #runFeeds(): void {
    const nowMs = Date.now();
    for (const feed of this.#feeds) void feed.run(nowMs);
  }

  #saveCursors(): void {
    for (const feed of this.#feeds) {
      const cursor = feed.takeUnsavedCursor();
      if (cursor !== null) this.#tables.subscribers.setCursor(feed.name, cursor);
    }
  }
}
