import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../shared/message-of.ts";
import { withdrawAll } from "../announce/index.ts";
import { cgroupPath, cgroupProcesses, removeCgroup } from "../cgroup/index.ts";
import { ip, linkExists, removeCniConfig } from "../cni/index.ts";
import { connectRuntime, ignoreNotFound, type Sandbox } from "../cri/index.ts";
import { localInterface } from "../network/local-address.ts"; // index.ts would load every part, and generated code
import {
  overlayName,
  readTablesBefore,
  relayName,
  restoreSysctls,
  routeProtocol,
  wireGuardName,
} from "../podnet/index.ts";
import { tablesOf } from "../proxy/index.ts";
import {
  type ContainerdOptions,
  containerdPaths,
  ensureContainerd,
  findProgram,
  stopContainerd,
} from "../runtime/index.ts";
import { mountsUnder, unmount } from "../volumes/index.ts";
import { removePodNetwork } from "./network.ts";
import { run } from "./run.ts";

const POD_LOGS_ROOT = "/var/log/pods";
const MAX_PARALLEL_SANDBOXES = 4;
const SHIM_GONE_TIMEOUT_MS = 5_000;
const POLL_MS = 20;

export interface NodeTraces {
  /** The agent's own directory; its volumes may be mounted below. */
  stateDir: string;
  /** Part of the names of its bridge, tables and cgroup. */
  instance: string;
  /** Ours, which goes as a whole. */
  containerd?: ContainerdOptions;
  /** The socket of somebody else's runtime, which stays; this node's pods in it go. */
  runtimeSocket?: string;
  /** Where our CNI configuration is, when it outlives the runtime. */
  cniConfigDir?: string;
}

/**
 * Removes what a node made on the machine: pods with their networks, a containerd of ours, mounts, the bridge, routes,
 * nftables tables, cgroups and logs; kernel parameters are put back to what they were. The agent must have ended. May be repeated; after a part of it failed the directories are kept for that.
 * @param log says what could not be removed; the rest goes on
 */
export async function purgeNode(traces: NodeTraces, log: (message: string) => void): Promise<void> {
  let isClean = true;
  const fail = (message: string) => {
    isClean = false;
    log(message);
  };
  const attempt = async (step: string, action: () => unknown): Promise<void> => {
    try {
      await action();
    } catch (error) {
      fail(`${step}: ${messageOf(error)}`);
    }
  };
  const { containerd, runtimeSocket, cniConfigDir, instance, stateDir } = traces;
  const uids = new Set(listPodUids(stateDir));
  const cgroups = (["cgroupfs", "systemd"] as const).map((driver) => cgroupPath([`hearth-${instance}`], driver));
  if (containerd) {
    if (existsSync(containerd.dir) && findProgram("containerd")) {
      await attempt("remove the pods", async () => {
        const { paths } = await ensureContainerd(containerd);
        await removeSandboxes(paths.socket, { isOurs: () => true, onPod: (uid) => uids.add(uid), onFailure: fail });
      });
    }
    await attempt("stop containerd", () => stopContainerd(containerd));
    await attempt("end what containerd left running", () => killShims(containerdPaths(containerd.dir).socket));
  } else if (runtimeSocket !== undefined) {
    const isOurs = (uid: string) => uids.has(uid);
    await attempt("remove the pods", () =>
      removeSandboxes(runtimeSocket, { isOurs, onPod: () => {}, onFailure: fail }),
    );
  }
  await attempt("end what runs in the pods' cgroups", async () => {
    for (const path of cgroups) for (const pid of await cgroupProcesses(path)) killQuietly(pid);
  });
  const directories = [stateDir, ...(containerd ? [containerd.dir] : [])];
  for (const dir of directories) await attempt(`unmount below ${dir}`, () => unmountBelow(dir));
  await attempt("remove the pods' network", async () =>
    removePodNetwork(`hearth-${instance}`, await readTablesBefore(stateDir)),
  );
  await attempt("remove the bridge", () => removeLink(`hearth-${instance}`.slice(0, 15)));
  await attempt("remove the local address", () => removeLink(localInterface(instance)));
  await attempt("take announced addresses off", () => withdrawAll(instance));
  await attempt("remove the ways to other nodes", () => removePaths(instance));
  await attempt("put the kernel's parameters back", () => restoreSysctls(stateDir));
  await attempt("remove the nftables tables", () => removeTables(instance));
  for (const path of cgroups) await attempt("remove the cgroups", () => removeCgroup(path));
  await attempt("remove the pods' logs", () => removePodLogs(uids));
  if (cniConfigDir !== undefined) await attempt("remove the CNI configuration", () => removeCniConfig(cniConfigDir));
  // They say what there was to remove: another attempt needs them.
  if (!isClean) return;
  for (const dir of directories) {
    await attempt(`remove ${dir}`, () => rmSync(dir, { recursive: true, force: true }));
  }
}

