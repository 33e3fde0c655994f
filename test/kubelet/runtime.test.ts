import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectRuntime } from "../../agent/cri/index.ts";
import { importImage } from "../../agent/image/index.ts";
import { DEFAULT_SETTINGS, type Kubelet } from "../../agent/kubelet/index.ts";
import { findCniBinDir, SANDBOX_IMAGE } from "../../agent/runtime/index.ts";
import { type GrpcRecorder, recordGrpc } from "../harness/grpc-recorder.ts";
import { commandLineOf, processTree } from "../harness/process-tree.ts";
import { waitFor } from "../harness/wait-for.ts";
import { renderDockerArchive, testImages } from "../images/index.ts";
import { NodeUnderTest } from "./node-under-test.ts";

const run = promisify(execFile);

let node: NodeUnderTest;
let kubelet: Kubelet;
let recorder: GrpcRecorder;

const SLEEPER = {
  name: "main",
  image: "busybox:1.37",
  command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"],
  lifecycle: { postStart: { exec: { command: ["true"] } } },
};

beforeAll(async () => {
  node = await NodeUnderTest.prepare();
  const listen = join(node.dir, "recorded.sock");
  recorder = await recordGrpc({ listen, target: node.paths.socket });
  node.cri.close();
  node.cri = connectRuntime({ socketPath: listen });
  kubelet = await node.startKubelet();
  await node.run("web", { containers: [SLEEPER, { ...SLEEPER, name: "beside" }] });
  await node.ready("web");
});

afterAll(async () => {
  await kubelet?.stop();
  recorder?.close();
  if (node) node.cri = connectRuntime({ socketPath: node.paths.socket });
  await node?.remove();
});

interface RuntimeInfo {
  pid: number;
  image?: string;
  runtimeSpec: { linux: { namespaces: { type: string; path?: string }[] } };
}
const sandboxOf = async (name: string) => (await node.sandboxesOf(name))[0]!;
const sandboxInfo = async (name: string) =>
  JSON.parse((await node.cri.podSandboxStatus((await sandboxOf(name)).id, true)).info["info"]!) as RuntimeInfo;
const ctr = async (...args: string[]) =>
  (await run("ctr", ["--address", node.paths.socket, "--namespace", "k8s.io", ...args])).stdout;
const ip = async (...args: string[]) => (await run("ip", args)).stdout;

describe("containerd", () => {
  it("holds everything in its namespace k8s.io, images in its root, layers in overlayfs (CRI-02)", async () => {
    const [sandbox] = await node.sandboxesOf("web");
    const listed = await ctr("containers", "list", "-q");
    for (const id of [sandbox!.id, node.containerIdOf("web")]) expect(listed).toContain(id);
    const info = JSON.parse(await ctr("containers", "info", node.containerIdOf("web"))) as { Snapshotter: string };
    expect(info.Snapshotter).toBe("overlayfs");
    expect(await ctr("images", "list", "-q")).toContain("docker.io/library/busybox:1.37");
    const root = join(node.paths.dir, "root");
    expect(readdirSync(join(root, "io.containerd.content.v1.content/blobs/sha256")).length).toBeGreaterThan(0);
    expect(existsSync(join(root, "io.containerd.snapshotter.v1.overlayfs/snapshots"))).toBe(true);
  });

  it("runs a shim a pod under PID 1, with pause and the containers as its children (CRI-03, CRI-05)", async () => {
    const { id } = await sandboxOf("web");
    const shims = processTree(1)
      .filter((pid) => commandLineOf(pid).includes("containerd-shim-runc-v2"))
      .filter((pid) => commandLineOf(pid).includes(node.paths.socket));
    expect(shims).toHaveLength(1);
    const [shim] = shims;
    expect(commandLineOf(shim!)).toMatch(new RegExp(`-namespace k8s\\.io -id ${id} -address ${node.paths.socket}$`));
    expect(readFileSync(`/proc/${shim}/stat`, "utf8").split(")").at(-1)!.trim().split(" ")[1]).toBe("1");
    const { pid, image } = await sandboxInfo("web");
    expect(image).toBe(SANDBOX_IMAGE);
    // A stand-in for the real pause, as a script: with an interpreter before its name.
    expect(commandLineOf(pid)).toMatch(/(^| )\/pause$/);
    const children = processTree(shim!).filter((child) =>
      readFileSync(`/proc/${child}/stat`, "utf8").split(")").at(-1)!.trim().startsWith(`S ${shim} `),
    );
    expect(children).toHaveLength(3);
    expect(children).toContain(pid);
  });

  it("takes an image that docker built (CRI-08)", async () => {
    const busybox = testImages().find(({ name }) => name.includes("busybox"))!;
    const path = join(node.dir, "docker.tar");
    writeFileSync(path, renderDockerArchive({ ...busybox, name: "built-by-docker:1" }));
    await importImage({ path, socketPath: node.paths.socket, cri: node.cri });
    await node.run("docker", { containers: [{ ...SLEEPER, image: "built-by-docker:1", imagePullPolicy: "Never" }] });
    await node.ready("docker");
    expect(node.pod("docker")!.status!.containerStatuses![0]!.image).toBe("docker.io/library/built-by-docker:1");
    await node.delete("docker", 0);
  });
});

