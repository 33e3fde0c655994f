import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findHome } from "../../cli/home.ts";
import { Kubectl } from "../harness/kubectl.ts";
import { type MachineNetwork, readMachineNetwork } from "../harness/machine-network.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { commandLineOf, processTree } from "../harness/process-tree.ts";
import { waitFor } from "../harness/wait-for.ts";
import { writeTestImages } from "../images/index.ts";

const run = promisify(execFile);

let dir: string;
/** In a directory with a space in its name, behind a link. */
let one: OwnCluster;
let two: OwnCluster;
let kubectl: Kubectl;
let networkBefore: MachineNetwork;

const machineNetwork = () =>
  readMachineNetwork(async (program, args) => (await run(program, args, { maxBuffer: 64 * 1024 * 1024 })).stdout);

beforeAll(async () => {
  networkBefore = await machineNetwork();
  dir = realpathSync(mkdtempSync(join(tmpdir(), "h ")));
  mkdirSync(join(dir, "real"));
  symlinkSync("real", join(dir, "link"));
  one = await OwnCluster.prepare(join(dir, "link/1"));
  two = await OwnCluster.prepare(join(dir, "2"));
  kubectl = new Kubectl(one.kubeconfigFile);
});

afterAll(async () => {
  for (const cluster of [one, two]) await cluster?.remove();
  rmSync(dir, { recursive: true, force: true });
});

const realHome = () => join(dir, "real/1");
const childOf = (cluster: OwnCluster, what: string) => processTree(cluster.pidOf(what))[1];

describe("up", () => {
  it("refuses a directory of somebody else's, and down --purge leaves it alone", async () => {
    const other = await OwnCluster.prepare(join(dir, "others"));
    mkdirSync(other.home);
    writeFileSync(join(other.home, "thesis.txt"), "");
    mkdirSync(join(other.home, "data"));
    for (const command of [() => other.up(), () => other.hearth("down", "--purge")]) {
      await expect(command()).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('it holds "thesis.txt"'),
      });
    }
    expect(readdirSync(other.home)).toEqual(["data", "thesis.txt"]);
  });

  it("twice at the same time makes one cluster with one node", async () => {
    const printed = await Promise.all([one.up(), one.up()]);
    for (const text of printed) expect(text).toContain(`export KUBECONFIG='${realHome()}/kubeconfig'`);
    const state = await one.hearth("status");
    expect(state.match(/^(agent|containerd|control-plane) +running/gm)).toHaveLength(3);
    expect(state.match(/^node +\S+ Ready$/gm)).toHaveLength(1);
    expect(processTree(1).filter((pid) => commandLineOf(pid).includes(`--state-dir ${realHome()}/agent`))).toHaveLength(
      2,
    );
  });

  it("beside another home gives pods other addresses", async () => {
    await two.up();
    const podCidr = (cluster: OwnCluster) =>
      new Kubectl(cluster.kubeconfigFile).run("get", "nodes", "-o", "jsonpath={.items[*].spec.podCIDR}");
    expect(await podCidr(one)).not.toBe(await podCidr(two));
    await two.hearth("down", "--purge");
    expect(existsSync(two.home)).toBe(false);
  });
});

describe("what up started", () => {
  it.each(["control-plane", "agent"])("comes back when it is killed: the %s", async (what) => {
    // A run that fails at once is not repeated, as nothing would change.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const before = childOf(one, what)!;
    process.kill(before, "SIGKILL");
    await waitFor("another one", () => (childOf(one, what) ?? before) !== before);
    await waitFor("the node to be Ready", async () => (await one.hearth("status").catch(() => "")).includes(" Ready"));
  });

  it("is no second agent's to take over", async () => {
    // The node may still be called Ready while its agent comes back, and a lock is nobody's until then.
    const lock = join(realHome(), "agent/agent.lock");
    await waitFor("the agent to hold its lock", () =>
      readFileSync(lock, "utf8").startsWith(`${childOf(one, "agent")} `),
    );
    const second = one.hearth("agent", "run");
    await expect(second).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("an agent already runs on"),
    });
  });
});

it("down --purge leaves nothing, also after all was killed", async () => {
  await one.hearth("agent", "image", "import", ...writeTestImages(join(dir, "images")).values());
  await kubectl.run("create", "secret", "generic", "s", "--from-literal=a=b");
  await kubectl.apply(POD);
  await kubectl.run("wait", "--for=condition=Ready", "pod/p", "--timeout=60s");
  const uid = await kubectl.run("get", "pod", "p", "-o", "jsonpath={.metadata.uid}");
  const ours = () => processTree(1).filter((pid) => commandLineOf(pid).includes(realHome()));
  const shims = ours().filter((pid) => commandLineOf(pid).includes("containerd-shim"));
  expect(shims).toHaveLength(1);
  const { instance } = findHome({ HEARTH_HOME: one.home });
  for (const pid of [one.controlPlanePid(), ...ours(), ...shims.flatMap(processTree)]) kill(pid);
  await waitFor("all to be gone", () => ours().length === 0);

  await one.hearth("down", "--purge");
  expect(existsSync(one.home)).toBe(false);
  const places = [
    readFileSync("/proc/self/mountinfo", "utf8"),
    ...listIfThere("/var/log/pods"),
    ...listIfThere("/run/netns"),
  ];
  expect(places.filter((text) => text.includes(realHome()) || text.includes(uid))).toEqual([]);
  expect(listIfThere("/var/lib/cni/results").filter((file) => file.includes(uid))).toEqual([]);
  expect((await run("iptables-save", ["-t", "nat"]).catch(() => ({ stdout: "" }))).stdout).not.toContain(instance);
  await two.remove();
  // Tests beside this one may have made something for a moment.
  await waitFor("the network to be as before", async () => isDeepStrictEqual(await machineNetwork(), networkBefore), {
    timeoutMs: 60_000,
  }).catch(() => {});
  expect(await machineNetwork()).toEqual(networkBefore);
});

const POD = `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  volumes: [{name: s, secret: {secretName: s}}, {name: e, emptyDir: {}}, {name: m, emptyDir: {medium: Memory}}]
  containers:
    - name: c
      image: nginx:1.29
      ports: [{containerPort: 80, hostPort: 18431}]
      volumeMounts:
        - {name: s, mountPath: /s}
        - {name: e, mountPath: /e, subPath: x/y}
        - {name: m, mountPath: /m}
`;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went with another one.
  }
}

const listIfThere = (path: string) => (existsSync(path) ? readdirSync(path) : []);
