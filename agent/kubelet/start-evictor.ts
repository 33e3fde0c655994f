import { join } from "node:path";
import type { Pod } from "../api/index.ts";
import { ignoreNotFound } from "../cri/index.ts";
import {
  createEvictor,
  type Evictor,
  type EvictorDeps,
  limitsStorage,
  measurePods,
  measureStorage,
  observeNode,
  type UsagePaths,
  whyOverStorage,
} from "../eviction/index.ts";
import { SANDBOX_IMAGE } from "../runtime/index.ts";
import type { KubeletDeps } from "./deps.ts";
import { INSTANCE_ANNOTATION, POD_UID_LABEL, podLogDirectory } from "./names.ts";
import type { NodeEventSink } from "./node-upkeep.ts";

/** Gives the eviction manager its eyes and hands. It does nothing until it is run. */
export function startEvictor(
  { cri, clock, log, settings, node }: KubeletDeps,
  {
    stateDir,
    onNodeEvent,
    ...rest
  }: Pick<EvictorDeps, "pods" | "evict" | "signal"> & {
    stateDir: string;
    onNodeEvent: NodeEventSink;
  },
): Evictor {
  const paths: UsagePaths = {
    logs: (pod) => podLogDirectory(pod, node.podLogsRoot),
    volumes: ({ metadata }) => join(stateDir, "pods", metadata.uid, "volumes"),
  };

  async function imageDisk(): Promise<string | undefined> {
    const [disk] = await cri.imageFsInfo();
    return disk?.fsId?.mountpoint;
  }

  return createEvictor({
    ...rest,
    ...settings.eviction,
    clock,
    observe: async () => observeNode(node.cgroups, { node: stateDir, images: await imageDisk() }),
    usage: (pods, ofDisk) => measurePods(cri, pods, ofDisk ? paths : undefined),
    async overStorage(pods) {
      const limited = pods.filter(limitsStorage);
      if (limited.length === 0) return new Map();
      const stats = Map.groupBy(await cri.listContainerStats(), ({ attributes }) => attributes?.labels[POD_UID_LABEL]);
      const over = new Map<Pod, string>();
      for (const pod of limited) {
        const usage = await measureStorage(pod, stats.get(pod.metadata.uid) ?? [], paths);
        const why = whyOverStorage(pod, usage);
        if (why !== undefined) over.set(pod, why);
      }
      return over;
    },
    async freeDisk() {
      const containers = await cri.listContainers();
      // Others may share the runtime.
      const sandboxes = await cri.listPodSandbox();
      const ours = sandboxes.filter(({ annotations }) => annotations[INSTANCE_ANNOTATION] === node.instance);
      const dead = containers.filter(
        ({ state, podSandboxId }) => state === "CONTAINER_EXITED" && ours.some(({ id }) => id === podSandboxId),
      );
      for (const { id } of dead) await cri.removeContainer(id).catch(ignoreNotFound);
      const used = new Set(containers.filter((each) => !dead.includes(each)).map(({ imageRef }) => imageRef));
      for (const { id, pinned, repoTags } of await cri.listImages()) {
        // Every sandbox needs that one, and older runtimes do not pin it.
        const isSandboxImage = repoTags.includes(SANDBOX_IMAGE);
        if (!pinned && !isSandboxImage && !used.has(id)) await cri.removeImage(id).catch(ignoreNotFound);
      }
    },
    note: onNodeEvent,
    onFailure: (error) => log("warn", "cannot look after the node's resources", { error }),
  });
}

/** For those who count disruptions (KEP-3329, EVI-08). */
export const evictionCondition = (message: string) => ({
  type: "DisruptionTarget" as const,
  status: "True" as const,
  reason: "TerminationByKubelet",
  message,
});
