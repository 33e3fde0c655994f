import type { CriClient } from "../cri/index.ts";
import type { Pinning } from "../pinning/index.ts";
import * as names from "./names.ts";

/** Tells which containers of this agent run, so that they can be moved to their CPUs. */
export async function reconcileCpus(cri: CriClient, pinning: Pinning, instance: string): Promise<void> {
  const [sandboxes, containers] = await Promise.all([
    cri.listPodSandbox(),
    cri.listContainers({ state: "CONTAINER_RUNNING" }),
  ]);
  const ours = new Set(
    sandboxes.filter(({ annotations }) => annotations[names.INSTANCE_ANNOTATION] === instance).map(({ id }) => id),
  );
  await pinning.reconcile(
    new Map(
      containers
        .filter(({ podSandboxId }) => ours.has(podSandboxId))
        .map(({ id, labels, metadata }) => [id, { uid: labels[names.POD_UID_LABEL] ?? "", name: metadata.name }]),
    ),
  );
}
