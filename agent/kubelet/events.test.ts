import { beforeEach, describe, expect, it } from "vitest";
import { EVENTS } from "../../shared/api/refs.ts";
import { forbidden, serviceUnavailable } from "../../shared/api/status.ts";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { createEventRecorder, type EventRecorder } from "./events.ts";

let api: MemoryApi;
let clock: FakeClock;
let events: EventRecorder;

beforeEach(() => {
  api = new MemoryApi();
  clock = new FakeClock();
  events = createEventRecorder({ api, nodeName: "n1", clock, signal: new AbortController().signal });
});

const sent = () => api.all(EVENTS).map((event) => `${event["reason"]} ${event["message"]} ×${event["count"]}`);

describe("createEventRecorder", () => {
  it("sends what kubectl shows", async () => {
    events.forContainer(aPod(), aPod().spec.containers[0]!)("Normal", "Created", "Container created");
    await clock.advance(0);
    expect(api.all(EVENTS)).toMatchObject([
      {
        metadata: { name: expect.stringMatching(/^web-0\.[0-9a-f]{16}$/), namespace: "default" },
        involvedObject: { kind: "Pod", name: "web-0", uid: "u1", fieldPath: "spec.containers{main}" },
        type: "Normal",
        reason: "Created",
        message: "Container created",
        source: { component: "kubelet", host: "n1" },
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        count: 1,
      },
    ]);
  });

  it.each([
    ["i", "spec.initContainers{i}"],
    ["main", "spec.containers{main}"],
    ["e", "spec.ephemeralContainers{e}"],
  ])("names the container %s by its list", async (name, want) => {
    const pod = aPod({ initContainers: [aContainer("i")], ephemeralContainers: [{ name: "e", image: "x" }] });
    events.forContainer(pod, aContainer(name))("Normal", "R", "m");
    await clock.advance(0);
    expect(api.all(EVENTS)[0]).toMatchObject({ involvedObject: { fieldPath: want } });
  });

  it("counts the same event again instead of sending another", async () => {
    for (let round = 0; round < 3; round += 1) {
      events.forPod(aPod())("Warning", "BackOff", "again");
      await clock.advance(10_000);
    }
    events.forPod(aPod())("Warning", "BackOff", "something else");
    await clock.advance(0);
    expect(sent()).toEqual(["BackOff again ×3", "BackOff something else ×1"]);
    expect(api.all(EVENTS)[0]).toMatchObject({
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:20Z",
    });
  });

  it("is written again, with its count, when the first has expired", async () => {
    events.forPod(aPod())("Normal", "R", "m");
    await clock.advance(0);
    await api.delete(EVENTS, api.all(EVENTS)[0]!.metadata);
    events.forPod(aPod())("Normal", "R", "m");
    await clock.advance(0);
    expect(sent()).toEqual(["R m ×2"]);
  });

  it("is combined with others that differ in their words alone", async () => {
    for (let index = 0; index < 12; index += 1) events.forPod(aPod())("Warning", "Unhealthy", `failed in ${index}`);
    await clock.advance(0);
    expect(sent().slice(8)).toEqual([
      "Unhealthy failed in 8 ×1",
      "Unhealthy (combined from similar events): failed in 11 ×3",
    ]);
  });

  it("keeps the order, and events of one moment apart", async () => {
    for (const reason of ["A", "B", "C"]) events.forPod(aPod())("Normal", reason, "m");
    await clock.advance(0);
    expect(sent()).toEqual(["A m ×1", "B m ×1", "C m ×1"]);
  });

  it("waits for an API that is away", async () => {
    api.refuse = () => {
      throw serviceUnavailable("away");
    };
    events.forPod(aPod())("Normal", "R", "m");
    await clock.advance(25_000);
    expect(sent()).toEqual([]);
    api.refuse = () => {};
    await clock.advance(10_000);
    expect(sent()).toEqual(["R m ×1"]);
  });

  it("sends four at a time, and the same one again only when the first is there", async () => {
    const answers: (() => void)[] = [];
    const create = api.create.bind(api);
    api.create = async (...args) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return create(...args) as never;
    };
    for (const reason of ["A", "A", "B", "C", "D", "E"]) events.forPod(aPod())("Normal", reason, "m");
    await clock.advance(0);
    expect(answers).toHaveLength(4);
    expect(sent()).toEqual([]);
    for (let round = 0; round < 3; round += 1) {
      for (const answer of answers.splice(0)) answer();
      await clock.advance(0);
    }
    expect(sent().toSorted()).toEqual(["A m ×2", "B m ×1", "C m ×1", "D m ×1", "E m ×1"]);
  });

  it("drops one that the API refuses, and goes on", async () => {
    api.refuse = ({ body }) => {
      if ((body as { reason?: string }).reason === "BAD")
        throw forbidden(EVENTS, "e", "because it is being terminated");
    };
    events.forPod(aPod())("Normal", "BAD", "m");
    events.forPod(aPod())("Normal", "GOOD", "m");
    await clock.advance(0);
    expect(sent()).toEqual(["GOOD m ×1"]);
  });

  it("lets one pod send 25 at once, then one in five minutes", async () => {
    for (let index = 0; index < 40; index += 1) events.forPod(aPod())("Normal", `R${index}`, "m");
    events.forPod(aPod({}, { uid: "u2", name: "other" }))("Normal", "R", "m");
    await clock.advance(0);
    expect(sent()).toHaveLength(26);
    await clock.advance(300_000);
    for (let index = 0; index < 5; index += 1) events.forPod(aPod())("Normal", `Later${index}`, "m");
    await clock.advance(0);
    expect(sent()).toHaveLength(27);
  });
});
