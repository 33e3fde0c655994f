import { createHash, X509Certificate } from "node:crypto";
import { hostname, networkInterfaces } from "node:os";
import { type JoinToken, parseJoinToken } from "../../shared/join-token.ts";
import { parseNodeIps } from "../node/index.ts";
import { AgentError } from "./agent-error.ts";
import { fetchClusterCa, publicKeyHash } from "./cluster-ca.ts";
import { exchangeToken } from "./exchange-token.ts";
import { realDirectory, saveMembership } from "./node-config.ts";
import { checkNodeName } from "./node-name.ts";
import { installService, isSystemdRunning } from "./systemd.ts";

export interface JoinOptions {
  nodeName?: string;
  stateDir: string;
  runtimeEndpoint: string;
  cniConfigDir: string;
  instance?: string;
  /** As `--node-ip` has them. */
  nodeIp?: string;
  /** Whether the agent leads to Services. */
  serviceProxy: boolean;
  /** Whether to write and start a systemd unit where systemd runs. */
  service: boolean;
}

/** `agent join <token>`: makes this machine a member of the cluster. Nothing is left behind if it fails. */
export async function join(text: string, options: JoinOptions): Promise<void> {
  const token = parseToken(text);
  const nodeName = checkNodeName(options.nodeName ?? hostname().toLowerCase());
  const nodeIps = options.nodeIp === undefined ? undefined : checkNodeIps(options.nodeIp);
  const stateDir = realDirectory(options.stateDir);
  const ca = await fetchClusterCa(token.endpoint, token.caHash);
  const { endpoint, secret } = token;
  const answer = await exchangeToken({ endpoint, ca, secret, nodeName, nowMs: Date.now() });
  if (publicKeyHash(new X509Certificate(answer.clusterCa)) !== token.caHash) {
    throw new AgentError("the cluster answered with another CA than the join token names; nothing was kept");
  }
  const instance = options.instance ?? defaultInstance(stateDir);
  const { runtimeEndpoint, cniConfigDir, serviceProxy } = options;
  const config = {
    endpoint,
    cluster: answer.cluster,
    nodeName: answer.nodeName,
    instance,
    runtimeEndpoint,
    cniConfigDir,
    serviceProxy,
    ...(nodeIps && { nodeIps }),
    serviceCidrs: answer.serviceCidrs,
  };
  await saveMembership(stateDir, { config, credential: answer.credential, clusterCa: answer.clusterCa });
  console.log(`node "${answer.nodeName}" has joined the cluster "${answer.cluster}"`);
  if (options.service && isSystemdRunning()) {
    const unit = installService(stateDir, instance);
    console.log(`started ${unit}; its log: journalctl -u ${unit}`);
  } else {
    console.log(`start it with: agent run --state-dir ${stateDir} --detach`);
  }
}

/** @throws AgentError if they are no addresses for a node, or none of this machine */
function checkNodeIps(text: string): string[] {
  let nodeIps: string[];
  try {
    nodeIps = parseNodeIps(text);
  } catch (error) {
    throw new AgentError(`--node-ip: ${(error as Error).message}`);
  }
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  const stranger = nodeIps.find((ip) => !own.includes(ip));
  if (stranger === undefined) return nodeIps;
  throw new AgentError(`--node-ip: node IP: "${stranger}" not found in the host's network interfaces`);
}

function parseToken(text: string): JoinToken {
  try {
    return parseJoinToken(text);
  } catch (error) {
    throw new AgentError((error as Error).message);
  }
}

/** Two state directories are two nodes, also on one machine. */
const defaultInstance = (stateDir: string) => createHash("sha256").update(stateDir).digest("hex").slice(0, 6);
