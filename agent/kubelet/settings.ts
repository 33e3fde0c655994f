import type { LogRotationSettings } from "../containerlogs/index.ts";
import type { EvictionPolicy } from "../eviction/index.ts";
import type { ImageGcPolicy } from "../imagegc/index.ts";
import type { PriorityPeriod } from "../nodeshutdown/index.ts";
import { type IdSpace, idSpace } from "../userns/index.ts";
import type { VerificationSettings } from "./images/index.ts";

/** What an administrator may set, of what the kubelet does with pods. */
export interface KubeletSettings {
  /** The directory of the manifests of static pods; undefined for none. */
  staticPodPath?: string;
  /** Image pulls at a time; Infinity for no limit. */
  maxParallelPulls: number;
  /** Image pulls begun in a second, on average and at once; 0 for no limit. */
  pullQps: number;
  pullBurst: number;
  pullVerification: VerificationSettings;
  /** The longest pause before a crashed container is started again. */
  maxRestartPauseMs: number;
  /** Names, or prefixes that end in `*`. */
  allowedUnsafeSysctls: string[];
  /** RuntimeDefault, not Unconfined, for containers that name no seccomp profile. */
  seccompDefault: boolean;
  containerLogs: LogRotationSettings;
  imageGc: ImageGcPolicy;
  eviction: EvictionPolicy;
  /** How long pods may take to end when the machine is shut down; empty: it does not wait. */
  shutdownPeriods: readonly PriorityPeriod[];
  /** Of pods that have their own (hostUsers: false). */
  userIds: IdSpace;
  /** How old what was measured of volumes may be when pods are held to what they may take of the disk. */
  volumeStatsMs: number;
}

/** The kubelet's own (KubeletConfiguration v1beta1). */
export const DEFAULT_SETTINGS: KubeletSettings = {
  maxParallelPulls: 1,
  pullQps: 5,
  pullBurst: 10,
  pullVerification: { policy: "NeverVerifyPreloadedImages", allowlist: [] },
  maxRestartPauseMs: 300_000,
  allowedUnsafeSysctls: [],
  seccompDefault: false,
  imageGc: { highPercent: 85, lowPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 },
  eviction: { thresholds: [], transitionMs: 300_000, maxGraceSeconds: 0, limitsStorage: true },
  userIds: idSpace({ idsPerPod: 65_536, maxPods: 110 }),
  shutdownPeriods: [],
  volumeStatsMs: 60_000,
  containerLogs: { maxBytes: 10 * 2 ** 20, maxFiles: 5, workers: 1, checkMs: 10_000 },
};
