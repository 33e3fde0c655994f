import { expect, it } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import { SERVICES } from "../../shared/api/refs.ts";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import type { FeedHandler } from "../kubelet/index.ts";
import { createInformer, type Memory } from "./informer.ts";

const service = (name: string, resourceVersion: string): KubeObject => ({
  metadata: { name, namespace: "default", resourceVersion },
});

class FakeMemory implements Memory {
  saved: Record<string, readonly object[]> = {};
  remembered = async (set: string) => this.saved[set] as KubeObject[] | undefined;
  async remember(set: string, objects: readonly object[]) {
    this.saved[set] = structuredClone(objects);
  }
}

async function prepare(memory = new FakeMemory()) {
  const clock = new FakeClock();
  const stopping = new AbortController();
  let handler!: FeedHandler;
  const informer = await createInformer({
    ref: SERVICES,
    feed: (_ref, _options, given) => {
      handler = given;
    },
    memory,
    clock,
    log: () => {},
    signal: stopping.signal,
  });
  const told: string[][] = [];
  informer.onChange((keys) => told.push([...keys].sort()));
  return { informer, handler, told, memory, clock, stopping };
}

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

it("tells once for all changes of a turn, and nothing for what it knew", async () => {
  const { informer, handler, told } = await prepare();
  expect([informer.isKnown(), informer.list()]).toEqual([false, []]);
  handler.replace([service("a", "1"), service("b", "2")]);
  handler.upsert(service("c", "3"));
  await turn();
  handler.replace([service("a", "1"), service("c", "4")]);
  await turn();
  handler.replace([service("a", "1"), service("c", "4")]);
  await turn();
  expect(told).toEqual([
    ["default/a", "default/b", "default/c"],
    ["default/b", "default/c"],
  ]);
  expect(informer.get("default/c")?.metadata.resourceVersion).toBe("4");
});

it("an empty set becomes known too", async () => {
  const { informer, handler, told } = await prepare();
  handler.replace([]);
  await informer.known;
  await turn();
  expect([told, informer.isSynced()]).toEqual([[[]], true]);
});

it("begins with what it remembered, and lets go of what is gone since", async () => {
  const memory = new FakeMemory();
  memory.saved["services"] = [service("a", "1"), service("gone", "2")];
  const { informer, handler, told } = await prepare(memory);
  expect([informer.isKnown(), informer.isSynced(), informer.list().length]).toEqual([true, false, 2]);
  await turn();
  handler.replace([service("a", "1")]);
  await turn();
  expect(told).toEqual([["default/a", "default/gone"], ["default/gone"]]);
});

it("writes many changes as one, and the last one in the end", async () => {
  const { handler, memory, clock } = await prepare();
  handler.replace([]);
  for (let i = 0; i < 5; i++) handler.upsert(service("a", String(i)));
  await clock.advance(1_000);
  expect(memory.saved["services"]).toEqual([service("a", "4")]);
  handler.remove(service("a", "5"));
  await clock.advance(1_000);
  expect(memory.saved["services"]).toEqual([]);
});

it("writes what changed last at once when it ends", async () => {
  const { handler, memory, stopping } = await prepare();
  handler.replace([service("a", "1")]);
  stopping.abort();
  await turn();
  expect(memory.saved["services"]).toEqual([service("a", "1")]);
});
