import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import type { Pod } from "../../agent/api/index.ts";
import { type CriClient, connectRuntime } from "../../agent/cri/index.ts";
import { ensureContainerd, stopContainerd } from "../../agent/runtime/index.ts";
import { serveKubeletApi } from "../../agent/server/index.ts";
import { Tunnel } from "../../agent/tunnel/index.ts";
import { cgroupSettings } from "../builders/kubelet.ts";
import { writeTestImages } from "../images/index.ts";
import { type StandIn, startStandIn } from "./stand-in-control-plane.ts";

// kubectl's side of the wire, byte by byte, against a real containerd behind a real tunnel.

let controlPlane: StandIn;
let tunnel: Tunnel;
let runtime: CriClient;
let home: string;
let sandbox: string;

const pidFile = () => path.join(home, "containerd.pid");
const namespaces = { network: "NODE", pid: "CONTAINER", ipc: "POD" } as const;
const pod = {
  metadata: { name: "p", namespace: "default", uid: "uid-p" },
  spec: { containers: [{ name: "c" }] },
  status: {},
} as unknown as Pod;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), "hearth-exec-"));
  const { paths } = await ensureContainerd({
    dir: home,
    pidFile: pidFile(),
    logFile: path.join(home, "containerd.log"),
  });
  for (const archive of writeTestImages(path.join(home, "images")).values()) {
    execFileSync("ctr", ["-a", paths.socket, "-n", "k8s.io", "images", "import", archive], { stdio: "pipe" });
  }
  runtime = connectRuntime({ socketPath: paths.socket });
  const logs = path.join(home, "logs");
  mkdirSync(path.join(logs, "c"), { recursive: true });
  const sandboxConfig = {
    metadata: { name: "p", uid: "uid-p", namespace: "default", attempt: 0 },
    logDirectory: logs,
    labels: { "io.kubernetes.pod.uid": "uid-p" },
    annotations: {},
    linux: { securityContext: { namespaceOptions: namespaces } },
  };
  sandbox = await runtime.runPodSandbox(sandboxConfig);
  const container = await runtime.createContainer(
    sandbox,
    {
      metadata: { name: "c", attempt: 0 },
      image: { image: "docker.io/library/busybox:1.37" },
      command: ["sh", "-c", "echo started; exec sleep 3600"],
      labels: { "io.kubernetes.pod.uid": "uid-p", "io.kubernetes.container.name": "c" },
      annotations: {},
      logPath: "c/0.log",
      linux: { securityContext: { namespaceOptions: namespaces } },
    },
    sandboxConfig,
  );
  await runtime.startContainer(container);
  pod.status = {
    phase: "Running",
    containerStatuses: [{ name: "c", containerID: `containerd://${container}`, state: { running: {} } }],
  } as unknown as Pod["status"];

  controlPlane = await startStandIn();
  const state = {
    nodeName: "n1",
    pods: () => [pod],
    runtime,
    cgroups: cgroupSettings({ version: 1 }),
    configuration: { clusterDomain: "cluster.local" },
    measure: () => Promise.resolve(new Map()),
    disk: "/",
  };
  tunnel = new Tunnel({
    endpoint: controlPlane.endpoint,
    credential: "n1",
    agentVersion: "test",
    onStream: (stream) => void serveKubeletApi(state, stream),
  });
  tunnel.start();
  await new Promise<void>((resolve) => tunnel.onConnected(resolve));
});

afterAll(async () => {
  void tunnel?.stop();
  await controlPlane?.stop();
  if (sandbox) {
    await runtime.stopPodSandbox(sandbox);
    await runtime.removePodSandbox(sandbox);
  }
  runtime?.close();
  await stopContainerd({ pidFile: pidFile() });
  rmSync(home, { recursive: true, force: true });
});

interface Session {
  /** What came on each channel. */
  channels: Record<number, string>;
  /** The last Status. */
  status(): { status: string; reason?: string; message?: string; details?: { causes?: { message: string }[] } };
  send(channel: number, text: string): void;
  closeChannel(channel: number): void;
  until(condition: () => boolean): Promise<void>;
  closed: Promise<number>;
  socket: WebSocket;
}