describe("what crictl sees", () => {
  it("is one sandbox, ready, attempt 0, of the default runtime, and no pause among containers (CRI-04)", async () => {
    const { uid } = node.pod("web")!.metadata;
    expect(await node.sandboxesOf("web")).toMatchObject([
      { state: "SANDBOX_READY", metadata: { name: "web", namespace: "default", uid, attempt: 0 }, runtimeHandler: "" },
    ]);
    const containers = await node.cri.listContainers({ labelSelector: { "io.kubernetes.pod.uid": uid } });
    expect(containers.map(({ metadata }) => metadata.name).sort()).toEqual(["beside", "main"]);
  });

  it("are the pods and containers that the agent tells of (CRI-09)", async () => {
    const { id } = await sandboxOf("web");
    const ofPod = await node.cri.listContainers({ podSandboxId: id });
    const told = node.pod("web")!.status!.containerStatuses!;
    expect(ofPod.map((container) => `containerd://${container.id}`).sort()).toEqual(
      told.map(({ containerID }) => containerID).sort(),
    );
    const { status } = await node.cri.containerStatus(node.containerIdOf("web"), true);
    expect(status).toMatchObject({
      state: "CONTAINER_RUNNING",
      metadata: { name: told[0]!.name, attempt: 0 },
      labels: {
        "io.kubernetes.pod.name": "web",
        "io.kubernetes.pod.namespace": "default",
        "io.kubernetes.container.name": told[0]!.name,
      },
    });
    const { status: sandbox } = await node.cri.podSandboxStatus(id, true);
    expect(sandbox.network?.ip).toBe(node.pod("web")!.status!.podIP);
  });

  it("are namespaces made for the sandbox, the network's by a path to the same inode (CNI-05, CRI-07)", async () => {
    const { pid, runtimeSpec } = await sandboxInfo("web");
    const { namespaces } = runtimeSpec.linux;
    expect(namespaces.map(({ type }) => type).sort()).toEqual(["ipc", "mount", "network", "pid", "uts"]);
    const withPath = namespaces.filter(({ path }) => path);
    expect(withPath).toEqual([
      { type: "network", path: expect.stringMatching(/^\/(var\/)?run\/netns\/cni-[0-9a-f-]{36}$/) },
    ]);
    expect(statSync(withPath[0]!.path!).ino).toBe(statSync(`/proc/${pid}/ns/net`).ino);
  });
});

