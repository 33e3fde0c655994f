import type { CpuManager } from "../cpumanager/index.ts";
import type { CriClient } from "../cri/index.ts";
import * as names from "./names.ts";

/** Tells the CPU manager which containers of this agent run, so that it can move them. */
export async function reconcileCpus(cri: CriClient, cpus: CpuManager, instance: string): Promise<void> {
  const [sandboxes, containers] = await Promise.all([
    cri.listPodSandbox(),
    cri.listContainers({ state: "CONTAINER_RUNNING" }),
  ]);
  const ours = new Set(
    sandboxes.filter(({ annotations }) => annotations[names.INSTANCE_ANNOTATION] === instance).map(({ id }) => id),
  );
  await cpus.reconcile(
    new Map(
      containers
        .filter(({ podSandboxId }) => ours.has(podSandboxId))
        .map(({ id, labels, metadata }) => [id, { uid: labels[names.POD_UID_LABEL] ?? "", name: metadata.name }]),
    ),
  );
}
