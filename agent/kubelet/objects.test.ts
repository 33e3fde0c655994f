import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import { CONFIG_MAPS } from "../../shared/api/refs.ts";
import { forbidden } from "../../shared/api/status.ts";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import { aPod } from "../../test/builders/kubelet.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { openState } from "../state/index.ts";
import type { FeedHandler } from "./feed.ts";
import { createObjects, type Objects } from "./objects.ts";
import { needsRenewal } from "./tokens.ts";

let stateDir: string;
let api: MemoryApi;
let feeds: { selector: string; handler: FeedHandler; signal: AbortSignal }[];
let changed: string[];
let objects: Objects;
let away = false;
let isDiskFull = false;
/** What is being done with the disk: nobody waits for it but a restart. */
let work: Promise<unknown>[] = [];

async function restart(): Promise<void> {
  for (let settled = -1; settled !== work.length; ) {
    settled = work.length;
    await Promise.allSettled(work);
  }
  work = [];
  feeds = [];
  changed = [];
  objects = createObjects({
    api: new Proxy(api, {
      get: (target, key) => {
        if (away && key === "get") return async () => Promise.reject(new Error("tunnel is down"));
        const value = Reflect.get(target, key) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    feed: (_ref, { namespace, fieldSelector }, handler, signal) =>
      feeds.push({ selector: `${namespace} ${fieldSelector}`, handler, signal }),
    state: new Proxy(await openState({ stateDir }), {
      get: (target, key) => {
        const call = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => {
          const fails = isDiskFull && key === "saveObject";
          const done = fails ? Promise.reject(new Error("ENOSPC")) : call.apply(target, args);
          work.push(done);
          return done;
        };
      },
    }),
    clock: new FakeClock(),
    log: () => {},
    onChange: (uid) => changed.push(uid),
    signal: new AbortController().signal,
  });
}

beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), "objects-"));
  api = new MemoryApi();
  away = false;
  isDiskFull = false;
  await restart();
});
afterEach(async () => {
  await restart();
  rmSync(stateDir, { recursive: true });
});

const makeConfigMap = (color: string) =>
  api.create(CONFIG_MAPS, { metadata: { name: "cm", namespace: "default" }, data: { color } });
const stored = () => api.all<KubeObject>(CONFIG_MAPS)[0]!;

