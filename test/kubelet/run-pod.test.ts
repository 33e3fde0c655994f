import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;

beforeAll(async () => {
  node = await NodeUnderTest.prepare("10.199.1.0/24");
  kubelet = await node.startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
});

const running = (name: string) =>
  waitFor(
    `${name} to run`,
    () => node.pod(name)?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    {
      timeoutMs: 30_000,
    },
  ).catch((error: Error) => {
    throw new Error(
      `${error.message}\n${JSON.stringify(node.pod(name)?.status, null, 1)}\n${node.events(name).join("\n")}\n${node.logs.slice(-20).join("\n")}`,
    );
  });

describe("a simple pod", () => {
  it("runs, and reports what upstream reports", async () => {
    await node.run("web", {
      containers: [{ name: "web", image: "nginx:1.29", ports: [{ containerPort: 80, protocol: "TCP" }] }],
    });
    await running("web");
    const { status } = node.pod("web")!;
    console.log(JSON.stringify(status, null, 1), node.events("web"));
    expect(status?.phase).toBe("Running");
    expect(status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
    await waitFor("the events", () => node.events("web").length >= 3);
    expect(node.events("web")).toEqual([
      'Pulled Container image "nginx:1.29" already present on machine and can be accessed by the pod',
      "Created Container created",
      "Started Container started",
    ]);
    const page = await fetch(`http://${status!.podIP}/`);
    expect(await page.text()).toContain("Welcome to nginx!");
  });
});