describe("the network plugin", () => {
  const subnet = () => node.gateway.replace(/\.1$/, ".0/24");
  const isIn = (address: string, block: string) => address.startsWith(block.replace("0/24", ""));

  it("makes a veth pair, with an address from the node's block and a route (CNI-03)", async () => {
    const { podIP } = node.pod("web")!.status!;
    expect(isIn(podIP!, subnet())).toBe(true);
    const inPod = await node.exec("web", "ip -o addr show eth0; ip route; cat /sys/class/net/eth0/iflink");
    expect(inPod).toContain(`inet ${podIP}/24`);
    expect(inPod).toContain(`default via ${node.gateway} dev eth0`);
    const peer = Number(inPod.trim().split("\n").at(-1));
    const links = JSON.parse(await ip("-j", "-d", "link", "show", "master", node.bridge)) as {
      ifindex: number;
      linkinfo: { info_kind: string };
    }[];
    expect(links.find(({ ifindex }) => ifindex === peer)?.linkinfo.info_kind).toBe("veth");
    expect(await ip("route", "show", subnet())).toMatch(new RegExp(`^${subnet()} dev ${node.bridge} `, "m"));
  });

  it("is called with a command, a netns and its configuration, by hand, too (CNI-02)", async () => {
    const netns = `by-hand-${process.pid}`;
    const path = `/run/netns/${netns}`;
    await ip("netns", "add", netns);
    try {
      const { name, cniVersion, plugins } = JSON.parse(readFileSync(configFile(), "utf8")) as {
        name: string;
        cniVersion: string;
        plugins: object[];
      };
      const config = { name, cniVersion, ...plugins[0]! };
      const call = (command: string, input: object) => callPlugin({ command, netns: path, containerId: netns, input });
      const result = JSON.parse(await call("ADD", config)) as { ips: { address: string }[] };
      const [given] = result.ips;
      expect(isIn(given!.address, subnet())).toBe(true);
      expect(await ip("-n", netns, "-o", "addr", "show", "eth0")).toContain(`inet ${given!.address}`);
      await call("CHECK", { ...config, prevResult: result });
      await call("DEL", { ...config, prevResult: result });
      await expect(ip("-n", netns, "link", "show", "eth0")).rejects.toThrow("does not exist");
      await expect(call("CHECK", { ...config, prevResult: result })).rejects.toThrow();
    } finally {
      await ip("netns", "delete", netns);
    }
  });

  it("is containerd's to run: without its configuration no sandbox starts, and the pod says why (CNI-01)", async () => {
    const bin = findCniBinDir()!;
    for (const plugin of ["bridge", "host-local", "portmap"])
      expect(statSync(join(bin, plugin)).mode & 0o111).toBeTruthy();
    const config = readFileSync(configFile());
    const isReady = async () =>
      (await node.cri.status()).conditions.find(({ type }) => type === "NetworkReady")?.status === true;
    const why = () => node.events("no-net").find((event) => event.startsWith("NetworkNotReady"));
    const attempts = () => recorder.calls.filter((call) => call.endsWith("/RunPodSandbox")).length;
    const before = attempts();
    rmSync(configFile());
    try {
      await waitFor("the runtime to see it", async () => !(await isReady()));
      await node.run("no-net", { containers: [SLEEPER] });
      expect(await waitFor("the event", why)).toMatch(
        /^NetworkNotReady network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: /,
      );
      expect(node.pod("no-net")!.status).toMatchObject({ phase: "Pending" });
      expect(node.pod("no-net")!.status!.podIP).toBeUndefined();
      expect(attempts()).toBe(before);
    } finally {
      writeFileSync(configFile(), config);
    }
    await node.ready("no-net");
    await node.delete("no-net", 0);
  });

  function configFile(): string {
    mkdirSync(node.paths.cniConfDir, { recursive: true });
    return join(node.paths.cniConfDir, "90-hearth.conflist");
  }
});

/** As the runtime does it: what to do in the environment, on what on standard input. @returns what the plugin printed */
function callPlugin(call: { command: string; netns: string; containerId: string; input: object }): Promise<string> {
  const directory = findCniBinDir()!;
  return new Promise((resolve, reject) => {
    const child = execFile(
      join(directory, "bridge"),
      {
        env: {
          CNI_COMMAND: call.command,
          CNI_CONTAINERID: call.containerId,
          CNI_NETNS: call.netns,
          CNI_IFNAME: "eth0",
          CNI_PATH: directory,
          PATH: process.env["PATH"],
        },
      },
      (error, stdout) => (error ? reject(new Error(`${call.command}: ${stdout || error.message}`)) : resolve(stdout)),
    );
    child.stdin!.end(JSON.stringify(call.input));
  });
}

it("the agent asks all of it over CRI on a Unix socket (CRI-01)", async () => {
  await node.run("pulled", { containers: [{ ...SLEEPER, image: "127.0.0.1:1/none:1", imagePullPolicy: "Always" }] });
  await waitFor("the pull", () => recorder.calls.includes("/runtime.v1.ImageService/PullImage"));
  for (const name of ["web", "pulled"]) await node.delete(name, 1);
  await waitFor("the pods to go", () => !node.pod("web") && !node.pod("pulled"));
  await kubelet.stop();
  // Nothing but the sandbox's image stays on a node that must always have room.
  node.settings = { imageGc: { ...DEFAULT_SETTINGS.imageGc, highPercent: 0, lowPercent: 0, minAgeMs: 0 } };
  kubelet = await node.startKubelet();
  await waitFor("an image to go", () => recorder.calls.includes("/runtime.v1.ImageService/RemoveImage"));
  const methods = (service: string) =>
    [...new Set(recorder.calls)]
      .filter((call) => call.startsWith(`/runtime.v1.${service}/`))
      .map((call) => call.split("/")[2]);
  expect(methods("RuntimeService")).toEqual(
    expect.arrayContaining([
      ...["Status", "RunPodSandbox", "PodSandboxStatus", "ListPodSandbox", "StopPodSandbox", "RemovePodSandbox"],
      ...["CreateContainer", "StartContainer", "ContainerStatus", "ListContainers", "StopContainer", "RemoveContainer"],
      "ExecSync",
    ]),
  );
  expect(methods("ImageService")).toEqual(
    expect.arrayContaining(["PullImage", "ImageStatus", "ListImages", "RemoveImage", "ImageFsInfo"]),
  );
  // A runtime without events in CRI tells them in its own way.
  const others = recorder.calls.filter((call) => !call.startsWith("/runtime.v1."));
  expect(new Set(others)).toEqual(new Set(["/containerd.services.events.v1.Events/Subscribe"]));
});