async function exec(
  command: string[],
  options: { stdin?: boolean; tty?: boolean; area?: string } = {},
): Promise<Session> {
  const query = new URLSearchParams(command.map((part): [string, string] => ["command", part]));
  query.set("output", "1");
  if (options.tty) query.set("tty", "1");
  else query.set("error", "1");
  if (options.stdin) query.set("input", "1");
  const url = `${controlPlane.endpoint.replace("http", "ws")}/nodes/n1/exec/default/p/c?${query}`;
  const socket = new WebSocket(url, ["v5.channel.k8s.io"]);
  const channels: Record<number, string> = { 1: "", 2: "", 3: "" };
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  socket.on("message", (data: Buffer) => {
    channels[data[0]!] += data.subarray(1).toString();
    changed();
  });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  return {
    channels,
    status: () => JSON.parse(channels[3]!),
    send: (channel, text) => socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)])),
    closeChannel: (channel) => socket.send(Buffer.from([255, channel])),
    until: (condition) =>
      new Promise((resolve) => {
        const check = () => condition() && resolve();
        listeners.add(check);
        check();
      }),
    closed,
    socket,
  };
}

describe("exec", () => {
  it("gives output, error output and success", async () => {
    const session = await exec(["sh", "-c", "echo out; echo err >&2"]);
    expect(await session.closed).toBe(1000);
    expect(session.channels).toMatchObject({ 1: "out\n", 2: "err\n" });
    expect(session.status()).toMatchObject({ status: "Success" });
    expect(session.socket.protocol).toBe("v5.channel.k8s.io");
  });

  it("gives the exit code", async () => {
    const session = await exec(["sh", "-c", "exit 3"]);
    expect(await session.closed).toBe(1000);
    expect(session.status()).toMatchObject({
      status: "Failure",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
  });

  it("ends the command's input when the client closes stdin", async () => {
    const session = await exec(["cat"], { stdin: true });
    session.send(0, "hello");
    await session.until(() => session.channels[1] === "hello");
    session.closeChannel(0);
    expect(await session.closed).toBe(1000);
    expect(session.status()).toMatchObject({ status: "Success" });
  });

  it("has a terminal with a size", async () => {
    const session = await exec(["sh"], { stdin: true, tty: true });
    session.send(4, '{"Width":91,"Height":33}');
    session.send(0, "stty size; exit 7\n");
    expect(await session.closed).toBe(1000);
    expect(session.channels[1]).toContain("33 91\r\n");
    expect(session.status().details?.causes?.[0]?.message).toBe("7");
  });

  it("moves much in both directions", async () => {
    const session = await exec(["sh", "-c", "wc -c; head -c 3000000 /dev/zero | tr '\\0' x"], { stdin: true });
    for (let i = 0; i < 100; i++) session.send(0, "y".repeat(32_000));
    session.closeChannel(0);
    expect(await session.closed).toBe(1000);
    expect(session.channels[1]!.startsWith("3200000\n")).toBe(true);
    expect(session.channels[1]).toHaveLength("3200000\n".length + 3_000_000);
  });

  it("of a container that does not run is refused", async () => {
    const url = `${controlPlane.endpoint}/nodes/n1/exec/default/p/other?command=ls&output=1`;
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([
      500,
      'unable to upgrade connection: container not found ("other")',
    ]);
  });

  it("of a command that is not there says so", async () => {
    const session = await exec(["/no/such"]);
    await session.closed;
    expect(session.status()).toMatchObject({ status: "Failure", message: expect.stringContaining("/no/such") });
  });

  it("ends when the client goes away", async () => {
    const session = await exec(["sh", "-c", "echo on; cat; sleep 3600"], { stdin: true });
    await session.until(() => session.channels[1] === "on\n");
    session.socket.terminate();
    await expect.poll(() => tunnel.mux.streamCount).toBe(0);
  });
});

describe("logs and the rest", () => {
  const get = async (path: string) => (await fetch(`${controlPlane.endpoint}/nodes/n1${path}`)).text();

  it("come from the runtime's file", async () => {
    expect(await get("/containerLogs/default/p/c")).toBe("started\n");
    expect(await get("/containerLogs/default/p/c?timestamps=true")).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{9}\S+ started\n$/,
    );
    expect(await get("/containerLogs/default/p/c?previous=true")).toBe(
      'previous terminated container "c" in pod "p" not found',
    );
    expect(JSON.parse(await get("/configz"))).toEqual({ kubeletconfig: { clusterDomain: "cluster.local" } });
    expect(JSON.parse(await get("/stats/summary"))).toMatchObject({ pods: [{ containers: [{ name: "c" }] }] });
    expect(await get("/nothing")).toBe("404 page not found\n");
  });
});

describe("a session whose node is lost midway", () => {
  it("ends with a failure, never with success", async () => {
    const session = await exec(["sh", "-c", "echo on; sleep 3600"]);
    await session.until(() => session.channels[1] === "on\n");
    void tunnel.stop();
    expect(await session.closed).toBe(1000);
    expect(session.status()).toMatchObject({
      status: "Failure",
      message: expect.stringMatching(
        /^Internal error occurred: error dialing backend: the agent's connection was closed/,
      ),
    });
    tunnel.start();
  });
});
