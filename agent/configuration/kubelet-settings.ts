import { parseQuantity, wholeUnits } from "../../shared/api/quantity.ts";
import { parseThresholds } from "../eviction/index.ts";
import { parseDurationMs } from "./duration.ts";
import { type KubeletConfiguration, thresholdSettings } from "./kubelet-configuration.ts";

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
      thresholds: parseThresholds(thresholdSettings(config)),
      transitionMs: parseDurationMs(config.evictionPressureTransitionPeriod)!,
      maxPodGraceSeconds: config.evictionMaxPodGracePeriod,
    },
    containerLogs: {
      maxBytes: wholeUnits(parseQuantity(config.containerLogMaxSize)),
      maxFiles: config.containerLogMaxFiles,
      workers: config.containerLogMaxWorkers,
      checkMs: parseDurationMs(config.containerLogMonitorInterval)!,
    },
  };
}
