import { readFile } from "node:fs/promises";
import { parseAmounts } from "../../shared/api/pod-requests.ts";
import { milliUnits, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import type { KubeletConfiguration } from "../configuration/index.ts";
import {
  type CpuManager,
  createStaticCpuManager,
  noCpuManager,
  parseCpuSet,
  readTopology,
  reserveCpus,
} from "../cpumanager/index.ts";
import type { CriClient } from "../cri/index.ts";
import type { Log } from "../kubelet/index.ts";
import { writeFileAtomically } from "../state/index.ts";
import { AgentError } from "./agent-error.ts";

/** As the configuration wants it. @throws AgentError if the machine cannot be divided that way */
export async function startCpuManager({
  configuration,
  file,
  cri,
  log,
}: {
  configuration: KubeletConfiguration;
  /** Where it is remembered which CPUs are whose. */
  file: string;
  cri: CriClient;
  log: Log;
}): Promise<CpuManager> {
  if (configuration.cpuManagerPolicy === "none") return noCpuManager;
  try {
    const topology = await readTopology();
    const reservedMilli = [configuration.systemReserved, configuration.kubeReserved]
      .map((reserve) => milliUnits(parseAmounts(reserve).get("cpu") ?? ZERO_QUANTITY))
      .reduce((sum, milli) => sum + milli, 0);
    const reserved = reserveCpus(topology, parseCpuSet(configuration.reservedSystemCPUs), reservedMilli);
    return await createStaticCpuManager({
      pool: { topology, reserved },
      load: () => readFile(file, "utf8").catch(ignoreMissing),
      save: (text) => writeFileAtomically(file, text),
      setCpus: (id, resources) => cri.updateContainerResources(id, resources),
      onFailure: (id, error) => log("debug", "cannot move a container to its CPUs", { id, error }),
    });
  } catch (cause) {
    throw new AgentError(`the CPU manager cannot start: ${(cause as Error).message}`);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
