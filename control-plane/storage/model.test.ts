import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { rolls } from "../../test/builders/effort.ts";
import type { Env } from "../env.ts";
import { type OpenWatch, openList, openWatch } from "./client.ts";
import { COMPACTION_INTERVAL_MS } from "./compaction.ts";
import type { Key, ListResult, Requirement, Selection, StoredValue, WriteOp } from "./interface.ts";
import { MetaTable } from "./meta-table.ts";
import { type ModelEvent, ModelStore } from "./testdata/model.ts";
import { Random } from "./testdata/random.ts";

const { STORES } = env as unknown as Env;
const TYPE_META = { apiVersion: "v1", kind: "Pod" };
/** A life of so many steps starts from nothing; more lives see more beginnings, longer ones more compactions. */
const STEPS = 1_000;
const { seed: FIRST_SEED, times: LIVES } = rolls(inject("effort"), { seed: 1, times: 4, nightlyTimes: 100 });
const KEYS = ["a", "b", "c"].flatMap((namespace) => [1, 2, 3, 4, 5, 6].map((n) => `${namespace}/pod-${n}`));

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const seeds = Array.from({ length: LIVES }, (_, n) => FIRST_SEED + n);

it.each(seeds)("agrees with the model, seed %i", async (seed) => {
  const run = new Run(seed);
  for (let step = 0; step < STEPS; step++) await run.step();
  await run.settle();
  run.end();
});

