import { existsSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { withStartLock } from "../agent/runtime/index.ts";
import { buildBundles, CONTROL_PLANE_BUNDLE } from "../scripts/build-worker.ts";
import {
  type ClusterNetwork,
  checkNetworkChange,
  DEFAULT_CLUSTER_NETWORK,
  parseClusterNetwork,
} from "../shared/api/cluster-network.ts";
import { messageOf } from "../shared/message-of.ts";
import { type AdminApi, openAdminApi } from "./api.ts";
import { readConfig, writeConfig } from "./config.ts";
import { findDetached, startDetached } from "./detached.ts";
import { progress, UserError } from "./errors.ts";
import type { Home } from "./home.ts";
import { assertPortFree } from "./port.ts";

const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 25;
/** The front door holds little, but V8 would let its young generation grow by a hundred megabytes under load. */
const SMALL_HEAP = ["--max-semi-space-size=2", "--max-old-space-size=192"];
const LOG_TAIL_BYTES = 2000;

export interface ControlPlaneOptions {
  /** Undefined: the one it ran on last, or 6443. */
  port?: number;
  /** Undefined: what it has, or the default. */
  clusterCidr?: string;
  serviceClusterIpRange?: string;
}

/**
 * Starts the control plane if it does not run, and waits until it is ready.
 * @returns the API, and whether it was already running
 */
export async function startControlPlane(
  home: Home,
  options: ControlPlaneOptions,
): Promise<{ api: AdminApi; wasRunning: boolean; readyMs: number }> {
  const startedMs = Date.now();
  // Two at the same time would start it twice, and only one would be found again.
  const wasRunning = await withStartLock(home.startLock, () => startUnlessRunning(home, options));
  const api = await waitUntilReady(home, startedMs);
  return { api, wasRunning, readyMs: Date.now() - startedMs };
}

/** @returns whether it ran already */
async function startUnlessRunning(home: Home, options: ControlPlaneOptions): Promise<boolean> {
  const { port } = options;
  const config = readConfig(home);
  const network = chooseNetwork(config.network, options, existsSync(home.kubeconfigFile));
  if (findDetached(home, "control-plane")) {
    const hint = "stop it first (./hearth down), or give another HEARTH_HOME for a second one";
    if (port !== undefined && port !== config.port) {
      throw new UserError(`the control plane of ${home.dir} runs on port ${config.port}`, hint);
    }
    if (JSON.stringify(network) !== JSON.stringify(config.network)) {
      throw new UserError(`the control plane of ${home.dir} runs with another network`, hint);
    }
    return true;
  }
  const chosen = port ?? config.port;
  await assertPortFree(chosen);
  for (const bundle of await buildBundles()) progress(`built ${bundle}`);
  writeConfig(home, { ...config, port: chosen, ...(network && { network }) });
  progress(`starting the control plane on port ${chosen}`);
  startDetached(home, "control-plane", {
    file: process.execPath,
    args: [...SMALL_HEAP, CONTROL_PLANE_BUNDLE],
    env: {
      HEARTH_PORT: String(chosen),
      ...(network && {
        HEARTH_CLUSTER_CIDR: network.clusterCidrs.join(),
        HEARTH_SERVICE_CLUSTER_IP_RANGE: network.serviceCidrs.join(),
      }),
    },
  });
  return false;
}

/**
 * What is kept of the network: undefined while nobody has said anything of it.
 * @param isMade whether the cluster is there, which then keeps its first ranges
 */
export function chooseNetwork(
  kept: ClusterNetwork | undefined,
  { clusterCidr, serviceClusterIpRange }: ControlPlaneOptions,
  isMade: boolean,
): ClusterNetwork | undefined {
  if (clusterCidr === undefined && serviceClusterIpRange === undefined) return kept;
  const current = kept ?? DEFAULT_CLUSTER_NETWORK;
  const parsed = parseClusterNetwork({ clusterCidr, serviceClusterIpRange }, current);
  if ("error" in parsed) throw new UserError(parsed.error);
  const why = isMade ? checkNetworkChange(current, parsed.network) : undefined;
  if (why !== undefined) throw new UserError(why, "./hearth down --purge makes room for a new cluster");
  const isDefault = kept === undefined && JSON.stringify(parsed.network) === JSON.stringify(DEFAULT_CLUSTER_NETWORK);
  return isDefault ? undefined : parsed.network;
}

async function waitUntilReady(home: Home, sinceMs: number): Promise<AdminApi> {
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  let last = "it has not written its kubeconfig";
  while (Date.now() < deadlineMs) {
    const running = findDetached(home, "control-plane");
    if (!running) {
      throw new UserError(`the control plane ended while it started:\n${logTail(home)}`, "./hearth logs control-plane");
    }
    try {
      // A kubeconfig of an earlier run may name another port: wait for this run's.
      if (
        statSync(home.kubeconfigFile).mtimeMs >= statSync(home.processes["control-plane"].pidFile).mtimeMs ||
        Date.now() - sinceMs > 5000
      ) {
        const api = openAdminApi(home);
        const { status, text } = await api.call("GET", "/readyz");
        if (status === 200) return api;
        last = `readyz: HTTP ${status} ${text.slice(0, 200)}`;
      }
    } catch (error) {
      last = messageOf(error);
    }
    await sleep(READY_POLL_MS);
  }
  throw new UserError(
    `the control plane is not ready after ${READY_TIMEOUT_MS / 1000} s (${last})`,
    "./hearth logs control-plane",
  );
}

function logTail(home: Home): string {
  try {
    return readFileSync(home.processes["control-plane"].logFile, "utf8").slice(-LOG_TAIL_BYTES);
  } catch {
    return "(no log)";
  }
}
