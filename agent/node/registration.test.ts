import { expect, it } from "vitest";
import type { Node } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import type { CriClient } from "../cri/index.ts";
import type { FeedHandler } from "../kubelet/index.ts";
import { runRegistration } from "./registration.ts";

const POD_CIDR = "10.244.0.0/24";

it("knows of its pod network though the watch told of it before the answer to its own creation came", async () => {
  const stopping = new AbortController();
  const told = Promise.withResolvers<string[]>();
  let handler: FeedHandler | undefined;
  const state = (node: Node, resourceVersion: string, spec: Node["spec"]): Node => ({
    ...node,
    metadata: { ...node.metadata, resourceVersion },
    spec,
  });
  const api: Pick<ApiClient, "create" | "patch"> = {
    async create(_ref, object) {
      if (object.kind !== "Node") return object as never;
      handler!.upsert(state(object as unknown as Node, "4", { podCIDR: POD_CIDR }) as never);
      return state(object as unknown as Node, "2", {}) as never;
    },
    patch: (_ref, _name, _type, patch) => Promise.resolve(patch as never),
  };
  const running = runRegistration({
    api: api as ApiClient,
    feed: (_ref, _options, given) => {
      handler = given;
      given.replace([]);
    },
    cri: {
      status: () => Promise.resolve({ conditions: [], info: {}, runtimeHandlers: [], features: null }),
      version: () => Promise.resolve(undefined),
      listImages: () => Promise.resolve([]),
    } as unknown as CriClient,
    log: () => {},
    clock: new FakeClock(),
    nodeName: "n1",
    kubeletVersion: "v1.36.2+hearth.0",
    disk: "/",
    reserved: () => [],
    pressures: () => new Set(),
    relistedMs: () => 0,
    isShuttingDown: () => false,
    onStart: () => {},
    addresses: () => ["192.0.2.7"],
    ownInterface: "br0",
    onPodCidrs: (podCidrs) => {
      told.resolve(podCidrs);
      return Promise.resolve();
    },
    signal: stopping.signal,
  });
  expect(await told.promise).toEqual([POD_CIDR]);
  stopping.abort();
  await running;
});
