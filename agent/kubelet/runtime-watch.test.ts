import { expect, it } from "vitest";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import type { Container, ContainerEvent, CriClient, Sandbox } from "../cri/index.ts";
import { CriError } from "../cri/index.ts";
import { POD_UID_LABEL } from "./names.ts";
import { watchRuntime } from "./runtime-watch.ts";

/** What one listener is told, until it is cut off. */
class Stream<T> {
  #queue: T[] = [];
  #failure: unknown;
  #wake = () => {};

  push(event: T): void {
    this.#queue.push(event);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = error;
    this.#wake();
  }

  async *listen(signal: AbortSignal): AsyncGenerator<T> {
    signal.addEventListener("abort", () => this.#wake());
    while (!signal.aborted) {
      while (this.#queue.length > 0) yield this.#queue.shift()!;
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

const aRunning = (uid: string): Container => ({
  id: `c-${uid}`,
  podSandboxId: `s-${uid}`,
  metadata: { name: "main", attempt: 0 },
  ...{ image: null, imageRef: "", imageId: "", createdAt: 1, annotations: {} },
  state: "CONTAINER_RUNNING",
  labels: { [POD_UID_LABEL]: uid },
});

function runtime(version: string, { hasCriEvents = false } = {}) {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const sandboxes: Sandbox[] = [];
  const containers = ["a", "b"].map(aRunning);
  const state = { lists: 0, subscriptions: 0, isAway: false, exits: new Stream<string>() };
  const events = new Stream<ContainerEvent>();
  const unimplemented = (method: string) => new CriError("Unimplemented", method, "unknown method");
  const whileThere = <T>(value: T): Promise<T> =>
    state.isAway ? Promise.reject(new CriError("Unavailable", "x", "no connection")) : Promise.resolve(value);
  const cri = {
    version: () => whileThere({ runtimeName: "containerd", runtimeVersion: version }),
    listPodSandbox: () => whileThere([...sandboxes]),
    listContainers: () => {
      state.lists += 1;
      return whileThere(structuredClone(containers));
    },
    taskExits(signal: AbortSignal) {
      state.subscriptions += 1;
      state.exits = new Stream();
      return state.exits.listen(signal);
    },
    async *containerEvents(signal: AbortSignal) {
      if (!hasCriEvents) throw unimplemented("GetContainerEvents");
      yield* events.listen(signal);
    },
  } as unknown as CriClient;
  const changes: string[] = [];
  const watch = watchRuntime({
    ...{ cri, clock, log: () => {}, signal: stopping.signal },
    onChange: (uid, fingerprint) => changes.push(`${uid} ${fingerprint ?? "?"}`),
    onSnapshot: () => {},
  });
  return {
    ...{ clock, state, changes, watch, events },
    end: (uid: string) => {
      containers.find(({ id }) => id === `c-${uid}`)!.state = "CONTAINER_EXITED";
    },
    async stop() {
      stopping.abort();
      await watch.finished;
    },
  };
}

const SECONDS = 1_000;
const settled = async (clock: FakeClock) => {
  await clock.advance(10 * SECONDS);
};

it("asks once a minute while containerd tells of exits by itself", async () => {
  const { clock, state, changes, stop } = runtime("1.6.20~ds1");
  await settled(clock);
  expect(changes).toEqual(["a c-a:CONTAINER_RUNNING", "b c-b:CONTAINER_RUNNING"]);
  state.lists = 0;
  await clock.advance(600 * SECONDS);
  expect(state.lists).toBe(10);
  await stop();
});

it("asks at once when containerd tells of an exit, and again until its list has it", async () => {
  const { clock, state, changes, end, stop } = runtime("1.7.24");
  await settled(clock);
  changes.length = 0;
  state.exits.push("c-b");
  await clock.advance(30);
  expect(changes).toEqual([]);
  end("b");
  await clock.advance(60);
  expect(changes).toEqual(["b c-b:CONTAINER_EXITED"]);
  state.lists = 0;
  await clock.advance(30 * SECONDS);
  expect(state.lists).toBe(0);
  await stop();
});

it("does not ask for ever about an exit that no list shows", async () => {
  const { clock, state, stop } = runtime("1.7.24");
  await settled(clock);
  state.exits.push("c-a");
  await clock.advance(15 * SECONDS);
  state.lists = 0;
  await clock.advance(30 * SECONDS);
  expect(state.lists).toBe(0);
  await stop();
});

it("relists every second when no events come, sooner after a change", async () => {
  const { clock, state, changes, end, stop } = runtime("2.1.0");
  await settled(clock);
  state.lists = changes.length = 0;
  await clock.advance(10 * SECONDS);
  expect(state.lists).toBe(10);
  end("a");
  await clock.advance(SECONDS);
  expect(changes).toEqual(["a c-a:CONTAINER_EXITED"]);
  state.lists = 0;
  await clock.advance(4 * SECONDS);
  expect(state.lists).toBe(16);
  await stop();
});

it("tells what an event of CRI says, without asking", async () => {
  const { clock, state, changes, events, stop } = runtime("2.1.0", { hasCriEvents: true });
  await settled(clock);
  state.lists = changes.length = 0;
  const sandbox = { id: "s-a", state: "SANDBOX_READY", metadata: { uid: "a" } } as ContainerEvent["podSandboxStatus"];
  const exited = { ...aRunning("a"), state: "CONTAINER_EXITED" } as unknown as ContainerEvent["containersStatuses"][0];
  const event = { containerId: "c-a", containerEventType: "CONTAINER_STOPPED_EVENT", createdAt: 1 } as const;
  events.push({ ...event, podSandboxStatus: sandbox, containersStatuses: [exited] });
  events.push({ ...event, podSandboxStatus: null, containersStatuses: [exited] });
  await clock.advance(1);
  expect(changes).toEqual(["a c-a:CONTAINER_EXITED,s-a:SANDBOX_READY", "a ?"]);
  expect(state.lists).toBe(0);
  await stop();
});

it("relists when the stream breaks, then every second, and listens again", async () => {
  const { clock, state, changes, end, stop } = runtime("1.6.20");
  await settled(clock);
  changes.length = 0;
  end("a");
  state.isAway = true;
  state.exits.fail(new CriError("Unavailable", "Subscribe", "connection reset"));
  await clock.advance(3 * SECONDS);
  expect(changes).toEqual([]);
  state.isAway = false;
  await clock.advance(SECONDS);
  expect(changes).toEqual(["a c-a:CONTAINER_EXITED"]);
  await clock.advance(10 * SECONDS);
  expect(state.subscriptions).toBe(2);
  state.lists = 0;
  await clock.advance(60 * SECONDS);
  expect(state.lists).toBe(1);
  await stop();
});

it("remembers when all was last told", async () => {
  const { clock, state, watch, stop } = runtime("1.6.20");
  await clock.advance(0);
  const firstMs = clock.nowMs();
  expect(watch.relistedMs()).toBe(firstMs);
  state.isAway = true;
  state.exits.fail(new CriError("Unavailable", "Subscribe", "connection reset"));
  await clock.advance(200 * SECONDS);
  expect(watch.relistedMs()).toBe(firstMs);
  await stop();
});
