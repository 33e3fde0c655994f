import { createInterface } from "node:readline/promises";
import { purgeNode } from "../purge/index.ts";
import { containerdIn, findDetached, stopDetached } from "../runtime/index.ts";
import { AgentError } from "./agent-error.ts";
import { readMembership, realDirectory, statePaths } from "./node-config.ts";
import { removeService } from "./systemd.ts";

export interface UninstallOptions {
  stateDir: string;
  /** Of a containerd of our own, which goes too. */
  containerdDir?: string;
  yes: boolean;
}

const GRACE_SECONDS = 30;

/**
 * `agent uninstall`: takes the node off this machine. What it made is gone afterwards, and what it had changed is as it
 * was before; images in a runtime that is not ours stay. The Node in the cluster is for its users to delete, who may want
 * to drain it first. May be repeated when a part of it failed.
 */
export async function uninstall({ stateDir: given, containerdDir, yes }: UninstallOptions): Promise<void> {
  if (process.getuid?.() !== 0) throw new AgentError("only root can remove what the agent made");
  const stateDir = realDirectory(given);
  const { config } = readMembership(stateDir);
  const { nodeName, instance, cniConfigDir } = config;
  console.log(
    `this removes the node "${nodeName}" from this machine: its pods with their data, its network and ${stateDir}`,
  );
  console.log(`drain it first to move its pods: kubectl drain ${nodeName} --ignore-daemonsets --delete-emptydir-data`);
  if (!yes && !(await confirmed())) throw new AgentError("nothing was removed; --yes goes on without asking");

  const unit = removeService(stateDir, instance);
  if (unit) console.log(`removed ${unit}`);
  const paths = statePaths(stateDir);
  if (await stopDetached(paths.pidFile, GRACE_SECONDS)) console.log("stopped the agent");
  const running = findDetached(paths.lock);
  if (running) throw new AgentError(`the agent still runs (pid ${running.pid}): end it first`);

  const failures: string[] = [];
  const ours = containerdDir === undefined ? {} : { containerd: containerdIn(realDirectory(containerdDir)) };
  const runtimeSocket = config.runtimeEndpoint.replace(/^unix:\/\//, "");
  await purgeNode({ stateDir, instance, runtimeSocket, cniConfigDir, ...ours }, (message) => failures.push(message));
  for (const failure of failures) console.error(`left behind: ${failure}`);
  if (failures.length > 0) throw new AgentError("not everything could be removed");
  console.log(`removed the node "${nodeName}"; take it out of the cluster with: kubectl delete node ${nodeName}`);
}

async function confirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("go on? [y/N] ").finally(() => terminal.close());
  return /^y(es)?$/i.test(answer.trim());
}
