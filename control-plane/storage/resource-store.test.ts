import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../env.ts";
import { openList, openWatch } from "./client.ts";
import { COMPACTION_INTERVAL_MS, COMPACTION_STEP_REVISIONS, MAX_RETAINED_REVISIONS } from "./compaction.ts";
import { type Attributes, MAX_LIST_REPLY_BYTES, MAX_VALUE_BYTES, type WriteOp } from "./interface.ts";

const { STORES } = env as unknown as Env;
const NONE: Attributes = { labels: {}, fields: {} };
const POD = { apiVersion: "v1", kind: "Pod" };

let serial = 0;
const newStore = (resource = "leases") => STORES.getByName(`t${serial++}/coordination.k8s.io/${resource}`);
type Store = ReturnType<typeof newStore>;

const text = (name: string, filler = "") => JSON.stringify({ metadata: { name }, filler });
const create = (key: string, more: Partial<WriteOp & { op: "create" }> = {}): WriteOp => ({
  op: "create",
  key,
  uid: `uid of ${key}`,
  value: text(key),
  attributes: NONE,
  ...more,
});
const update = (key: string, expectRevision: number, more: Partial<WriteOp & { op: "update" }> = {}): WriteOp => ({
  op: "update",
  key,
  expectRevision,
  value: text(`${key} anew`),
  attributes: NONE,
  ...more,
});
const remove = (key: string, expectRevision: number, value?: string): WriteOp => ({
  op: "delete",
  key,
  expectRevision,
  value,
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** Lets the compaction interval pass. */
async function compact(store: Store) {
  vi.setSystemTime(Date.now() + COMPACTION_INTERVAL_MS + 1);
  return await runDurableObjectAlarm(store);
}

const alarmOf = (store: Store) => runInDurableObject(store, (_, { storage }) => storage.getAlarm());
const rowsOf = (store: Store) =>
  runInDurableObject(store, (_, { storage }) => storage.sql.exec("SELECT revision FROM revisions").toArray().length);

async function watchLines(store: Store, request: Partial<Parameters<typeof openWatch>[1]>) {
  const watch = await openWatch(store, { typeMeta: POD, ...request });
  if (!watch.ok) throw new Error(watch.reason);
  const lines: string[] = [];
  const ended = (async () => {
    for await (const frame of watch.frames) lines.push(...frame.trimEnd().split("\n"));
  })();
  const shown = () =>
    lines.map((line) => {
      const { type, object } = JSON.parse(line);
      return `${type} ${object.metadata.name ?? ""} ${object.metadata.resourceVersion}`;
    });
  const seen = (...want: string[]) => vi.waitFor(() => expect(shown()).toEqual(want), { timeout: 2_000, interval: 2 });
  return { ...watch, lines, seen, ended };
}

describe("write", () => {
  it.each<{ name: string; ops: WriteOp[]; want: unknown }>([
    { name: "creates", ops: [create("a/x")], want: { ok: true, revision: 3 } },
    {
      name: "refuses a second object of one key",
      ops: [create("a/x"), create("a/x", { uid: "another" })],
      want: { ok: false, reason: "exists", current: { key: "a/x", revision: 3, value: text("a/x") } },
    },
    {
      name: "takes a create that is sent again for done",
      ops: [create("a/x"), create("a/x")],
      want: { ok: true, revision: 3 },
    },
    { name: "updates what it read", ops: [create("a/x"), update("a/x", 3)], want: { ok: true, revision: 4 } },
    {
      name: "refuses to update what has changed since",
      ops: [create("a/x"), update("a/x", 3), update("a/x", 3)],
      want: { ok: false, reason: "conflict", current: { key: "a/x", revision: 4, value: text("a/x anew") } },
    },
    { name: "cannot update what is not there", ops: [update("a/x", 3)], want: { ok: false, reason: "notFound" } },
    { name: "deletes what it read", ops: [create("a/x"), remove("a/x", 3)], want: { ok: true, revision: 4 } },
    { name: "cannot delete what is not there", ops: [remove("a/x", 3)], want: { ok: false, reason: "notFound" } },
    {
      name: "refuses to delete what has changed since",
      ops: [create("a/x"), update("a/x", 3), remove("a/x", 3)],
      want: { ok: false, reason: "conflict", current: { key: "a/x", revision: 4, value: text("a/x anew") } },
    },
    {
      name: "refuses a claim that another holds",
      ops: [create("a/x", { claims: ["ip/1"] }), create("a/y", { claims: ["ip/2", "ip/1"] })],
      want: { ok: false, reason: "claimed", claim: "ip/1", holder: "a/x" },
    },
    {
      name: "keeps claims on an update that says nothing of them",
      ops: [create("a/x", { claims: ["ip/1"] }), update("a/x", 3), create("a/y", { claims: ["ip/1"] })],
      want: { ok: false, reason: "claimed", claim: "ip/1", holder: "a/x" },
    },
    {
      name: "releases what an update no longer claims",
      ops: [create("a/x", { claims: ["ip/1"] }), update("a/x", 3, { claims: [] }), create("a/y", { claims: ["ip/1"] })],
      want: { ok: true, revision: 5 },
    },
    {
      name: "releases claims with the object",
      ops: [create("a/x", { claims: ["ip/1"] }), remove("a/x", 3), create("a/y", { claims: ["ip/1"] })],
      want: { ok: true, revision: 5 },
    },
    {
      name: "takes a value of the largest size",
      ops: [create("a/x", { value: text("x", "y".repeat(MAX_VALUE_BYTES - text("x").length)) })],
      want: { ok: true, revision: 3 },
    },
    {
      name: "refuses a larger one, counted in bytes",
      ops: [create("a/x", { value: text("x", "é".repeat(MAX_VALUE_BYTES / 2)) })],
      want: { ok: false, reason: "tooLarge" },
    },
  ])("$name", async ({ ops, want }) => {
    const store = newStore();
    const answers = await Promise.all(ops.map((op) => store.write(op)));
    expect(answers.at(-1)).toEqual(want);
  });

  it("lets a refused write of a group undo nothing of the others", async () => {
    const store = newStore();
    const ops = [create("a/1"), create("a/1", { uid: "other" }), create("a/2"), update("a/3", 8), remove("a/1", 3)];
    const answers = await Promise.all(ops.map((op) => store.write(op)));
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, true, false, true]);
    expect(await store.list({})).toMatchObject({ revision: 5, items: [{ key: "a/2", revision: 4 }] });
  });

  it("never goes back with its revision, with everything deleted, compacted and evicted", async () => {
    const store = newStore();
    await store.write(create("a/x"));
    await store.write(remove("a/x", 3));
    await compact(store);
    await evictDurableObject(store);
    expect(await store.currentRevision()).toBe(4);
    expect(await store.write(create("a/x"))).toEqual({ ok: true, revision: 5 });
  });
});

