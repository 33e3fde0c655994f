import { renderStored } from "../../shared/api/stored-object.ts";
import { CommittedChange, renderBookmark, renderEvent } from "./change.ts";
import { Frames } from "./frames.ts";
import type { Key, WatchRequest } from "./interface.ts";
import type { RevisionRow, StateRow } from "./revision-table.ts";
import type { Snapshot } from "./snapshot.ts";
import { type WatchGroup, WatchGroups } from "./watch-groups.ts";

/** The platform allows 32,768 sockets an object. */
const MAX_WATCHERS = 20_000;
/** The platform keeps at most 16 KiB with a socket. */
const MAX_ATTACHMENT_BYTES = 16_000;
/** What may be on its way to one watcher, unacknowledged; past it the watcher reads from the log at its own pace. */
export const MAX_UNACKNOWLEDGED_CHARS = 1024 * 1024;
/** Where a watcher is that does not get changes live: in a snapshot after a key, or in the log after a revision. */
type Position = { snapshot: number; after?: Key } | { log: number };

/** What outlives the object's memory, kept with the socket. */
interface Attachment {
  request: WatchRequest;
  /** Null for a watcher that gets changes live. */
  position: Position | null;
}

interface Watcher extends Attachment {
  socket: WebSocket;
  unacknowledged: number;
}

/** The log, as far as watchers read it. */
export interface WatchSource {
  newest(): number;
  compacted(): number;
  snapshot(revision: number): Snapshot;
  after(revision: number): Iterable<RevisionRow>;
  state(revision: number): StateRow | null;
}

/**
 * The watchers of a store: each a hibernatable WebSocket, which costs nothing while nothing happens. A watcher is
 * either live, and gets the frames of each commit, or behind (at first, and when it reads too slowly), and then gets
 * as much from snapshot and log as it acknowledges. Nothing is queued for it here.
 */
export class WatchHub {
  readonly #context: DurableObjectState;
  readonly #source: WatchSource;
  readonly #watchers = new Map<WebSocket, Watcher>();
  readonly #live = new WatchGroups<Watcher>();

  constructor(context: DurableObjectState, source: WatchSource) {
    this.#context = context;
    this.#source = source;
    for (const socket of context.getWebSockets()) this.#add(socket, socket.deserializeAttachment() as Attachment);
  }

