import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CLUSTER_ROLES, CONFIG_MAPS, EVENTS, SECRETS } from "../../../shared/api/refs.ts";
import type { ClusterRole, ConfigMap } from "../../../shared/api/types.ts";
import { MemoryApi } from "../../../test/builders/memory-api.ts";
import { runControllers } from "../../../test/builders/run-controllers.ts";
import type { Notes } from "../../runtime/index.ts";
import { garbageCollector } from "./index.ts";

let api: MemoryApi;
let notes: Notes;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  const kept = new Map<string, unknown>();
  notes = {
    get: <T>(key: string) => kept.get(key) as T | undefined,
    put: (key, value) => void kept.set(key, value),
    delete: (key) => void kept.delete(key),
    list: <T>(prefix: string) => [...kept].filter(([key]) => key.startsWith(prefix)) as [string, T][],
  };
  runControllers(api, [garbageCollector], notes);
});

afterEach(() => vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(100);

async function create(name: string, owners: string[] = [], more: { block?: boolean; finalizers?: string[] } = {}) {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: owner,
    uid: api.find(CONFIG_MAPS, `default/${owner}`)?.metadata.uid ?? `${owner}-never-was`,
    blockOwnerDeletion: more.block,
  }));
  const metadata = { name, namespace: "default", ownerReferences, finalizers: more.finalizers };
  await api.create<ConfigMap>(CONFIG_MAPS, { metadata });
  await settle();
}

async function remove(name: string, propagationPolicy: "Foreground" | "Background" | "Orphan" = "Background") {
  await api.delete(CONFIG_MAPS, { name, namespace: "default" }, { propagationPolicy });
  await settle();
}

const names = () => api.all(CONFIG_MAPS).map(({ metadata }) => metadata.name);
const find = (name: string) => api.find(CONFIG_MAPS, `default/${name}`);

describe("the garbage collector", () => {
  it("follows a chain of owners", async () => {
    await create("a");
    await create("b", ["a"]);
    await create("c", ["b"]);
    await remove("a");
    expect(names()).toEqual([]);
  });

  it("collects what names an owner that never was, or another one of its name", async () => {
    await create("b", ["never"]);
    expect(names()).toEqual([]);
  });

  it("believes nobody who names the right uid with a wrong kind", async () => {
    await create("a");
    const [uid, namespace] = [find("a")!.metadata.uid!, "default"];
    const naming = (name: string, apiVersion: string, kind: string) =>
      api.create<ConfigMap>(CONFIG_MAPS, {
        metadata: { name, namespace, ownerReferences: [{ apiVersion, kind, name: "a", uid }] },
      });
    await naming("wrong", "v1", "Secret");
    await settle();
    await naming("unknown", "v1", "Nothing");
    await naming("right", "v1", "ConfigMap");
    await settle();
    expect(names()).toEqual(["a", "unknown", "right"]);
  });

  it("collects what names an owner in another namespace, and says so", async () => {
    await create("a");
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: find("a")!.metadata.uid! }];
    await api.create<ConfigMap>(CONFIG_MAPS, { metadata: { name: "b", namespace: "other", ownerReferences } });
    await settle();
    expect(names()).toEqual(["a"]);
    expect(api.all(EVENTS)).toMatchObject([
      {
        reason: "OwnerRefInvalidNamespace",
        involvedObject: { kind: "ConfigMap", namespace: "other", name: "b" },
        message: `ownerRef [v1/ConfigMap, namespace: other, name: a, uid: ${ownerReferences[0]!.uid}] does not exist in namespace "other"`,
      },
    ]);
  });

  it("keeps what belongs to no namespace and names an owner in one, and says so", async () => {
    await create("a");
    await create("b", ["a"]);
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: find("a")!.metadata.uid! }];
    await api.create<ClusterRole>(CLUSTER_ROLES, { metadata: { name: "r", ownerReferences }, rules: [] });
    await settle();
    expect(api.find(CLUSTER_ROLES, "r")).toBeDefined();
    expect(api.all(EVENTS)).toMatchObject([{ reason: "OwnerRefInvalidNamespace", metadata: { namespace: "default" } }]);
    await remove("a");
    expect(api.find(CLUSTER_ROLES, "r")).toBeDefined();
  });

  it("keeps what has a second living owner, and takes out the dead reference", async () => {
    await create("a");
    await create("z");
    await create("b", ["a", "z"]);
    await remove("a");
    expect(find("b")?.metadata.ownerReferences).toMatchObject([{ name: "z" }]);
  });

  it("sets dependents free when they are to stay", async () => {
    await create("a");
    await create("b", ["a"]);
    await remove("a", "Orphan");
    expect(names()).toEqual(["b"]);
    expect(find("b")?.metadata.ownerReferences).toBeUndefined();
  });

  it("holds an owner until the dependents that block it are gone", async () => {
    await create("a");
    await create("b", ["a"], { block: true, finalizers: ["example.com/hold"] });
    await remove("a", "Foreground");
    expect(find("a")?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    expect(find("b")?.metadata.deletionTimestamp).toBeDefined();
    await api.patch(CONFIG_MAPS, { name: "b", namespace: "default" }, "merge", { metadata: { finalizers: null } });
    await settle();
    expect(names()).toEqual([]);
  });

  it("ends a foreground deletion at once when nothing depends", async () => {
    await create("a");
    await remove("a", "Foreground");
    expect(names()).toEqual([]);
  });

  it("knows after an eviction what is owned, and collects what lost its owner meanwhile", async () => {
    await create("a");
    await create("b", ["a"]);
    api.onBatch = () => {};
    await api.delete(CONFIG_MAPS, { name: "a", namespace: "default" });
    runControllers(api, [garbageCollector], notes);
    await settle();
    expect(names()).toEqual([]);
  });

  it("lists only resources in which something was ever owned", async () => {
    await api.create(SECRETS, { metadata: { name: "s", namespace: "default" } });
    await create("a");
    expect([...notes.list("")]).toEqual([]);
    await create("b", ["a"]);
    expect([...notes.list("")].map(([key]) => key)).toEqual(["garbage-collector/configmaps"]);
  });
});
