import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  agentCommand,
  agentEnvironment,
  containerdIn,
  containerdPaths,
  ensureContainerd,
  withStartLock,
} from "../agent/runtime/index.ts";
import { isReady } from "../shared/api/conditions.ts";
import { printJoinToken } from "../shared/join-token.ts";
import type { AdminApi } from "./api.ts";
import { findDetached, startDetached } from "./detached.ts";
import { progress, UserError } from "./errors.ts";
import type { Home } from "./home.ts";
import { installMissingPackages } from "./packages.ts";
import { createJoinToken } from "./token.ts";

/** Used at once. */
const JOIN_TTL_SECONDS = 600;
const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 100;

/** Puts packages and a containerd of this home's own in place. @throws UserError if this machine cannot run pods */
export async function prepareRuntime(home: Home): Promise<void> {
  if (process.getuid?.() !== 0) throw new UserError("pods can be run by root only");
  await installMissingPackages();
  const { wasRunning } = await ensureContainerd(containerdIn(home.containerdDir));
  if (!wasRunning) progress("started containerd");
}

/**
 * Joins this machine unless it has joined, starts the agent unless it runs, and waits for the node to be Ready.
 * @param nodeIp the node's addresses, for a machine that has not joined
 */
export async function startNode(home: Home, api: AdminApi, nodeIp: string | undefined): Promise<string> {
  await withStartLock(home.startLock, async () => {
    if (!existsSync(join(home.agentDir, "credential"))) await joinCluster(home, api, nodeIp);
    if (findDetached(home, "agent")) return;
    configureNode(home);
    progress("starting the agent");
    const [file, ...args] = agentCommand(
      ...["run", "--state-dir", home.agentDir, "--containerd-dir", home.containerdDir],
    );
    startDetached(home, "agent", { file, args, env: agentEnvironment(home.agentDir) });
  });
  return waitForNode(home, api);
}

/**
 * The machine is its owner's, and its disk may well be nine tenths full: no reason to end pods or to remove images. The
 * same as kind sets. Whoever wants it otherwise changes the file (docs/node-configuration.md).
 */
const NODE_CONFIGURATION = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
imageGCHighThresholdPercent: 100
evictionHard:
  imagefs.available: "0%"
  nodefs.available: "0%"
  nodefs.inodesFree: "0%"
`;

function configureNode({ agentDir }: Home): void {
  const file = join(agentDir, "kubelet.yaml");
  if (!existsSync(file)) writeFileSync(file, NODE_CONFIGURATION, { mode: 0o600 });
}

async function joinCluster(home: Home, api: AdminApi, nodeIp: string | undefined): Promise<void> {
  const token = await createJoinToken(api, { ttlSeconds: JOIN_TTL_SECONDS, endpoint: api.server });
  const [file, ...args] = agentCommand(
    "join",
    printJoinToken(token),
    ...["--node-name", hostname().toLowerCase()],
    ...["--state-dir", home.agentDir],
    ...["--runtime-endpoint", `unix://${containerdPaths(home.containerdDir).socket}`],
    ...["--cni-config-dir", containerdPaths(home.containerdDir).cniConfDir],
    ...["--instance", home.instance],
    ...(nodeIp === undefined ? [] : ["--node-ip", nodeIp]),
    "--no-service",
  );
  progress("joining this machine as a node");
  // Joining compiles what runs afterwards, into the directory of that.
  mkdirSync(home.agentDir, { recursive: true, mode: 0o700 });
  const env = { ...process.env, ...agentEnvironment(home.agentDir) };
  await new Promise<void>((resolve, reject) =>
    execFile(file, args, { env }, (error, _stdout, stderr) => {
      if (error) reject(new UserError(`this machine could not join: ${stderr.trim().replace(/^error: /, "")}`));
      else resolve();
    }),
  );
}

/** @returns the node's name */
async function waitForNode(home: Home, api: AdminApi): Promise<string> {
  const { nodeName } = JSON.parse(readFileSync(join(home.agentDir, "node.json"), "utf8")) as { nodeName: string };
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  // What the API says may be from before the agent was started: a node counts as Ready for a while after it went.
  while (!(readConnection(home)?.isConnected && (await isNodeReady(api, nodeName)))) {
    const next = "./hearth logs agent";
    if (!findDetached(home, "agent")) throw new UserError("the agent ended while it started", next);
    if (Date.now() > deadlineMs) {
      const connection = readConnection(home);
      const why = connection?.isConnected === false ? connection.lastFailure : undefined;
      throw new UserError(
        `node ${nodeName} is not Ready after ${READY_TIMEOUT_MS / 1000} s${why ? `: ${why}` : ""}`,
        next,
      );
    }
    await sleep(READY_POLL_MS);
  }
  return nodeName;
}

/** What the agent says of its tunnel; undefined if it has said nothing since it was started. */
function readConnection(home: Home): { isConnected: boolean; lastFailure: string } | undefined {
  const file = join(home.agentDir, "connection.json");
  try {
    if (statSync(file).mtimeMs < statSync(home.processes.agent.pidFile).mtimeMs) return undefined;
    return JSON.parse(readFileSync(file, "utf8")) as { isConnected: boolean; lastFailure: string };
  } catch {
    return undefined; // not written yet, or in the middle of it
  }
}

async function isNodeReady(api: AdminApi, name: string): Promise<boolean> {
  const { status, text } = await api.call("GET", `/api/v1/nodes/${name}`);
  if (status !== 200) return false;
  return isReady(JSON.parse(text) as { status?: { conditions?: NodeCondition[] } });
}

interface NodeCondition {
  type: string;
  status: string;
}
