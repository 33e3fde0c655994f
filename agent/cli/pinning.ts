import { readFile } from "node:fs/promises";
import { parseAmounts } from "../../shared/api/pod-requests.ts";
import { milliUnits, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import type { KubeletConfiguration } from "../configuration/index.ts";
import {
  checkOptions,
  type NumaNode,
  parseCpuOptions,
  parseCpuSet,
  readNumaNodes,
  readTopology,
  reserveCpus,
} from "../cpumanager/index.ts";
import type { CriClient } from "../cri/index.ts";
import type { Log } from "../log/index.ts";
import { parseReservedMemory } from "../memorymanager/index.ts";
import { createPinning, noPinning, type Pinning, type PinningDeps } from "../pinning/index.ts";
import { writeFileAtomically } from "../state/index.ts";
import { parseTopologyOptions } from "../topologymanager/index.ts";
import { AgentError } from "./agent-error.ts";

export interface PinningOptions {
  configuration: KubeletConfiguration;
  /** Where it is remembered which CPUs are whose, and whose memory is where. */
  files: { cpus: string; memory: string };
  /** What pods do not get of the node, by the node's allocatable. */
  kept: Record<string, string>[];
  cri: CriClient;
  log: Log;
}

/** As the configuration wants it. @throws AgentError if the machine cannot be divided that way */
export async function startPinning({ configuration, files, kept, cri, log }: PinningOptions): Promise<Pinning> {
  const { cpuManagerPolicy, memoryManagerPolicy } = configuration;
  try {
    if (cpuManagerPolicy === "none") refuseOptions(configuration.cpuManagerPolicyOptions);
    const machine = await readNumaNodes();
    const alignment = alignmentOf(configuration, machine);
    if (cpuManagerPolicy === "none" && memoryManagerPolicy === "None") return noPinning;
    return await createPinning({
      ...(cpuManagerPolicy === "static" && { cpus: await cpuPool(configuration, files.cpus) }),
      ...(memoryManagerPolicy === "Static" && {
        memory: {
          machine,
          reserved: parseReservedMemory(configuration.reservedMemory, machine, kept),
          checkpoint: checkpointIn(files.memory),
        },
      }),
      alignment,
      setCpus: (id, resources) => cri.updateContainerResources(id, resources),
      onFailure: (id, error) => log("debug", "cannot move a container to its CPUs", { id, error }),
    });
  } catch (cause) {
    throw new AgentError(`CPUs and memory cannot be given out: ${(cause as Error).message}`);
  }
}

async function cpuPool(configuration: KubeletConfiguration, file: string): Promise<PinningDeps["cpus"]> {
  const topology = await readTopology();
  const options = parseCpuOptions(configuration.cpuManagerPolicyOptions);
  const reservedMilli = [configuration.systemReserved, configuration.kubeReserved]
    .map((reserve) => milliUnits(parseAmounts(reserve).get("cpu") ?? ZERO_QUANTITY))
    .reduce((sum, milli) => sum + milli, 0);
  const reserved = reserveCpus(topology, parseCpuSet(configuration.reservedSystemCPUs), reservedMilli, options);
  checkOptions({ topology, reserved, options }, configuration.topologyManagerPolicy);
  return { topology, reserved, options, checkpoint: checkpointIn(file) };
}

function alignmentOf(
  { topologyManagerPolicy, topologyManagerScope, topologyManagerPolicyOptions }: KubeletConfiguration,
  machine: NumaNode[],
): PinningDeps["alignment"] {
  const options = parseTopologyOptions(topologyManagerPolicyOptions);
  if (topologyManagerPolicy !== "none" && machine.length > options.maxNodes) {
    throw new Error(`unsupported on machines with more than ${options.maxNodes} NUMA Nodes`);
  }
  const distances = new Map(machine.map(({ node, distances }) => [node, distances]));
  const nodes = machine.map(({ node }) => node);
  return {
    policy: topologyManagerPolicy,
    scope: topologyManagerScope,
    machine: { nodes, ...(options.prefersClosest && { distances }) },
  };
}

function refuseOptions(options: Record<string, string>): void {
  const entries = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return;
  const shown = entries.map(([name, value]) => `${name}:${value}`).join(" ");
  throw new Error(`None policy: received unsupported options=map[${shown}]`);
}

const checkpointIn = (file: string) => ({
  file,
  load: () => readFile(file, "utf8").catch(ignoreMissing),
  save: (text: string) => writeFileAtomically(file, text),
});

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