/**
 * The agent keeps each pod's volumes in a directory named by its uid, and the pod itself in a file. Of one that has ended
 * the file may be all that is left: of one that was evicted the runtime has nothing either.
 */
function listPodUids(stateDir: string): string[] {
  const namesIn = (directory: string) => (existsSync(directory) ? readdirSync(directory) : []);
  const checkpoints = namesIn(join(stateDir, "checkpoint", "pods")).map((name) => name.replace(/\.json$/, ""));
  return [...namesIn(join(stateDir, "pods")), ...checkpoints];
}

/** Properly, through CRI, so that the network plugins give back addresses and rules. One that resists holds up no other. */
async function removeSandboxes(
  socketPath: string,
  {
    isOurs,
    onPod,
    onFailure,
  }: { isOurs(uid: string): boolean; onPod(uid: string): void; onFailure(message: string): void },
): Promise<void> {
  const runtime = connectRuntime({ socketPath });
  try {
    const sandboxes = await runtime.listPodSandbox();
    const waiting = sandboxes.filter(({ metadata }) => isOurs(metadata.uid));
    const removeNext = async (): Promise<void> => {
      for (let next: Sandbox | undefined = waiting.pop(); next; next = waiting.pop()) {
        onPod(next.metadata.uid);
        try {
          await runtime.stopPodSandbox(next.id).catch(ignoreNotFound);
          await runtime.removePodSandbox(next.id).catch(ignoreNotFound);
        } catch (error) {
          onFailure(`pod ${next.metadata.namespace}/${next.metadata.name}: ${messageOf(error)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: MAX_PARALLEL_SANDBOXES }, removeNext));
  } finally {
    runtime.close();
  }
}

/** A shim names the containerd that it belongs to on its command line; its containers are its children. */
async function killShims(socket: string): Promise<void> {
  const find = () =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0)
      .filter((pid) => {
        const args = commandLine(pid);
        return args[0]?.includes("containerd-shim") && args[args.indexOf("-address") + 1] === socket;
      });
  const shims = find();
  for (const shim of shims) {
    for (const child of childrenOf(shim)) killQuietly(child);
    killQuietly(shim);
  }
  const deadlineMs = Date.now() + SHIM_GONE_TIMEOUT_MS;
  while (find().length > 0 && Date.now() < deadlineMs) await sleep(POLL_MS);
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // it ended meanwhile
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it ended meanwhile
  }
}

async function unmountBelow(dir: string): Promise<void> {
  for (const path of await mountsUnder(dir)) await unmount(path);
}

async function removePaths(instance: string): Promise<void> {
  for (const name of [overlayName(instance), relayName(instance), wireGuardName(instance)]) await removeLink(name);
  for (const family of ["-4", "-6"]) {
    await ip(family, "route", "flush", "proto", String(routeProtocol(instance)));
  }
}

async function removeLink(name: string): Promise<void> {
  if (await linkExists(name)) await ip("link", "delete", name);
}

/** Ours have the instance in their names; the service proxy's has it within. */
async function removeTables(instance: string): Promise<void> {
  if (findProgram("nft"))
    for (const [family, table] of await tablesOf(instance)) run("nft", ["delete", "table", family, table]);
  for (const line of run("nft", ["list", "tables"], { isOptional: true }).split("\n")) {
    const [, family, table] = /^table (\S+) (\S+)$/.exec(line.trim()) ?? [];
    if (family && table?.startsWith("hearth") && table.includes(instance))
      run("nft", ["delete", "table", family, table]);
  }
}

/** `<namespace>_<name>_<uid>`: the directory is shared by all nodes of a machine, the uid is not. */
function removePodLogs(uids: ReadonlySet<string>): void {
  if (!existsSync(POD_LOGS_ROOT)) return;
  for (const entry of readdirSync(POD_LOGS_ROOT)) {
    if (uids.has(entry.split("_").at(-1)!)) rmSync(join(POD_LOGS_ROOT, entry), { recursive: true, force: true });
  }
}