describe("list", () => {
  it("ends a page at the bound of a reply", async () => {
    const store = newStore();
    const filler = "x".repeat(1_400_000);
    for (const name of ["1", "2", "3", "4"]) await store.write(create(`a/${name}`, { value: text(name, filler) }));
    const page = await store.list({});
    if (!page.ok) throw new Error(page.reason);
    expect(page.items.reduce((sum, { value }) => sum + value.length, 0)).toBeLessThanOrEqual(MAX_LIST_REPLY_BYTES);
    expect(page).toMatchObject({ next: "a/2", remaining: 2 });
    expect(await store.list({ after: page.next, revision: page.revision })).toMatchObject({
      items: [{ key: "a/3" }, { key: "a/4" }],
    });
  });

  it("finds one name in all namespaces", async () => {
    const store = newStore();
    for (const key of ["a/x", "a/y", "b/x"]) await store.write(create(key));
    expect(await store.list({ name: "x" })).toMatchObject({ items: [{ key: "a/x" }, { key: "b/x" }] });
    expect(await store.list({ name: "x", namespace: "b" })).toMatchObject({ items: [{ key: "b/x" }] });
  });

  it("keeps a namespace apart from one that begins alike", async () => {
    const store = newStore();
    for (const key of ["a/x", "a-b/x", "a0/x", "ab/x"]) await store.write(create(key));
    expect(await store.list({ namespace: "a" })).toMatchObject({ items: [{ key: "a/x" }] });
    expect(await store.count("a")).toBe(1);
  });

  it("streams a list of one revision while writes go on", async () => {
    const store = newStore();
    const filler = "x".repeat(50_000);
    for (let n = 10; n < 40; n++) await store.write(create(`a/${n}`, { value: text(`${n}`, filler) }));
    const list = await openList(store, { typeMeta: { apiVersion: "v1", kind: "PodList" } });
    if (!list.ok) throw new Error(list.reason);
    const reader = list.body.pipeThrough(new TextDecoderStream()).getReader();
    let body = (await reader.read()).value ?? "";
    for (let n = 10; n < 40; n++) await store.write(n % 2 ? remove(`a/${n}`, n - 8) : update(`a/${n}`, n - 8));
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) body += chunk.value;
    const { kind, apiVersion, metadata, items } = JSON.parse(body);
    expect({ kind, apiVersion, metadata }).toEqual({
      kind: "PodList",
      apiVersion: "v1",
      metadata: { resourceVersion: "32" },
    });
    const names = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect(names).toEqual(Array.from({ length: 30 }, (_, n) => String(n + 10)));
    expect(items[0].metadata.resourceVersion).toBe("3");
  });

  it.each([
    { revision: 99, want: { ok: false, status: 504, reason: "future", newest: 5 } },
    { revision: 3, want: { ok: false, status: 410, reason: "expired", oldest: 5 } },
  ])("refuses to stream a list at revision $revision", async ({ revision, want }) => {
    const store = newStore();
    await store.write(create("a/x"));
    await store.write(update("a/x", 3));
    await store.write(update("a/x", 4));
    await compact(store);
    // The first goes up to the first update; what came after it stays for another interval.
    await compact(store);
    expect(await openList(store, { revision, typeMeta: POD })).toEqual(want);
  });
});

