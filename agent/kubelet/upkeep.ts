import { access } from "node:fs/promises";
import { isTerminalPhase } from "../../shared/api/pod-phase.ts";
import { messageOf } from "../../shared/message-of.ts";
import type { Pod } from "../api/index.ts";
import { createLogRotation } from "../containerlogs/index.ts";
import {
  createEvictionManager,
  createMeasurement,
  type Eviction,
  hasImageDisk,
  observeDisk,
  observeNode,
  type PodUsage,
  type Pressure,
} from "../eviction/index.ts";
import { createImageGc, isGcDisabled } from "../imagegc/index.ts";
import { SANDBOX_IMAGE } from "../runtime/index.ts";
import { collectGarbage } from "./container-gc.ts";
import type { KubeletDeps } from "./deps.ts";
import * as names from "./names.ts";
import { snapshotRuntime } from "./observe.ts";
import type { PodFailure } from "./status/pod-status.ts";

const IMAGE_GC_MS = 300_000;

export interface UpkeepDeps extends KubeletDeps {
  /** On the disk of volumes. */
  stateDir: string;
  /** The pods that this agent looks after; others may share the runtime. */
  pods(): Pod[];
  /** Settles when the pod's containers have ended. */
  end(pod: Pod, failure: PodFailure, options: { graceSeconds: number }): Promise<void>;
}

/** What the node does for itself while pods run: its logs, its images, its room. */
export interface Upkeep {
  pressures(): ReadonlySet<Pressure>;
  /** What pods take of the node, by uid. */
  measure(pods: readonly Pod[]): Promise<ReadonlyMap<string, PodUsage>>;
  /** Each part at its own pace, until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export function createUpkeep(deps: UpkeepDeps): Upkeep {
  const { cri, clock, log, settings, node, events, stateDir, pods } = deps;
  const { nowMs } = clock;
  const isOurs = (uid: string) => pods().some(({ metadata }) => metadata.uid === uid);
  const statusOf = (pod: Pod) => deps.statuses.current(pod);
  const isFinished = (pod: Pod) => isTerminalPhase(statusOf(pod).phase);

  const imageDirectory = async () => (await cri.imageFsInfo())[0]?.fsId?.mountpoint;
  const places = async () => ({
    nodeDirectory: stateDir,
    imageDirectory: await imageDirectory().catch(() => undefined),
    cgroups: node.cgroups,
  });

  const rotateLogs = createLogRotation({
    cri,
    settings: settings.containerLogs,
    logOf: (container) =>
      isOurs(container.labels[names.POD_UID_LABEL] ?? "") ? names.containerLog(container, node.podLogsRoot) : undefined,
    nowMs,
    onFailure: (file, error) => log("warn", "cannot rotate a container's log", { file, error }),
  });

  const images = createImageGc({
    cri,
    policy: settings.imageGc,
    async disk() {
      const directory = await imageDirectory();
      if (directory === undefined) throw new Error("the runtime does not say where its images are");
      const { bytes } = await observeDisk(directory);
      return { capacityBytes: bytes.capacity, availableBytes: bytes.available };
    },
    spared: async () => [SANDBOX_IMAGE, ...sandboxImages((await cri.status(true)).info)],
    nowMs,
    onWarning: (reason, message) => events.forNode("Warning", reason, message),
    onRemaining: (ids) => deps.state.keepPullRecords(ids),
  });

  const measure = createMeasurement({
    cri,
    cgroups: node.cgroups,
    podDirectory: deps.volumes.podDirectory,
    logDirectory: (pod) => names.podLogDirectory(pod, node.podLogsRoot),
    nowMs,
    volumesMs: settings.volumeStatsMs,
  });
  const eviction = createEvictionManager({
    policy: settings.eviction,
    clock,
    log,
    observe: async () => observeNode(await places()),
    hasImageDisk: async () => hasImageDisk(await places()),
    activePods: () => pods().filter((pod) => !isFinished(pod)),
    measure,
    reclaim: [
      async () => {
        const uids = new Set(pods().map(({ metadata }) => metadata.uid));
        const finished = new Set(
          pods()
            .filter(isFinished)
            .map(({ metadata }) => metadata.uid),
        );
        await collectGarbage(deps, await snapshotRuntime(cri), uids, finished);
      },
      images.removeUnused,
    ],
    evict: (pod, why) => deps.end(pod, renderFailure(why), { graceSeconds: why.graceSeconds }),
    isCleanedUp: (uid) =>
      access(deps.volumes.podDirectory(uid)).then(
        () => false,
        () => true,
      ),
    onThreshold: (message) => events.forNode("Warning", "EvictionThresholdMet", message),
  });

  /** Told when it fails again: at first the runtime may still be starting. */
  let hasFailed = false;
  async function collectImages(): Promise<void> {
    try {
      await images.collect();
      hasFailed = false;
    } catch (error) {
      if (hasFailed) events.forNode("Warning", "ImageGCFailed", messageOf(error));
      hasFailed = true;
      throw error;
    }
  }

  return {
    pressures: eviction.pressures,
    measure,
    async run(signal) {
      async function every(ms: number, what: string, step: () => Promise<void>): Promise<void> {
        while (!signal.aborted) {
          await step().catch((error: unknown) => log("warn", `cannot ${what}`, { error: messageOf(error) }));
          await clock.sleep(ms, signal);
        }
      }
      const collect = isGcDisabled(settings.imageGc) ? images.look : collectImages;
      await Promise.all([
        every(settings.containerLogs.checkMs, "look at containers' logs", rotateLogs),
        every(IMAGE_GC_MS, "make room among images", collect),
        eviction.run(signal),
      ]);
    },
  };
}

/** For its event and status; what disrupts a pod is told to those who count disruptions (KEP-3329). */
function renderFailure({ reason, message, annotations, isDisruption }: Eviction): PodFailure {
  return {
    reason,
    message,
    event: "Warning",
    annotations,
    ...(isDisruption && {
      condition: { type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", message },
    }),
  };
}

/** containerd's word in CRI's verbose status: `sandboxImage` up to 1.7, `pinnedImages.sandbox` since. */
function sandboxImages(info: Record<string, string>): string[] {
  try {
    const config = JSON.parse(info["config"] ?? "{}") as {
      sandboxImage?: unknown;
      pinnedImages?: { sandbox?: unknown };
    };
    return [config.sandboxImage, config.pinnedImages?.sandbox].filter((name) => typeof name === "string");
  } catch {
    return [];
  }
}

/** Those that were evicted and have ended: not even their logs are kept. */
export const isEvicted = ({ phase, reason }: { phase?: string; reason?: string }): boolean =>
  phase === "Failed" && reason === "Evicted";
