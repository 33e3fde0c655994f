import { parseQuantity, wholeUnits } from "../../shared/api/quantity.ts";
import { parseThresholds, type Threshold } from "../eviction/index.ts";
import { shutdownPeriods } from "../nodeshutdown/index.ts";
import { parseDurationMs } from "./duration.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";

/** What of the configuration the kubelet's work with pods follows. */
export function kubeletSettings(config: KubeletConfiguration) {
  return {
    maxParallelPulls: config.serializeImagePulls ? 1 : (config.maxParallelImagePulls ?? Number.POSITIVE_INFINITY),
    pullQps: config.registryPullQPS,
    pullBurst: config.registryBurst,
    pullVerification: {
      policy: config.imagePullCredentialsVerificationPolicy,
      allowlist: config.preloadedImagesVerificationAllowlist,
    },
    maxRestartPauseMs: parseDurationMs(config.crashLoopBackOff.maxContainerRestartPeriod)!,
    allowedUnsafeSysctls: config.allowedUnsafeSysctls,
    seccompDefault: config.seccompDefault,
    eviction: {
      thresholds: evictionThresholds(config),
      transitionMs: parseDurationMs(config.evictionPressureTransitionPeriod)!,
      maxGraceSeconds: config.evictionMaxPodGracePeriod,
      limitsStorage: config.localStorageCapacityIsolation,
    },
    shutdownPeriods: shutdownPeriods({
      totalMs: parseDurationMs(config.shutdownGracePeriod)!,
      criticalMs: parseDurationMs(config.shutdownGracePeriodCriticalPods)!,
      byPriority: config.shutdownGracePeriodByPodPriority.map(({ priority, shutdownGracePeriodSeconds }) => ({
        ...{ priority, graceSeconds: shutdownGracePeriodSeconds },
      })),
    }),
    volumeStatsMs: parseDurationMs(config.volumeStatsAggPeriod)!,
    imageGc: {
      highPercent: config.imageGCHighThresholdPercent,
      lowPercent: config.imageGCLowThresholdPercent,
      minAgeMs: parseDurationMs(config.imageMinimumGCAge)!,
      maxAgeMs: parseDurationMs(config.imageMaximumGCAge)!,
    },
    containerLogs: {
      maxBytes: wholeUnits(parseQuantity(config.containerLogMaxSize)),
      maxFiles: config.containerLogMaxFiles,
      workers: config.containerLogMaxWorkers,
      checkMs: parseDurationMs(config.containerLogMonitorInterval)!,
    },
  };
}

/** At which the node ends pods; also what it keeps back of what it promises. */
export function evictionThresholds(config: KubeletConfiguration): Threshold[] {
  const grace = Object.entries(config.evictionSoftGracePeriod).map(([signal, text]) => [
    signal,
    parseDurationMs(text)!,
  ]);
  return parseThresholds({
    evictionHard: config.evictionHard,
    evictionSoft: config.evictionSoft,
    evictionMinimumReclaim: config.evictionMinimumReclaim,
    softGraceMs: Object.fromEntries(grace) as Record<string, number>,
    enforcesPods: config.enforceNodeAllocatable.includes("pods"),
  });
}
