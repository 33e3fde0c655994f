import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Pod } from "../../agent/api/index.ts";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { PODS } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  kubelet = await node.startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const POLITE = { name: "main", image: "busybox:1.37", command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"] };
/** PID 1 ignores a signal that it does not handle. */
const DEAF = { name: "main", image: "busybox:1.37", command: ["sleep", "3600"] };

const lastEnd = (name: string) =>
  node.api.calls
    .filter((call) => call.subresource === "status" && call.name === name)
    .flatMap(({ body }) => (body as Pod).status?.containerStatuses ?? [])
    .findLast(({ state }) => state?.terminated)?.state?.terminated;

async function secondsUntilGone(name: string): Promise<number> {
  const startedMs = Date.now();
  await waitFor("the record to go", () => node.pod(name) === undefined);
  return (Date.now() - startedMs) / 1000;
}

it("kills what does not end within the grace period (TRM-15)", async () => {
  await node.run("deaf", { containers: [DEAF] });
  await node.ready("deaf");
  await node.delete("deaf", 3);
  const seconds = await secondsUntilGone("deaf");
  expect(seconds).toBeGreaterThan(2.5);
  expect(seconds).toBeLessThan(8);
  expect(lastEnd("deaf")).toMatchObject({ exitCode: 137, reason: "Error" });
});

it("a shorter grace period takes over from a longer one", async () => {
  await node.run("hurry", { terminationGracePeriodSeconds: 300, containers: [DEAF] });
  await node.ready("hurry");
  await node.delete("hurry", 300);
  await waitFor("the stop to begin", () => node.events("hurry").includes("Killing Stopping container main"));
  await node.delete("hurry", 1);
  expect(await secondsUntilGone("hurry")).toBeLessThan(10);
});

it("a record that is deleted by force takes its containers with it", async () => {
  await node.run("forced", { containers: [POLITE] });
  await node.ready("forced");
  await node.api.delete(PODS, { name: "forced", namespace: "default" }, { gracePeriodSeconds: 0 });
  await waitFor("the sandbox to go", async () => (await node.sandboxesOf("forced")).length === 0);
});

it("runs preStop first, and takes its time from the grace period (TRM-07)", async () => {
  const lifecycle = { preStop: { exec: { command: ["sh", "-c", "sleep 1; echo done > /proc/1/fd/1"] } } };
  await node.run("pre-stop", { containers: [{ ...POLITE, lifecycle }] });
  await node.ready("pre-stop");
  await node.delete("pre-stop", 30);
  const seconds = await secondsUntilGone("pre-stop");
  expect(seconds).toBeGreaterThan(1);
  expect(lastEnd("pre-stop")).toMatchObject({ exitCode: 0 });
});

it("ends a pod whose activeDeadlineSeconds are over", async () => {
  await node.run("overdue", { activeDeadlineSeconds: 2, containers: [POLITE] });
  // Sooner than all pods are looked at anyway, which is once a minute.
  const startedMs = Date.now();
  await waitFor("the failure", () => node.pod("overdue")?.status?.phase === "Failed");
  expect(Date.now() - startedMs).toBeLessThan(45_000);
  expect(node.pod("overdue")!.status).toMatchObject({
    reason: "DeadlineExceeded",
    message: "Pod was active on the node longer than the specified deadline",
    containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
  });
  await node.delete("overdue", 0);
});

it("does not wait for a pull that hangs", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  await node.run("pulling", { containers: [{ name: "c", image: `127.0.0.1:${port}/x:1` }] });
  await waitFor("the pull", () => node.events("pulling").some((event) => event.startsWith("Pulling")));
  await node.delete("pulling", 30);
  expect(await secondsUntilGone("pulling")).toBeLessThan(10);
  silent.close();
});

it("does not wait for a postStart hook that is still running", async () => {
  const lifecycle = { postStart: { exec: { command: ["sleep", "300"] } } };
  await node.run("starting", { containers: [{ ...POLITE, lifecycle }] });
  await waitFor("the start", () => node.events("starting").includes("Started Container started"));
  await node.delete("starting", 5);
  expect(await secondsUntilGone("starting")).toBeLessThan(20);
  expect(node.events("starting")).toContain("FailedPostStartHook PostStartHook failed");
});

it("does not wait for the long grace period of a container that was just to be restarted", async () => {
  const livenessProbe = { exec: { command: ["false"] }, failureThreshold: 1, terminationGracePeriodSeconds: 300 };
  await node.run("restarting", { containers: [{ ...DEAF, livenessProbe }] });
  const isBeingKilled = () => node.events("restarting").some((event) => event.startsWith("Killing"));
  await waitFor("the stop to begin", isBeingKilled);
  await node.delete("restarting", 1);
  expect(await secondsUntilGone("restarting")).toBeLessThan(20);
});
