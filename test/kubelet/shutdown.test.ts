import { afterAll, beforeAll, expect, it } from "vitest";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import type { Logind } from "../../agent/nodeshutdown/index.ts";
import { EVENTS } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NODE_NAME, NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

/** A logind that shuts the machine down when the test says so. */
class FakeLogind implements Logind {
  readonly told: string[] = [];
  #signals: boolean[] = [];
  #wake = () => {};

  async maxDelayMs() {
    return 60_000;
  }

  async overrideMaxDelay() {}

  async inhibit() {
    this.told.push("locked");
    return { release: async () => void this.told.push("released") };
  }

  prepareForShutdown(begins: boolean): void {
    this.#signals.push(begins);
    this.#wake();
  }

  async *shutdowns(signal: AbortSignal) {
    signal.addEventListener("abort", () => this.#wake());
    while (!signal.aborted) {
      while (this.#signals.length > 0) yield this.#signals.shift()!;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

const logind = new FakeLogind();

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  node.logind = logind;
  node.settings = {
    shutdownPeriods: [
      { priority: 0, graceSeconds: 20 },
      { priority: 2_000_000_000, graceSeconds: 10 },
    ],
  };
  kubelet = await node.startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const run = (script: string) => ({ name: "main", image: "busybox:1.37", command: ["sh", "-c", script] });
const POLITE = run("trap 'exit 0' TERM; sleep 3600 & wait");
const finishedMs = (name: string) =>
  Date.parse(node.pod(name)!.status!.containerStatuses![0]!.state!.terminated!.finishedAt!);
const nodeEvents = () =>
  node.api
    .all(EVENTS)
    .filter((event) => (event["involvedObject"] as { name: string }).name === NODE_NAME)
    .map((event) => `${event["type"]} ${event["reason"]} ${event["message"]}`);

it("a shutdown waits for pods, critical ones last; who comes then is refused (TRM)", async () => {
  // Takes a second for its end: so long the critical one has to live.
  const slow = run("trap 'sleep 1; exit 0' TERM; sleep 3600 & wait; wait");
  await node.run("ordinary", { containers: [slow] });
  await node.run("critical", { priority: 2_000_000_000, containers: [POLITE] });
  await node.run("done", { restartPolicy: "Never", containers: [run("exit 0")] });
  await Promise.all([node.ready("ordinary"), node.ready("critical")]);
  await waitFor("one that has ended by itself", () => node.pod("done")?.status?.phase === "Succeeded");
  expect(logind.told).toEqual(["locked"]);
  expect(kubelet.isShuttingDown()).toBe(false);

  logind.prepareForShutdown(true);
  await waitFor("the lock to be released", () => logind.told.includes("released"));
  expect(kubelet.isShuttingDown()).toBe(true);
  const message = "Pod was terminated in response to imminent node shutdown.";
  for (const name of ["ordinary", "critical"]) {
    await waitFor(`the end of ${name}`, () => node.pod(name)?.status?.phase === "Failed");
    expect(node.pod(name)!.status).toMatchObject({ reason: "Terminated", message });
    expect(node.pod(name)!.status!.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", message }),
    );
    expect(node.events(name).some((event) => event.startsWith("Killing"))).toBe(true);
  }
  expect(finishedMs("critical")).toBeGreaterThanOrEqual(finishedMs("ordinary"));
  expect(node.pod("done")!.status).toMatchObject({ phase: "Succeeded" });

  await node.run("late", { containers: [POLITE] });
  await waitFor("the refusal", () => node.pod("late")?.status?.phase === "Failed");
  expect(node.pod("late")!.status).toMatchObject({
    reason: "NodeShutdown",
    message: "Pod was rejected: Pod was rejected as the node is shutting down.",
  });
  expect(await node.sandboxesOf("late")).toEqual([]);
});

it("a shutdown that is called off lets pods in again", async () => {
  logind.prepareForShutdown(false);
  await waitFor("the new lock", () => logind.told.length === 3);
  await node.run("after", { containers: [POLITE] });
  await node.ready("after");
  await waitFor("both events", () => nodeEvents().length >= 2);
  expect(nodeEvents()).toEqual(
    expect.arrayContaining([
      "Normal NodeShutdown Shutdown manager detected shutdown event",
      "Normal NodeShutdown Shutdown manager detected shutdown cancellation",
    ]),
  );
  await node.delete("after", 0);
});