  /** Whether anybody wants bookmarks. */
  get wantsBookmarks(): boolean {
    for (const { request } of this.#live.groups()) if (request.bookmarks) return true;
    return false;
  }

  /**
   * Takes in a watcher and sends what it has to get first; from then on it misses nothing and gets nothing twice.
   * @returns 101 with the socket; 410 if the revision is compacted, 504 if it is not yet there, 413 for a request
   *   over the platform's bound, 429 for too many watchers
   */
  attach(request: WatchRequest): Response {
    const newest = this.#source.newest();
    const oldest = this.#source.compacted();
    const { revision } = request;
    if (revision !== undefined && revision > newest) return refuse(504, { reason: "future", newest });
    const fromSnapshot = revision === undefined || request.sendInitialEvents === true;
    if (!fromSnapshot && revision < oldest) return refuse(410, { reason: "expired", oldest });
    if (this.#watchers.size >= MAX_WATCHERS) return refuse(429, { reason: "tooManyWatchers" });
    const attachment: Attachment = { request, position: fromSnapshot ? { snapshot: newest } : { log: revision } };
    if (new TextEncoder().encode(JSON.stringify(attachment)).length > MAX_ATTACHMENT_BYTES) {
      return refuse(413, { reason: "selectorTooLarge" });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#context.acceptWebSocket(server);
    const watcher = this.#add(server, attachment);
    save(watcher);
    this.#advance(watcher);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Hands a commit to all who are live. */
  publish(rows: RevisionRow[]): void {
    if (this.#live.isEmpty) return;
    const framesOf = new Map<WatchGroup<Watcher>, Frames>();
    for (const row of rows) {
      const change = new CommittedChange(row, (revision) => this.#source.state(revision));
      for (const group of this.#live.concernedBy(change)) {
        const frames = framesOf.get(group) ?? new Frames();
        framesOf.set(group, frames);
        frames.add(change.lineFor(group.request, group.request.typeMeta));
      }
    }
    for (const [{ members }, frames] of framesOf) {
      const texts = frames.finish();
      if (texts.length > 0) for (const watcher of [...members]) this.#sendLive(watcher, texts);
    }
  }

  /** Tells all who asked for it, and have everything, how far they are. */
  sendBookmarks(): void {
    for (const { request, members } of [...this.#live.groups()]) this.#sendBookmark(request, [...members]);
  }

  /**
   * What a reader says: a number of characters that it has taken in since it last said so, or `bookmark` to get one
   * now. Anything else closes the socket.
   */
  receive(socket: WebSocket, message: string): void {
    const watcher = this.#watchers.get(socket);
    if (!watcher) return;
    if (message === "bookmark") {
      if (watcher.position === null) this.#sendBookmark(watcher.request, [watcher]);
      return;
    }
    if (!/^\d{1,9}$/.test(message)) {
      this.#close(watcher, 1008, "not an acknowledgement");
      return;
    }
    watcher.unacknowledged = Math.max(0, watcher.unacknowledged - Number(message));
    if (watcher.position !== null && watcher.unacknowledged <= MAX_UNACKNOWLEDGED_CHARS / 2) this.#advance(watcher);
  }

  /** The other side is gone. */
  remove(socket: WebSocket): void {
    const watcher = this.#watchers.get(socket);
    if (watcher) this.#forget(watcher);
  }

  /** Lets go of those who are so far behind that the log no longer has what they miss. */
  closeExpired(): void {
    for (const watcher of this.#watchers.values()) {
      if (watcher.position !== null && revisionOf(watcher.position) < this.#source.compacted())
        this.#closeTooSlow(watcher);
    }
  }

  /** Ends every watch. */
  closeAll(code: number, reason: string): void {
    for (const watcher of [...this.#watchers.values()]) this.#close(watcher, code, reason);
  }

  #add(socket: WebSocket, { request, position }: Attachment): Watcher {
    const watcher: Watcher = { socket, request, position, unacknowledged: 0 };
    this.#watchers.set(socket, watcher);
    if (position === null) this.#live.join(request, watcher);
    return watcher;
  }

  #sendBookmark(request: WatchRequest, watchers: Watcher[]): void {
    if (!request.bookmarks) return;
    const text = renderBookmark(this.#source.newest(), request);
    for (const watcher of watchers) this.#sendLive(watcher, [text]);
  }

  #sendLive(watcher: Watcher, texts: string[]): void {
    for (const text of texts) if (!this.#send(watcher, text)) return;
    if (watcher.unacknowledged <= MAX_UNACKNOWLEDGED_CHARS) return;
    this.#live.leave(watcher.request, watcher);
    watcher.position = { log: this.#source.newest() };
    save(watcher);
  }

  /** Sends from snapshot and log until the watcher has all, and is live, or has enough for now. */
  #advance(watcher: Watcher): void {
    const before = watcher.position;
    while (watcher.position !== null && watcher.unacknowledged < MAX_UNACKNOWLEDGED_CHARS) {
      if (revisionOf(watcher.position) < this.#source.compacted()) {
        this.#closeTooSlow(watcher);
        return;
      }
      if ("snapshot" in watcher.position) this.#advanceInSnapshot(watcher, watcher.position);
      else this.#advanceInLog(watcher, watcher.position);
      if (!this.#watchers.has(watcher.socket)) return;
    }
    if (watcher.position === null) this.#live.join(watcher.request, watcher);
    if (watcher.position !== before) save(watcher);
  }

  #advanceInSnapshot(watcher: Watcher, { snapshot, after }: { snapshot: number; after?: Key }): void {
    const { request } = watcher;
    const frames = new Frames();
    for (const { key, revision, value } of this.#source.snapshot(snapshot).select(request, after)) {
      frames.add(renderEvent("ADDED", renderStored(value, revision, request.typeMeta)));
      if (watcher.unacknowledged + frames.chars < MAX_UNACKNOWLEDGED_CHARS) continue;
      watcher.position = { snapshot, after: key };
      for (const text of frames.finish()) this.#send(watcher, text);
      return;
    }
    if (request.sendInitialEvents && request.bookmarks) frames.add(renderBookmark(snapshot, request, true));
    watcher.position = { log: snapshot };
    for (const text of frames.finish()) this.#send(watcher, text);
  }

  #advanceInLog(watcher: Watcher, { log }: { log: number }): void {
    const { request } = watcher;
    const frames = new Frames();
    watcher.position = null;
    for (const row of log < this.#source.newest() ? this.#source.after(log) : []) {
      const change = new CommittedChange(row, (revision) => this.#source.state(revision));
      frames.add(change.lineFor(request, request.typeMeta));
      if (watcher.unacknowledged + frames.chars < MAX_UNACKNOWLEDGED_CHARS) continue;
      watcher.position = { log: row.revision };
      break;
    }
    for (const text of frames.finish()) this.#send(watcher, text);
  }

  /** @returns false if the socket is gone */
  #send(watcher: Watcher, text: string): boolean {
    try {
      watcher.socket.send(text);
    } catch {
      // It was closed by the other side a moment ago; its close event is on the way, or lost with the connection.
      this.#forget(watcher);
      return false;
    }
    watcher.unacknowledged += text.length;
    return true;
  }

  #closeTooSlow(watcher: Watcher): void {
    this.#close(watcher, 1013, "too slow: the changes since were compacted");
  }

  #close(watcher: Watcher, code: number, reason: string): void {
    this.#forget(watcher);
    try {
      watcher.socket.close(code, reason);
    } catch {
      // Closed already, which is all we want.
    }
  }

  #forget(watcher: Watcher): void {
    this.#watchers.delete(watcher.socket);
    this.#live.leave(watcher.request, watcher);
  }
}

const revisionOf = (position: Position) => ("snapshot" in position ? position.snapshot : position.log);

function save({ socket, request, position }: Watcher): void {
  socket.serializeAttachment({ request, position } satisfies Attachment);
}

const refuse = (status: number, body: object) => Response.json({ ok: false, ...body }, { status });