describe("createObjects", () => {
  it("reads once, watches from then on, and tells the pods that use it", async () => {
    await makeConfigMap("blue");
    await objects.configMap(aPod(), "cm");
    await objects.configMap(aPod({}, { uid: "u2" }), "cm");
    expect(feeds.map(({ selector }) => selector)).toEqual(["default metadata.name=cm"]);
    feeds[0]!.handler.replace([stored()]);
    expect(changed).toEqual([]);
    feeds[0]!.handler.upsert({
      ...stored(),
      metadata: { ...stored().metadata, resourceVersion: "99" },
      data: { color: "red" },
    });
    expect(changed).toEqual(["u1", "u2"]);
    expect(await objects.configMap(aPod(), "cm")).toMatchObject({ data: { color: "red" } });
    feeds[0]!.handler.remove(stored());
    expect(await objects.configMap(aPod(), "cm")).toBeUndefined();
  });

  it("stops watching what no pod uses any more", async () => {
    await makeConfigMap("blue");
    await objects.configMap(aPod(), "cm");
    await objects.configMap(aPod({}, { uid: "u2" }), "cm");
    objects.forgetPod("u1");
    expect(feeds[0]!.signal.aborted).toBe(false);
    objects.forgetPod("u2");
    expect(feeds[0]!.signal.aborted).toBe(true);
  });

  it("does not watch what is immutable", async () => {
    await makeConfigMap("blue");
    await objects.configMap(aPod(), "cm");
    feeds[0]!.handler.replace([stored()]);
    expect(feeds[0]!.signal.aborted).toBe(false);
    const fixed = { ...stored(), metadata: { ...stored().metadata, resourceVersion: "99" }, immutable: true };
    feeds[0]!.handler.upsert(fixed);
    expect(feeds[0]!.signal.aborted).toBe(true);
    expect(await objects.configMap(aPod({}, { uid: "u2" }), "cm")).toEqual(fixed);
    expect(feeds).toHaveLength(1);
  });

  it("remembers over a restart while the API is away", async () => {
    await makeConfigMap("blue");
    await objects.configMap(aPod(), "cm");
    away = true;
    await restart();
    expect(await objects.configMap(aPod(), "cm")).toMatchObject({ data: { color: "blue" } });
    await expect(objects.configMap(aPod(), "other")).rejects.toThrow("tunnel is down");
  });

  it("brings the disk and the pods up to date when the API is back after a start without it", async () => {
    await makeConfigMap("blue");
    await objects.configMap(aPod(), "cm");
    away = true;
    await restart();
    await objects.configMap(aPod(), "cm");
    const red = { ...stored(), metadata: { ...stored().metadata, resourceVersion: "99" }, data: { color: "red" } };
    feeds[0]!.handler.replace([red]);
    expect(changed).toEqual(["u1"]);
    await restart();
    expect(await objects.configMap(aPod(), "cm")).toEqual(red);
  });

  it("tells a pod that got nothing when the API is back, and remembers what it then gets", async () => {
    away = true;
    await expect(objects.configMap(aPod(), "cm")).rejects.toThrow("tunnel is down");
    await makeConfigMap("blue");
    feeds[0]!.handler.replace([stored()]);
    expect(changed).toEqual(["u1"]);
    await restart();
    expect(await objects.configMap(aPod(), "cm")).toMatchObject({ data: { color: "blue" } });
  });

  it("remembers at the next look what a full disk did not take", async () => {
    await makeConfigMap("blue");
    isDiskFull = true;
    await objects.configMap(aPod(), "cm");
    feeds[0]!.handler.replace([stored()]);
    await objects.configMap(aPod(), "cm");
    await new Promise(setImmediate);
    isDiskFull = false;
    await objects.configMap(aPod(), "cm");
    away = true;
    await restart();
    expect(await objects.configMap(aPod(), "cm")).toMatchObject({ data: { color: "blue" } });
  });

  it("does not let a slow answer take back what the watch has told meanwhile", async () => {
    await makeConfigMap("blue");
    const { promise, resolve } = Promise.withResolvers<KubeObject>();
    api.get = (() => promise) as typeof api.get;
    const reading = objects.configMap(aPod(), "cm");
    const red = { ...stored(), metadata: { ...stored().metadata, resourceVersion: "99" }, data: { color: "red" } };
    feeds[0]!.handler.replace([red]);
    resolve(stored());
    expect(await reading).toEqual(red);
    away = true;
    await restart();
    expect(await objects.configMap(aPod(), "cm")).toEqual(red);
  });

  it("forgets what was deleted: a missing object is not the same as an API that is away", async () => {
    await makeConfigMap("blue");
    await objects.configMap(aPod(), "cm");
    await api.delete(CONFIG_MAPS, { name: "cm", namespace: "default" });
    await restart();
    expect(await objects.configMap(aPod(), "cm")).toBeUndefined();
    away = true;
    await restart();
    await expect(objects.configMap(aPod(), "cm")).rejects.toThrow("tunnel is down");
  });

  it("passes a refusal on", async () => {
    api.get = async () => {
      throw forbidden(CONFIG_MAPS, "cm", "no relationship found between node 'n1' and this object");
    };
    await expect(objects.configMap(aPod(), "cm")).rejects.toThrow("no relationship found");
  });
});

describe("needsRenewal", () => {
  const HOUR_MS = 3_600_000;
  const token = (lifeMs: number) => ({ issuedMs: 0, expirationTimestamp: new Date(lifeMs).toISOString() });
  it.each([
    { name: "before 80 % of its life", lifeMs: HOUR_MS, ageMs: 0.79 * HOUR_MS, want: false },
    { name: "after", lifeMs: HOUR_MS, ageMs: 0.81 * HOUR_MS, want: true },
    { name: "a long one after a day", lifeMs: 8760 * HOUR_MS, ageMs: 25 * HOUR_MS, want: true },
    { name: "a long one before", lifeMs: 8760 * HOUR_MS, ageMs: 23 * HOUR_MS, want: false },
  ])("$name: $want", ({ lifeMs, ageMs, want }) => expect(needsRenewal(token(lifeMs), ageMs)).toBe(want));
});
