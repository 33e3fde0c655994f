import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES } from "../../shared/api/refs.ts";
import type { ControllerRevision, DaemonSet } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { daemonSet } from "../../test/builders/objects.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import { daemonSetController } from "./daemonset/index.ts";

let api: MemoryApi;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  runControllers(api, [daemonSetController]);
});

afterEach(() => vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(100);
const names = () => api.all<ControllerRevision>(CONTROLLER_REVISIONS).map(({ metadata }) => metadata.name);

it("looks at revisions made by hand when the set changes, no sooner", async () => {
  await api.create(NODES, { metadata: { name: "n1" } });
  const { metadata } = await api.create<DaemonSet>(DAEMON_SETS, daemonSet("d").build());
  await settle();
  const [own] = api.all<ControllerRevision>(CONTROLLER_REVISIONS);
  const { name: _name, uid: _uid, resourceVersion: _version, ...kept } = own!.metadata;
  await api.create(CONTROLLER_REVISIONS, { ...own!, metadata: { ...kept, name: "by-hand" }, revision: 2 });
  await settle();
  expect(names().sort()).toEqual(["by-hand", own!.metadata.name].sort());
  await api.patch(DAEMON_SETS, metadata, "merge", { metadata: { annotations: { a: "b" } } });
  await settle();
  expect(names()).toEqual(["by-hand"]);
});
