import { expect, it } from "vitest";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import type { ProxyContext } from "./proxy.ts";
import { GRACE_MS, untilCurrent } from "./until-current.ts";

/** A set that was remembered, and may be told by the API later. */
function remembered() {
  let isSynced = false;
  const listeners = new Set<(keys: ReadonlySet<string>) => void>();
  return {
    known: Promise.resolve(),
    isSynced: () => isSynced,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    told() {
      isSynced = true;
      for (const listener of listeners) listener(new Set());
    },
  };
}

function prepare({ hasRules = true, podCidrs = ["10.244.1.0/24"] } = {}) {
  const clock = new FakeClock();
  const [services, endpointSlices, nodes] = [remembered(), remembered(), remembered()];
  const gone = new AbortController();
  const stopping = new AbortController();
  let cidrs = podCidrs;
  let onCidrs = () => {};
  const context = {
    ...{ services, endpointSlices, nodes, clock, signal: stopping.signal },
    podCidrs: () => cidrs,
    onPodCidrs: (listener: () => void) => {
      onCidrs = listener;
    },
  } as unknown as ProxyContext;
  let hasBegun = false;
  const begun = untilCurrent(context, { hasRules, isGone: gone.signal }).then(() => {
    hasBegun = true;
  });
  const isBegun = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return hasBegun;
  };
  const giveCidrs = () => {
    cidrs = ["10.244.1.0/24"];
    onCidrs();
  };
  return { services, endpointSlices, nodes, clock, gone, stopping, begun, isBegun, giveCidrs };
}

it("begins with what it remembers where there are no rules", async () => {
  expect(await prepare({ hasRules: false }).isBegun()).toBe(true);
});

it("leaves rules as they are until the API has told every set and the node's range", async () => {
  const { services, endpointSlices, nodes, isBegun, giveCidrs } = prepare({ podCidrs: [] });
  for (const set of [services, endpointSlices, nodes]) {
    expect(await isBegun()).toBe(false);
    set.told();
  }
  expect(await isBegun()).toBe(false);
  giveCidrs();
  expect(await isBegun()).toBe(true);
});

it("does not wait for an API that is away, nor for rules that somebody takes away, nor when it ends", async () => {
  const away = prepare();
  await away.clock.advance(GRACE_MS - 1);
  expect(await away.isBegun()).toBe(false);
  await away.clock.advance(1);
  expect(await away.isBegun()).toBe(true);
  const taken = prepare();
  expect(await taken.isBegun()).toBe(false);
  taken.gone.abort();
  expect(await taken.isBegun()).toBe(true);
  const ended = prepare();
  expect(await ended.isBegun()).toBe(false);
  ended.stopping.abort();
  expect(await ended.isBegun()).toBe(true);
});
