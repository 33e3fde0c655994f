import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../env.ts";
import { BATCH_INTERVAL_MS, nextBatch, pauseMs, retryDelayMs } from "./change-feed.ts";
import { COMPACTION_INTERVAL_MS } from "./compaction.ts";
import type { WriteOp } from "./interface.ts";
import type { RevisionRow } from "./revision-table.ts";
import { SUBSCRIBERS } from "./subscribers.ts";
import type { Recorder } from "./testdata/worker.ts";

const { STORES, ...others } = env as unknown as Env;
const { CONTROLLERS, SCHEDULERS } = others as unknown as Record<string, DurableObjectNamespace<Recorder>>;

let serial = 0;
const newCluster = () => `fed${serial++}`;
const create = (key: string): WriteOp => ({
  op: "create",
  key,
  uid: key,
  value: JSON.stringify({ metadata: { name: key } }),
  attributes: { labels: {}, fields: {} },
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** Each batch as "from-to: keys". */
async function fed(recorder: DurableObjectStub<Recorder>): Promise<string[]> {
  const batches = await recorder.batches();
  return batches.map(({ fromRevision, toRevision, changes }) => {
    return `${fromRevision}-${toRevision}: ${changes.map(({ type, key }) => `${type} ${key}`).join(", ")}`;
  });
}

const untilFed = (recorder: DurableObjectStub<Recorder>, ...want: string[]) =>
  vi.waitFor(async () => expect(await fed(recorder)).toEqual(want), { timeout: 2_000, interval: 2 });

/** A batch has failed: the store's alarm is set for the next try, sooner than for saving cursors. */
const untilRetryPlanned = (store: DurableObjectStub, delayMs: number) =>
  vi.waitFor(
    async () => {
      const alarmMs = await alarmOf(store);
      expect(alarmMs).not.toBeNull();
      expect(alarmMs).toBeLessThanOrEqual(Date.now() + delayMs);
    },
    { timeout: 2_000, interval: 2 },
  );

describe("the feed of a store", () => {
  it("brings each commit to all subscribers, named and in order", async () => {
    const cluster = newCluster();
    const store = STORES.getByName(`${cluster}//pods`);
    await store.write(create("a/x"));
    await untilFed(CONTROLLERS!.getByName(cluster), "3-3: ADDED a/x");
    await store.write({ op: "delete", key: "a/x", expectRevision: 3 });
    await untilFed(CONTROLLERS!.getByName(cluster), "3-3: ADDED a/x", "4-4: DELETED a/x");
    await untilFed(SCHEDULERS!.getByName(cluster), "3-3: ADDED a/x", "4-4: DELETED a/x");
    const [first, second] = await CONTROLLERS!.getByName(cluster).batches();
    expect(first).toMatchObject({ cluster, group: "", resource: "pods" });
    expect(second!.changes[0]).toMatchObject({ revision: 4, value: '{"metadata":{"name":"a/x"}}' });
  });

  it("sends what is written shortly after a batch as one", async () => {
    const cluster = newCluster();
    const store = STORES.getByName(`${cluster}//configmaps`);
    await store.write(create("a/x"));
    await untilFed(CONTROLLERS!.getByName(cluster), "3-3: ADDED a/x");
    for (const key of ["a/y", "a/z"]) await store.write(create(key));
    await untilFed(CONTROLLERS!.getByName(cluster), "3-3: ADDED a/x", "4-5: ADDED a/y, ADDED a/z");
  });

  it("does not hold up or undo a write whose subscriber fails, and sends it again by alarm", async () => {
    const cluster = newCluster();
    const recorder = CONTROLLERS!.getByName(cluster);
    await recorder.failNext(2);
    const store = STORES.getByName(`${cluster}//secrets`);
    expect(await store.write(create("a/x"))).toEqual({ ok: true, revision: 3 });
    expect(await store.write(create("a/y"))).toEqual({ ok: true, revision: 4 });
    for (const waitMs of [retryDelayMs(0), retryDelayMs(1)]) {
      await untilRetryPlanned(store, waitMs);
      expect(await fed(recorder)).toEqual([]);
      vi.setSystemTime(Date.now() + waitMs + 1);
      await runDurableObjectAlarm(store);
    }
    await untilFed(recorder, "3-4: ADDED a/x, ADDED a/y");
  });

  it("does not wait for as long as the clock was set back", async () => {
    const cluster = newCluster();
    const recorder = CONTROLLERS!.getByName(cluster);
    await recorder.failNext(1);
    const store = STORES.getByName(`${cluster}//configmaps`);
    await store.write(create("a/x"));
    await vi.waitFor(async () => expect(await recorder.failuresLeft()).toBe(0));
    vi.setSystemTime(Date.now() - 3_600_000);
    await store.write(create("a/y"));
    await untilFed(recorder, "3-4: ADDED a/x, ADDED a/y");
  });

  it("sends after a restart what was not taken in before it", async () => {
    const cluster = newCluster();
    const recorder = CONTROLLERS!.getByName(cluster);
    await recorder.failNext(1);
    const store = STORES.getByName(`${cluster}//configmaps`);
    await store.write(create("a/x"));
    await untilRetryPlanned(store, retryDelayMs(0));
    await evictDurableObject(store);
    expect(await runDurableObjectAlarm(store)).toBe(true);
    await untilFed(recorder, "3-3: ADDED a/x");
  });

  it("saves its cursor once traffic is over, so that a later restart sends nothing again", async () => {
    const cluster = newCluster();
    const recorder = CONTROLLERS!.getByName(cluster);
    const store = STORES.getByName(`${cluster}//configmaps`);
    await store.write(create("a/x"));
    await untilFed(recorder, "3-3: ADDED a/x");
    await runDurableObjectAlarm(store);
    expect(await alarmOf(store)).toBeNull();
    await evictDurableObject(store);
    await store.write(create("a/y"));
    await untilFed(recorder, "3-3: ADDED a/x", "4-4: ADDED a/y");
  });

  it("shows a gap to a subscriber whose missing changes were compacted away", async () => {
    const cluster = newCluster();
    const recorder = CONTROLLERS!.getByName(cluster);
    await recorder.failNext(1);
    const store = STORES.getByName(`${cluster}//configmaps`);
    await store.write(create("a/x"));
    await store.write({ op: "delete", key: "a/x", expectRevision: 3 });
    await store.write(create("a/y"));
    await untilRetryPlanned(store, retryDelayMs(0));
    vi.setSystemTime(Date.now() + COMPACTION_INTERVAL_MS + 1);
    await runDurableObjectAlarm(store);
    await untilFed(recorder, "5-5: ADDED a/y");
  });
});

const alarmOf = (store: DurableObjectStub) => runInDurableObject(store, (_, { storage }) => storage.getAlarm());

describe("nextBatch", () => {
  const rows = (count: number, chars: number): RevisionRow[] =>
    Array.from({ length: count }, (_, n) => ({
      revision: n + 2,
      key: `k${n}`,
      type: "ADDED",
      previous: null,
      attributes: { labels: {}, fields: {} },
      value: "x".repeat(chars),
    }));
  const store = { cluster: "c", group: "", resource: "pods" };
  const source = (log: RevisionRow[], compacted = 1) => ({
    newest: () => log.length + 1,
    compacted: () => compacted,
    after: (revision: number) => log.filter((row) => row.revision > revision),
  });

  it.each([
    { name: "takes all that is there", log: rows(3, 10), cursor: 1, want: { from: 2, to: 4, count: 3 } },
    { name: "goes on after the cursor", log: rows(3, 10), cursor: 3, want: { from: 4, to: 4, count: 1 } },
    { name: "takes so many changes at most", log: rows(1200, 10), cursor: 1, want: { from: 2, to: 501, count: 500 } },
    { name: "takes so many characters at most", log: rows(4, 600_000), cursor: 1, want: { from: 2, to: 3, count: 2 } },
  ])("$name", ({ log, cursor, want }) => {
    const batch = nextBatch(store, cursor, source(log));
    expect({ from: batch.fromRevision, to: batch.toRevision, count: batch.changes.length }).toEqual(want);
  });
});

it.each([
  { failures: 0, want: 1_000 },
  { failures: 3, want: 8_000 },
  { failures: 30, want: 60_000 },
])("waits $want ms after $failures failures before", ({ failures, want }) => expect(retryDelayMs(failures)).toBe(want));

describe("subscribers", () => {
  it.each([
    { store: "/pods", want: ["controllers", "scheduler"] },
    { store: "/nodes", want: ["controllers", "scheduler"] },
    { store: "apps/replicasets", want: ["controllers", "scheduler"] },
    { store: "apps/deployments", want: ["controllers"] },
    { store: "example.com/widgets", want: ["controllers"] },
    { store: "/events", want: [] },
    { store: "events.k8s.io/events", want: [] },
    { store: "coordination.k8s.io/leases", want: [] },
    { store: "storage.k8s.io/storageclasses", want: ["controllers", "scheduler"] },
  ])("of $store are $want", ({ store, want }) => {
    const [group, resource] = store.split("/") as [string, string];
    const names = SUBSCRIBERS.filter(({ wants }) => wants({ cluster: "c", group, resource })).map(({ name }) => name);
    expect(names).toEqual(want);
  });
});

describe("pauseMs", () => {
  it.each([
    { name: "none after a quiet time", sinceMs: 60_000, want: 0 },
    { name: "what is left of the interval", sinceMs: 4, want: BATCH_INTERVAL_MS - 4 },
    { name: "the interval at most, whatever the clock does", sinceMs: -60_000, want: BATCH_INTERVAL_MS },
  ])("$name", ({ sinceMs, want }) => expect(pauseMs(1_000_000, 1_000_000 + sinceMs)).toBe(want));
});
