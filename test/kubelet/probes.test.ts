import { afterAll, beforeAll, expect, it } from "vitest";
import type { Kubelet } from "../../agent/kubelet/index.ts";
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

const WEB = { name: "web", image: "nginx:1.29", ports: [{ containerPort: 80, name: "http", protocol: "TCP" }] };
const statusOf = (name: string) => node.pod(name)?.status?.containerStatuses?.[0];

it("a readiness probe takes the pod out of rotation and back (PRB-02, PRB-05)", async () => {
  const readinessProbe = { httpGet: { path: "/ready", port: "http" }, periodSeconds: 1, failureThreshold: 2 };
  await node.run("ready", { containers: [{ ...WEB, readinessProbe }] });
  await waitFor("the first failures", () =>
    node.events("ready").includes("Unhealthy Readiness probe failed: HTTP probe failed with statuscode: 404"),
  );
  expect(statusOf("ready")).toMatchObject({ ready: false, started: true, state: { running: {} } });
  await node.exec("ready", "touch /usr/share/nginx/html/ready");
  await node.ready("ready");
  await node.exec("ready", "rm /usr/share/nginx/html/ready");
  await waitFor("not ready", () => statusOf("ready")?.ready === false);
  expect(statusOf("ready")?.restartCount).toBe(0);
  await node.delete("ready", 0);
});

it("a liveness probe restarts the container (PRB-03)", async () => {
  const livenessProbe = { exec: { command: ["test", "!", "-e", "/dead"] }, periodSeconds: 1, failureThreshold: 2 };
  await node.run("alive", { containers: [{ ...WEB, livenessProbe }] });
  await node.ready("alive");
  await node.exec("alive", "touch /dead");
  await waitFor("the restart", () => statusOf("alive")?.restartCount === 1 && statusOf("alive")?.ready);
  expect(node.events("alive")).toContain("Killing Container web failed liveness probe, will be restarted");
  await node.delete("alive", 0);
});

it("a startup probe holds the others back (PRB-01)", async () => {
  const startupProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 30 };
  const container = { ...WEB, startupProbe, command: ["sh", "-c", "sleep 2; exec /docker-entrypoint.sh"] };
  await node.run("slow", { containers: [container] });
  await waitFor("it to run", () => statusOf("slow")?.state?.running);
  expect(statusOf("slow")).toMatchObject({ started: false, ready: false });
  await node.ready("slow");
  expect(statusOf("slow")).toMatchObject({ started: true, restartCount: 0 });
  await node.delete("slow", 0);
});
