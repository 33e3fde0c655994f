import { expect, it } from "vitest";
import type { Pod } from "../../shared/api/types.ts";
import type { Informer } from "./informer.ts";
import { OwnWrites } from "./own-writes.ts";

const pod = (uid: string, resourceVersion = "1"): Pod =>
  ({ metadata: { name: "a", namespace: "n", uid, resourceVersion } }) as Pod;

it("waits for the newest of what was written for a key", () => {
  const writes = new OwnWrites();
  const cache = { revision: 5 };
  const informer = cache as unknown as Informer<Pod>;
  writes.wrote("k", informer, pod("u", "7"));
  writes.wrote("k", informer, pod("u", "6"));
  cache.revision = 6;
  expect([writes.areSeen("k"), writes.areSeen("other")]).toEqual([false, true]);
  expect([writes.areAwaited("k"), writes.areAwaited("other")]).toEqual([true, false]);
  cache.revision = 7;
  expect(writes.areSeen("k")).toBe(true);
  expect(writes.areAwaited("k")).toBe(false);
});

it("waits until what is gone is not in the cache any more, or another has its name", () => {
  const writes = new OwnWrites();
  let known: Pod | undefined = pod("u");
  const informer = { revision: 1, get: () => known } as unknown as Informer<Pod>;
  writes.foundGone("k", informer, pod("u"));
  expect(writes.areSeen("k")).toBe(false);
  known = pod("another");
  expect(writes.areSeen("k")).toBe(true);
  writes.foundGone("k", informer, pod("another"));
  writes.forget("k");
  expect(writes.areSeen("k")).toBe(true);
});