describe("compaction", () => {
  it("has nothing to do, and sets no alarm, while objects are only created", async () => {
    const store = newStore();
    await store.write(create("a/x"));
    expect(await alarmOf(store)).toBeNull();
  });

  it("deletes what was replaced, keeps what is newest, and then lets the store sleep", async () => {
    const store = newStore();
    await store.write(create("a/x"));
    await store.write(create("a/y"));
    await store.write(update("a/x", 3));
    await store.write(remove("a/y", 4));
    await store.write(create("a/z"));
    expect(await rowsOf(store)).toBe(5);
    await compact(store);
    expect(await alarmOf(store)).not.toBeNull();
    await compact(store);
    expect(await rowsOf(store)).toBe(2);
    expect(await alarmOf(store)).toBeNull();
    expect(await store.list({})).toMatchObject({
      items: [
        { key: "a/x", revision: 5 },
        { key: "a/z", revision: 7 },
      ],
    });
  });

  it("keeps a revision for the whole interval", async () => {
    const store = newStore();
    await store.write(create("a/x"));
    await store.write(update("a/x", 3));
    vi.setSystemTime(Date.now() + COMPACTION_INTERVAL_MS - 1);
    await runDurableObjectAlarm(store);
    expect(await store.list({ revision: 3 })).toMatchObject({ items: [{ revision: 3 }] });
    await compact(store);
    expect(await store.list({ revision: 3 })).toEqual({ ok: false, reason: "expired", oldest: 4 });
  });

  it("bounds what is kept however fast the writes are", async () => {
    const store = newStore();
    await store.write(create("a/x"));
    await runInDurableObject(store, (_, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO revisions SELECT i, 'a/x', 2, i - 1, '{"labels":{},"fields":{}}', '{"metadata":{}}' FROM n`,
        MAX_RETAINED_REVISIONS + 3,
      );
      storage.sql.exec("UPDATE objects SET revision = ?", MAX_RETAINED_REVISIONS + 3);
    });
    await evictDurableObject(store);
    await store.write(update("a/x", MAX_RETAINED_REVISIONS + 3));
    expect(await rowsOf(store)).toBe(MAX_RETAINED_REVISIONS + 2 - (COMPACTION_STEP_REVISIONS - 1));
    const oldest = COMPACTION_STEP_REVISIONS + 2;
    expect(await store.list({ revision: oldest - 1 })).toEqual({ ok: false, reason: "expired", oldest });
    expect(await store.list({ revision: oldest })).toMatchObject({
      ok: true,
      items: [{ key: "a/x", revision: oldest }],
    });
  });
});

describe("watch", () => {
  it("ends the initial events with an annotated bookmark", async () => {
    const store = newStore();
    await store.write(create("a/x"));
    const watch = await watchLines(store, { sendInitialEvents: true, bookmarks: true });
    await watch.seen("ADDED a/x 3", "BOOKMARK  3");
    expect(JSON.parse(watch.lines[1]!)).toEqual({
      type: "BOOKMARK",
      object: {
        kind: "Pod",
        apiVersion: "v1",
        metadata: { resourceVersion: "3", annotations: { "k8s.io/initial-events-end": "true" } },
      },
    });
    await store.write(create("a/y"));
    await watch.seen("ADDED a/x 3", "BOOKMARK  3", "ADDED a/y 4");
  });

  it("sends no bookmark to who did not ask for one", async () => {
    const store = newStore();
    await store.write(create("a/x"));
    const watch = await watchLines(store, { sendInitialEvents: true });
    watch.requestBookmark();
    await store.write(create("a/y"));
    await watch.seen("ADDED a/x 3", "ADDED a/y 4");
  });

  it("turns what enters or leaves a selector into ADDED and DELETED", async () => {
    const store = newStore();
    const web: Attributes = { labels: { app: "web" }, fields: {} };
    const watch = await watchLines(store, { revision: 2, labels: [{ key: "app", operator: "=", values: ["web"] }] });
    await store.write(create("a/x"));
    await store.write(update("a/x", 3, { value: text("in"), attributes: web }));
    await store.write(update("a/x", 4, { value: text("still in"), attributes: web }));
    await store.write(update("a/x", 5, { value: text("out") }));
    await store.write(update("a/x", 6, { value: text("in again"), attributes: web }));
    await store.write(remove("a/x", 7, text("final")));
    const want = ["ADDED in 4", "MODIFIED still in 5", "DELETED still in 6", "ADDED in again 7", "DELETED final 8"];
    await watch.seen(...want);
    const replayed = await watchLines(store, { revision: 2, labels: [{ key: "app", operator: "=", values: ["web"] }] });
    await replayed.seen(...want);
  });

  it("watches one name", async () => {
    const store = newStore();
    const watch = await watchLines(store, { revision: 2, name: "x", namespace: "a" });
    for (const key of ["a/y", "b/x", "a/x"]) await store.write(create(key));
    await watch.seen("ADDED a/x 5");
  });

  it("goes on after hibernation, and answers to ping without waking", async () => {
    const store = newStore();
    const watch = await watchLines(store, {});
    await store.write(create("a/x"));
    await evictDurableObject(store);
    await store.write(create("a/y"));
    await watch.seen("ADDED a/x 3", "ADDED a/y 4");
  });

  it("sends bookmarks about each minute while there is traffic, and none when there is not", async () => {
    const store = newStore();
    const watch = await watchLines(store, { bookmarks: true });
    await store.write(create("a/x"));
    vi.setSystemTime(Date.now() + 60_001);
    expect(await runDurableObjectAlarm(store)).toBe(true);
    await watch.seen("ADDED a/x 3", "BOOKMARK  3");
    expect(await runDurableObjectAlarm(store)).toBe(false);
    watch.requestBookmark();
    await watch.seen("ADDED a/x 3", "BOOKMARK  3", "BOOKMARK  3");
  });

  it.each([
    { name: "compacted revision", request: { revision: 3 }, want: { status: 410, reason: "expired", oldest: 4 } },
    { name: "revision to come", request: { revision: 10 }, want: { status: 504, reason: "future", newest: 4 } },
    {
      name: "request over the platform's bound",
      request: { labels: [{ key: "app", operator: "in" as const, values: ["x".repeat(16_000)] }] },
      want: { status: 413, reason: "selectorTooLarge" },
    },
  ])("refuses a $name", async ({ request, want }) => {
    const store = newStore();
    await store.write(create("a/x"));
    await store.write(update("a/x", 3));
    await compact(store);
    expect(await openWatch(store, { ...request, typeMeta: POD })).toEqual({ ok: false, ...want });
  });

  it("holds a slow reader up without holding its events, and lets it catch up", async () => {
    const store = newStore();
    const watch = await openWatch(store, { revision: 2, typeMeta: POD });
    if (!watch.ok) throw new Error(watch.reason);
    const filler = "x".repeat(100_000);
    for (let n = 0; n < 30; n++) await store.write(create(`a/${n}`, { value: text(String(n), filler) }));
    await evictDurableObject(store);
    for (let n = 30; n < 40; n++) await store.write(create(`a/${n}`, { value: text(String(n), filler) }));
    const names: string[] = [];
    for await (const frame of watch.frames) {
      for (const line of frame.trimEnd().split("\n")) names.push(JSON.parse(line).object.metadata.name);
      if (names.length === 40) break;
    }
    expect(names).toEqual(Array.from({ length: 40 }, (_, n) => String(n)));
  });

  it("sends much that exists in pieces, as they are taken", async () => {
    const store = newStore();
    const filler = "x".repeat(100_000);
    for (let n = 10; n < 40; n++) await store.write(create(`a/${n}`, { value: text(String(n), filler) }));
    const watch = await watchLines(store, { bookmarks: true, sendInitialEvents: true });
    await store.write(create("a/late"));
    const initial = Array.from({ length: 30 }, (_, n) => `ADDED ${n + 10} ${n + 3}`);
    await watch.seen(...initial, "BOOKMARK  32", "ADDED a/late 33");
  });

  it("closes a reader whose missing changes were compacted away", async () => {
    const store = newStore();
    const response = await store.fetch(
      `https://store/watch?request=${encodeURIComponent(JSON.stringify({ typeMeta: POD }))}`,
      {
        headers: { Upgrade: "websocket" },
      },
    );
    const socket = response.webSocket!;
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    socket.accept();
    const filler = "x".repeat(600_000);
    await store.write(create("a/x", { value: text("x", filler) }));
    for (let at = 2; at < 7; at++) await store.write(update("a/x", at, { value: text("x", filler) }));
    await compact(store);
    await compact(store);
    expect((await closed).code).toBe(1013);
  });

  it("takes an object of the largest size through", async () => {
    const store = newStore();
    const watch = await watchLines(store, {});
    await store.write(create("a/x", { value: text("x", "é".repeat(MAX_VALUE_BYTES / 2 - 50)) }));
    await watch.seen("ADDED x 3");
  });
});

it("forgets everything when it is destroyed", async () => {
  const store = newStore("things");
  const watch = await watchLines(store, {});
  await store.write(create("a/x", { claims: ["ip/1"] }));
  await store.destroy();
  await watch.ended;
  expect(await store.list({})).toEqual({ ok: true, revision: 2, items: [] });
  expect(await store.write(create("a/y", { claims: ["ip/1"] }))).toEqual({ ok: true, revision: 3 });
});