/** One random life of a store beside its model. */
class Run {
  readonly #random: Random;
  readonly #model = new ModelStore();
  readonly #store: ReturnType<Env["STORES"]["getByName"]>;
  #watchers: ModelWatcher[] = [];
  #serial = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#store = STORES.getByName(`model-${seed}//pods`);
  }

  async step(): Promise<void> {
    const dice = this.#random.below(1000);
    if (dice < 500) await this.#write(this.#random.chance(0.2) ? 1 + this.#random.below(8) : 1);
    else if (dice < 580) await this.#patchAtOnce();
    else if (dice < 660) await this.#list();
    else if (dice < 690) await this.#streamedList();
    else if (dice < 740) await this.#pages();
    else if (dice < 790) await this.#get();
    else if (dice < 890) await this.#watch();
    else if (dice < 930) await this.#resume();
    else if (dice < 970) this.#endWatch();
    else if (dice < 985) await this.#compact();
    else await this.#restart();
    if (this.#random.chance(0.02)) await this.settle();
  }

  /** Waits until every watcher has what the model says, and nothing else. */
  async settle(): Promise<void> {
    await Promise.all(this.#watchers.map((watcher) => watcher.settle(this.#model)));
  }

  end(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  async #write(count: number): Promise<void> {
    const ops = Array.from({ length: count }, () => this.#op());
    const got = await Promise.all(ops.map((op) => this.#store.write(op)));
    const want = ops.map((op) => this.#model.write(op));
    this.#model.planCompaction(await this.#plannedCompaction());
    expect(got).toEqual(want);
    expect(await this.#store.currentRevision()).toBe(this.#model.revision);
  }

  /**
   * Several read, change and write the same few objects at once, and try again on a conflict, as the API server does
   * for a patch. Whatever the order turns out to be, nobody's change is lost.
   */
  async #patchAtOnce(): Promise<void> {
    const keys = [this.#random.pick(KEYS), this.#random.pick(KEYS)];
    const patches = Array.from({ length: 2 + this.#random.below(4) }, (_, n) => ({
      key: this.#random.pick(keys),
      mark: `${this.#serial++}-${n}`,
    }));
    const done = await Promise.all(patches.map((patch) => this.#patch(patch)));
    const written = done.filter((write) => write !== undefined).sort((a, b) => a.revision - b.revision);
    for (const { op, revision } of written) expect(this.#model.write(op)).toEqual({ ok: true, revision });
    this.#model.planCompaction(await this.#plannedCompaction());
    for (const { key, mark } of patches) {
      const object = this.#model.newest.get(key);
      if (object) expect(JSON.parse(object.value).metadata.marks).toContain(mark);
    }
  }

  /** @returns the write that succeeded; undefined when there is nothing to patch */
  async #patch({ key, mark }: { key: Key; mark: string }): Promise<{ op: WriteOp; revision: number } | undefined> {
    let current: StoredValue | null = await this.#store.get(key);
    for (;;) {
      if (!current) return undefined;
      const { metadata } = JSON.parse(current.value) as { metadata: { marks?: string[] } };
      const value = JSON.stringify({ metadata: { ...metadata, marks: [...(metadata.marks ?? []), mark].slice(-20) } });
      const labels: Record<string, string> = { app: "patched" };
      const op: WriteOp = {
        op: "update",
        key,
        expectRevision: current.revision,
        value,
        attributes: { labels, fields: {} },
      };
      const result = await this.#store.write(op);
      if (result.ok) return { op, revision: result.revision };
      expect(result.reason).toBe("conflict");
      current = result.reason === "conflict" ? result.current : null;
    }
  }

  #plannedCompaction(): Promise<number | null> {
    return runInDurableObject(
      this.#store,
      (_, { storage }) => new MetaTable(storage.sql).get().next?.toRevision ?? null,
    );
  }

  #op(): WriteOp {
    const key = this.#random.pick(KEYS);
    const current = this.#model.newest.get(key);
    const isStale = this.#random.chance(0.1);
    const expectRevision = isStale ? this.#random.below(this.#model.revision + 2) : (current?.revision ?? 1);
    if (this.#random.chance(current ? 0.1 : 0.9)) {
      return { op: "create", key, uid: `uid-${this.#serial}`, ...this.#content(key) };
    }
    if (this.#random.chance(0.3)) return { op: "delete", key, expectRevision };
    return { op: "update", key, expectRevision, ...this.#content(key) };
  }

  #content(key: Key) {
    const [namespace, name] = key.split("/");
    const value = JSON.stringify({
      metadata: { name, namespace, n: this.#serial++, filler: "é".repeat(this.#random.below(60)) },
    });
    const labels: Record<string, string> = { app: this.#random.pick(["web", "db"]) };
    if (this.#random.chance(0.5)) labels["tier"] = this.#random.pick(["1", "2", "30", "x", ""]);
    const fields: Record<string, string> = this.#random.chance(0.5) ? { "spec.nodeName": "n1" } : {};
    const claims = this.#random.chance(0.3) ? [`ip/${this.#random.below(12)}`] : undefined;
    return { value, attributes: { labels, fields }, claims };
  }

  #selection(): Selection {
    const selection: Selection = {};
    if (this.#random.chance(0.5)) selection.namespace = this.#random.pick(["a", "b", "c", "none"]);
    if (this.#random.chance(0.2)) selection.name = `pod-${1 + this.#random.below(7)}`;
    if (this.#random.chance(0.4)) {
      selection.labels = Array.from({ length: 1 + this.#random.below(2) }, () => this.#labelRequirement());
    }
    if (this.#random.chance(0.3)) {
      const operator = this.#random.pick(["=", "!="] as const);
      const [key, values] = this.#random.pick<[string, string[]]>([
        ["spec.nodeName", ["n1", ""]],
        ["metadata.name", ["pod-1", "pod-2"]],
        ["metadata.namespace", ["a", "b"]],
      ]);
      selection.fields = [{ key, operator, values: [this.#random.pick(values)] }];
    }
    return selection;
  }

  #labelRequirement(): Requirement {
    const operator = this.#random.pick(["=", "!=", "in", "notin", "exists", "!", "gt", "lt"] as const);
    if (operator === "gt" || operator === "lt") return { key: "tier", operator, values: ["1"] };
    if (operator === "exists" || operator === "!")
      return { key: this.#random.pick(["tier", "app"]), operator, values: [] };
    const [key, values] = this.#random.pick<[string, string[]]>([
      ["app", ["db", "patched", "web"]],
      ["tier", ["", "1", "2"]],
    ]);
    const first = this.#random.below(values.length);
    const isSet = operator === "in" || operator === "notin";
    return { key, operator, values: isSet ? values.slice(first) : [values[first]!] };
  }

  #revision(): number | undefined {
    if (this.#random.chance(0.4)) return undefined;
    const span = this.#model.revision - this.#model.compacted;
    return Math.max(1, this.#model.compacted - 3 + this.#random.below(span + 6));
  }

  async #list(): Promise<void> {
    const selection = this.#selection();
    const revision = this.#revision();
    expect(await this.#store.list({ ...selection, revision })).toEqual(this.#model.list(selection, revision));
  }

  /** The List that a client gets, rendered in the store. */
  async #streamedList(): Promise<void> {
    const selection = this.#selection();
    const revision = this.#revision();
    const want = this.#model.list(selection, revision);
    const list = await openList(this.#store, {
      ...selection,
      revision,
      typeMeta: { apiVersion: "v1", kind: "PodList" },
    });
    if (!list.ok) {
      expect(want).toMatchObject({ ok: false, reason: list.reason });
      return;
    }
    const { kind, metadata, items } = (await new Response(list.body).json()) as {
      kind: string;
      metadata: object;
      items: { metadata: { resourceVersion: string; namespace: string; name: string } }[];
    };
    const got = items.map(({ metadata: { resourceVersion, ...rest } }) => ({
      key: `${rest.namespace}/${rest.name}`,
      revision: Number(resourceVersion),
      value: JSON.stringify({ metadata: rest }),
    }));
    expect({
      ok: true,
      revision: Number((metadata as { resourceVersion: string }).resourceVersion),
      items: got,
    }).toEqual(want);
    expect(kind).toBe("PodList");
  }

  /** Pages at one revision, with writes in between and at the same time. */
  async #pages(): Promise<void> {
    const selection = this.#selection();
    const revision = this.#revision();
    const want = this.#model.list(selection, revision);
    const items: StoredValue[] = [];
    let page: ListResult = await this.#store.list({ ...selection, revision, limit: 1 + this.#random.below(3) });
    for (;;) {
      if (!page.ok) {
        expect(page).toEqual(want);
        return;
      }
      items.push(...page.items);
      if (page.next === undefined) break;
      if (page.remaining !== undefined && want.ok) expect(page.remaining).toBe(want.items.length - items.length);
      await this.#write(1);
      const limit = 1 + this.#random.below(5);
      const next = { ...selection, revision: page.revision, after: page.next, limit };
      const [, listed] = await Promise.all([this.#write(this.#random.below(3)), this.#store.list(next)]);
      page = listed;
    }
    expect({ ok: true, revision: page.revision, items }).toEqual(want);
  }

  async #get(): Promise<void> {
    const key = this.#random.pick(KEYS);
    const want = this.#model.newest.get(key);
    expect(await this.#store.get(key)).toEqual(want ? { key, revision: want.revision, value: want.value } : null);
    const inNamespace = [...this.#model.newest.keys()].filter((other) => other.startsWith("a/")).length;
    expect(await this.#store.count("a")).toBe(inNamespace);
    expect(await this.#store.count()).toBe(this.#model.newest.size);
  }

  async #watch(): Promise<void> {
    if (this.#watchers.length >= 10) return;
    const selection = this.#selection();
    const revision = this.#revision();
    const sendInitialEvents = this.#random.chance(0.2);
    const request = {
      ...selection,
      revision,
      sendInitialEvents,
      bookmarks: this.#random.chance(0.3),
      typeMeta: TYPE_META,
    };
    const watch = await openWatch(this.#store, request);
    if (revision !== undefined && revision > this.#model.revision) {
      expect(watch).toMatchObject({ ok: false, status: 504, reason: "future" });
    } else if (revision !== undefined && revision < this.#model.compacted && !sendInitialEvents) {
      expect(watch).toMatchObject({ ok: false, status: 410, reason: "expired" });
    } else {
      if (!watch.ok) throw new Error(`watch refused: ${watch.reason}`);
      const isInitial = revision === undefined || sendInitialEvents;
      this.#watchers.push(new ModelWatcher(watch, selection, isInitial ? undefined : revision, this.#model));
    }
  }

  /** A watcher loses its connection at any moment, and goes on after the last event that came through. */
  async #resume(): Promise<void> {
    if (this.#watchers.length === 0) return;
    const [watcher] = this.#watchers.splice(this.#random.below(this.#watchers.length), 1);
    watcher!.close();
    const revision = watcher!.lastSeen();
    const resumed = await openWatch(this.#store, { ...watcher!.selection, revision, typeMeta: TYPE_META });
    if (revision < this.#model.compacted) expect(resumed).toMatchObject({ ok: false, status: 410, reason: "expired" });
    else if (!resumed.ok) throw new Error(`resumed watch refused: ${resumed.reason}`);
    else this.#watchers.push(new ModelWatcher(resumed, watcher!.selection, revision, this.#model));
  }

  #endWatch(): void {
    if (this.#watchers.length === 0) return;
    const [watcher] = this.#watchers.splice(this.#random.below(this.#watchers.length), 1);
    watcher!.close();
  }

  async #compact(): Promise<void> {
    vi.setSystemTime(Date.now() + COMPACTION_INTERVAL_MS + 1);
    await runDurableObjectAlarm(this.#store);
    this.#model.compact();
  }

  /** Memory goes; hibernating watchers live on, others resume where they were. */
  async #restart(): Promise<void> {
    await this.#store.currentRevision(); // only what is running can be evicted
    if (this.#random.chance(0.5)) {
      await evictDurableObject(this.#store);
      return;
    }
    await this.settle();
    await evictDurableObject(this.#store, { webSockets: "close" });
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const { selection, seen, watch } of watchers) {
      watch.close();
      if (seen < this.#model.compacted) continue;
      const resumed = await openWatch(this.#store, { ...selection, revision: seen, typeMeta: TYPE_META });
      if (!resumed.ok) throw new Error(`resumed watch refused: ${resumed.reason}`);
      this.#watchers.push(new ModelWatcher(resumed, selection, seen, this.#model));
    }
  }
}

/** An open watch and what the model says that it must have brought. */
class ModelWatcher {
  readonly watch: OpenWatch;
  readonly selection: Selection;
  /** The last revision that the watcher knows it has seen. */
  seen: number;
  readonly #initial: ModelEvent[];
  #from: number;
  #got: ModelEvent[] = [];

  constructor(watch: OpenWatch, selection: Selection, revision: number | undefined, model: ModelStore) {
    this.watch = watch;
    this.selection = selection;
    this.#from = this.seen = revision ?? model.revision;
    const existing = revision === undefined ? model.list(selection) : undefined;
    this.#initial = existing?.ok ? existing.items.map((item) => ({ type: "ADDED", ...item })) : [];
    void this.#read();
  }

  async settle(model: ModelStore): Promise<void> {
    const want = [...this.#initial.splice(0), ...model.eventsAfter(this.selection, this.#from)];
    await vi.waitFor(() => expect(this.#got.length).toBeGreaterThanOrEqual(want.length), {
      timeout: 2_000,
      interval: 2,
    });
    expect(this.#got.splice(0)).toEqual(want);
    this.#from = this.seen = model.revision;
  }

  /** Up to where it has seen everything: its last event, or where it began. Initial events come in no order of theirs. */
  lastSeen(): number {
    const isComplete = this.#initial.length === 0;
    return isComplete ? (this.#got.at(-1)?.revision ?? this.seen) : this.seen;
  }

  close(): void {
    this.watch.close();
  }

  async #read(): Promise<void> {
    for await (const frame of this.watch.frames) {
      for (const line of frame.trimEnd().split("\n")) {
        const { type, object } = JSON.parse(line);
        if (type === "BOOKMARK") continue;
        const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
        const { resourceVersion, ...metadata } = rest.metadata;
        const value = JSON.stringify({ metadata });
        const key = `${metadata.namespace}/${metadata.name}`;
        this.#got.push({ type, key, revision: Number(resourceVersion), value });
      }
    }
  }
}
