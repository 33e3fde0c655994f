import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { DEFAULT_CLUSTER_NETWORK } from "../../shared/api/cluster-network.ts";
import { writeFileAtomically } from "../state/index.ts";
import { AgentError } from "./agent-error.ts";

export const DEFAULT_STATE_DIR = "/var/lib/hearth";

/** Whose node this is; written by `join`, read by everything else. */
const nodeConfigSchema = z.object({
  endpoint: z.url(),
  cluster: z.string(),
  nodeName: z.string(),
  /** Tells the agents of one machine apart: in names of bridges, cgroups, networks. */
  instance: z.string(),
  /** The runtime's socket: `unix:///run/containerd/containerd.sock`. */
  runtimeEndpoint: z.string(),
  /** Where the runtime looks for its pod network. */
  cniConfigDir: z.string(),
  /** False: the user has another service proxy (kube-proxy, Cilium's). */
  serviceProxy: z.boolean().default(true),
  /** The node's addresses as the user named them: one, or one of each family. */
  nodeIps: z.array(z.string()).max(2).optional(),
  /** The ranges of Services' addresses when the node joined; the first one stays. */
  serviceCidrs: z.array(z.string()).min(1).max(2).default(DEFAULT_CLUSTER_NETWORK.serviceCidrs),
});
export type NodeConfig = z.infer<typeof nodeConfigSchema>;

/** Everything of the agent on disk, below one directory that only its owner may read. */
export const statePaths = (stateDir: string) => ({
  config: join(stateDir, "node.json"),
  credential: join(stateDir, "credential"),
  ca: join(stateDir, "ca.crt"),
  /** Of static pods: what lies here runs. */
  manifests: join(stateDir, "manifests"),
  /** Held by the agent that runs. */
  lock: join(stateDir, "agent.lock"),
  pidFile: join(stateDir, "agent.pid"),
  logFile: join(stateDir, "agent.log"),
  connection: join(stateDir, "connection.json"),
  /** The administrator's, in YAML; need not be there. */
  kubeletConfig: join(stateDir, "kubelet.yaml"),
  /** Which CPUs are whose (policy `static`). */
  cpuAssignments: join(stateDir, "cpu-assignments.json"),
  /** Whose memory is on which NUMA nodes (policy `Static`). */
  memoryAssignments: join(stateDir, "memory-assignments.json"),
  /** The runtime's, as it last told it. */
  cgroupDriver: join(stateDir, "cgroup-driver"),
});

/** The directory as the kernel names it: mounts are listed by their real paths. */
export function realDirectory(path: string): string {
  const absolute = resolve(path);
  return existsSync(absolute) ? realpathSync(absolute) : absolute;
}

export interface Membership {
  config: NodeConfig;
  credential: string;
  clusterCa: string;
}

/** All or nothing: the credential comes last, and without it the machine has not joined. */
export async function saveMembership(stateDir: string, { config, credential, clusterCa }: Membership): Promise<void> {
  const isNew = !existsSync(stateDir);
  const paths = statePaths(stateDir);
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await writeFileAtomically(paths.config, `${JSON.stringify(config, undefined, 2)}\n`);
    await writeFileAtomically(paths.ca, clusterCa);
    await writeFileAtomically(paths.credential, credential);
  } catch (cause) {
    if (isNew) await rm(stateDir, { recursive: true, force: true });
    throw new AgentError(`the state directory ${stateDir} cannot be written: ${(cause as Error).message}`);
  }
}

/** @throws AgentError if this machine has not joined, or its files cannot be read */
export function readMembership(stateDir: string): Membership {
  const paths = statePaths(stateDir);
  if (!existsSync(paths.credential)) {
    throw new AgentError(
      `this machine has not joined a cluster (no credential in ${stateDir}); use "agent join" first`,
    );
  }
  try {
    return {
      config: nodeConfigSchema.parse(JSON.parse(readFileSync(paths.config, "utf8"))),
      credential: readFileSync(paths.credential, "utf8").trim(),
      clusterCa: readFileSync(paths.ca, "utf8"),
    };
  } catch (cause) {
    throw new AgentError(`the files in ${stateDir} are damaged: ${(cause as Error).message}; join again`);
  }
}
