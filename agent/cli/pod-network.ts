import { join } from "node:path";
import { ensureBridge, writeCniConfig } from "../cni/index.ts";
import type { Log } from "../kubelet/index.ts";
import type { NodeConfig } from "./node-config.ts";

/** Ethernet's. */
const MTU = 1500;

/** The bridge of this agent's pods; 15 characters are what Linux allows. */
export const bridgeName = (instance: string) => `hearth-${instance}`.slice(0, 15);

/** Puts the pod network in place once the node has a range of addresses. */
export async function configurePodNetwork(
  { instance, cniConfigDir }: NodeConfig,
  stateDir: string,
  podCidrs: string[],
  log: Log,
): Promise<void> {
  const network = { podCidrs, bridgeName: bridgeName(instance), mtu: MTU, instance, dataDir: join(stateDir, "cni") };
  await ensureBridge({ name: network.bridgeName, podCidr: podCidrs[0] ?? "", mtu: MTU }).catch((error: unknown) => {
    log("warn", "the pods' bridge could not be made; the first pod will make it", { error: String(error) });
  });
  const outcome = await writeCniConfig(cniConfigDir, network);
  if (outcome.kind === "overridden") {
    log("warn", "another CNI configuration comes first and is used instead of ours", { file: outcome.file });
  } else {
    log("info", "the pod network is configured", { podCidrs, outcome: outcome.kind });
  }
}
