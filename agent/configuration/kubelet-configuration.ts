import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { z } from "zod";
import { parseQuantity } from "../../shared/api/quantity.ts";
import { CONFIGURABLE_SIGNALS, parseThresholdValue } from "../eviction/index.ts";
import { parseDurationMs } from "./duration.ts";

/** As kubeadm sets it. */
export const CLUSTER_DOMAIN = "cluster.local";

/** Far over what a configuration needs. */
const MAX_FILE_BYTES = 256 * 1024;

const quantity = z.string().refine((text) => isQuantity(text), "is not a quantity");
const amounts = z.record(z.string(), z.union([quantity, z.int()]).transform(String));
/** YAML reads `true` where Go's parser reads a text. */
const options = z.record(z.string(), z.union([z.string(), z.boolean(), z.int()]).transform(String));
const memoryLimits = amounts.superRefine((limits, context) => {
  for (const [name, text] of Object.entries(limits)) {
    if (name !== "memory" && !name.startsWith("hugepages-")) {
      const message = `the limit type "${name}" is not supported, only [memory hugepages-<HugePageSize>] is accepted`;
      context.addIssue({ code: "custom", path: [name], message });
    } else if (parseQuantity(text).nanos === 0n) {
      context.addIssue({ code: "custom", path: [name], message: "reserved memory may not be zero" });
    }
  }
});
const duration = z.string().refine((text) => parseDurationMs(text) !== undefined, "is not a duration like 100ms");

const shutdownPeriod = duration.refine((text) => {
  const ms = parseDurationMs(text) ?? 0;
  return ms === 0 || ms >= 1_000;
}, "must be either zero or otherwise >= 1 sec");

const bySignal = <Value extends z.ZodType>(value: Value) => z.partialRecord(z.enum(CONFIGURABLE_SIGNALS), value);
const thresholds = bySignal(z.string().refine((text) => isThreshold(text), "is neither an amount nor a percentage"));

/** What the kubelet takes where nothing is configured (EVI-03). */
const DEFAULT_EVICTION_HARD = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
};

const IDS_UNIT = 65_536;
const MAX_IDS = 2 ** 32 - 1;

const ENFORCEMENTS = [
  ...["none", "pods", "system-reserved", "system-reserved-compressible"],
  ...["kube-reserved", "kube-reserved-compressible"],
] as const;

/** Whether a pod has to show credentials for an image that is there already (KEP-2535). */
const CREDENTIAL_POLICIES = [
  ...["NeverVerify", "NeverVerifyPreloadedImages"],
  ...["NeverVerifyAllowlistedImages", "AlwaysVerify"],
] as const;

/**
 * KubeletConfiguration (kubelet.config.k8s.io/v1beta1): the fields that this agent obeys, with the kubelet's defaults. One
 * that it does not know is refused rather than ignored.
 */
export const kubeletConfigurationSchema = z
  .strictObject({
    kind: z.literal("KubeletConfiguration").default("KubeletConfiguration"),
    apiVersion: z.literal("kubelet.config.k8s.io/v1beta1").default("kubelet.config.k8s.io/v1beta1"),
    /** Empty: what the cluster has. No other is obeyed. */
    clusterDNS: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .max(1)
      .default([]),
    clusterDomain: z.literal(CLUSTER_DOMAIN).default(CLUSTER_DOMAIN),
    maxPods: z.literal(110).default(110),
    nodeStatusUpdateFrequency: z.literal("10s").default("10s"),
    nodeStatusReportFrequency: z.literal("5m0s").default("5m0s"),
    nodeLeaseDurationSeconds: z.literal(40).default(40),
    podLogsDir: z.literal("/var/log/pods").default("/var/log/pods"),
    /** Empty: `manifests` in the agent's state directory. */
    staticPodPath: z.string().default(""),

    serializeImagePulls: z.boolean().default(true),
    /** Undefined: no limit, if pulls are not one by one. */
    maxParallelImagePulls: z.int().min(1).optional(),
    registryPullQPS: z.int().min(0).default(5),
    registryBurst: z.int().min(0).default(10),
    imagePullCredentialsVerificationPolicy: z.enum(CREDENTIAL_POLICIES).default("NeverVerifyPreloadedImages"),
    preloadedImagesVerificationAllowlist: z.array(z.string()).default([]),

    containerLogMaxSize: quantity.default("10Mi"),
    containerLogMaxFiles: z.int().min(2).default(5),
    containerLogMaxWorkers: z.int().min(1).default(1),
    containerLogMonitorInterval: duration
      .refine((text) => (parseDurationMs(text) ?? 0) >= 3_000, "must be 3s or more")
      .default("10s"),

    imageGCHighThresholdPercent: z.int().min(0).max(100).default(85),
    imageGCLowThresholdPercent: z.int().min(0).max(100).default(80),
    imageMinimumGCAge: duration.default("2m0s"),
    imageMaximumGCAge: duration.default("0s"),

    /** Empty: the kubelet's own, as they are in effect after parsing. */
    evictionHard: thresholds.default({}),
    evictionSoft: thresholds.default({}),
    evictionSoftGracePeriod: bySignal(duration).default({}),
    evictionPressureTransitionPeriod: duration.default("5m0s"),
    evictionMaxPodGracePeriod: z.int().min(0).default(0),
    evictionMinimumReclaim: thresholds.default({}),
    mergeDefaultEvictionSettings: z.boolean().default(false),
    localStorageCapacityIsolation: z.boolean().default(true),
    volumeStatsAggPeriod: duration.default("1m0s"),

    crashLoopBackOff: z
      .strictObject({
        maxContainerRestartPeriod: duration
          .refine((text) => isRestartPeriod(text), "must be between 1s and 300s")
          .default("5m0s"),
      })
      .default({ maxContainerRestartPeriod: "5m0s" }),
    /** Each pod with users of its own gets so many ids (KEP-127). */
    userNamespaces: z
      .strictObject({
        idsPerPod: z
          .int()
          .min(IDS_UNIT, `must not be less than ${IDS_UNIT}`)
          .max(MAX_IDS, `must not be more than ${MAX_IDS}`)
          .multipleOf(IDS_UNIT, `must be a multiple of ${IDS_UNIT}`)
          .default(IDS_UNIT),
      })
      .default({ idsPerPod: IDS_UNIT }),
    allowedUnsafeSysctls: z.array(z.string()).default([]),
    seccompDefault: z.boolean().default(false),

    shutdownGracePeriod: shutdownPeriod.default("0s"),
    shutdownGracePeriodCriticalPods: shutdownPeriod.default("0s"),
    shutdownGracePeriodByPodPriority: z
      .array(
        z.strictObject({
          priority: z
            .int()
            .min(-(2 ** 31))
            .max(2 ** 31 - 1),
          shutdownGracePeriodSeconds: z.int().min(0),
        }),
      )
      .default([]),

    /** Only for runtimes that do not tell theirs. */
    cgroupDriver: z.enum(["cgroupfs", "systemd"]).default("cgroupfs"),
    /** Empty: chosen by how many agents the machine may have. */
    cgroupRoot: z.string().default(""),
    enforceNodeAllocatable: z.array(z.enum(ENFORCEMENTS)).default(["pods"]),
    systemReserved: amounts.default({}),
    kubeReserved: amounts.default({}),
    systemReservedCgroup: z.string().default(""),
    kubeReservedCgroup: z.string().default(""),
    reservedSystemCPUs: z.string().default(""),
    podPidsLimit: z.int().min(-1).default(-1),
    cpuManagerPolicy: z.enum(["none", "static"]).default("none"),
    cpuManagerPolicyOptions: options.default({}),
    cpuManagerReconcilePeriod: duration.default("10s"),
    memoryManagerPolicy: z.enum(["None", "Static"]).default("None"),
    reservedMemory: z.array(z.strictObject({ numaNode: z.int().min(0), limits: memoryLimits })).default([]),
    topologyManagerPolicy: z.enum(["none", "best-effort", "restricted", "single-numa-node"]).default("none"),
    topologyManagerScope: z.enum(["container", "pod"]).default("container"),
    topologyManagerPolicyOptions: options.default({}),
    cpuCFSQuota: z.boolean().default(true),
    cpuCFSQuotaPeriod: duration.default("100ms"),
    /** With cgroup v2 false unless it is set: all of a container is killed. */
    singleProcessOOMKill: z.boolean().optional(),
    memoryThrottlingFactor: z.number().gt(0).max(1).optional(),
    memoryReservationPolicy: z.enum(["None", "TieredReservation"]).default("None"),
    memorySwap: z
      .strictObject({ swapBehavior: z.enum(["", "NoSwap", "LimitedSwap"]).default("") })
      .default({ swapBehavior: "" }),
  })
  .superRefine((config, context) => {
    if (config.serializeImagePulls && (config.maxParallelImagePulls ?? 1) > 1) {
      const message = "cannot be larger than 1 unless serializeImagePulls is false";
      context.addIssue({ code: "custom", path: ["maxParallelImagePulls"], message });
    }
    if (config.imageGCLowThresholdPercent >= config.imageGCHighThresholdPercent) {
      const message = `must be less than imageGCHighThresholdPercent ${config.imageGCHighThresholdPercent}`;
      context.addIssue({ code: "custom", path: ["imageGCLowThresholdPercent"], message });
    }
    const maxAgeMs = parseDurationMs(config.imageMaximumGCAge) ?? 0;
    if (maxAgeMs > 0 && maxAgeMs <= (parseDurationMs(config.imageMinimumGCAge) ?? 0)) {
      const message = `must be greater than imageMinimumGCAge ${config.imageMinimumGCAge}`;
      context.addIssue({ code: "custom", path: ["imageMaximumGCAge"], message });
    }
    const [shutdownMs, criticalMs] = [config.shutdownGracePeriod, config.shutdownGracePeriodCriticalPods].map(
      (text) => parseDurationMs(text) ?? 0,
    );
    if (criticalMs! > shutdownMs!) {
      const message = `must be <= shutdownGracePeriod ${config.shutdownGracePeriod}`;
      context.addIssue({ code: "custom", path: ["shutdownGracePeriodCriticalPods"], message });
    }
    if (config.shutdownGracePeriodByPodPriority.length > 0 && shutdownMs! + criticalMs! > 0) {
      const message = "cannot be specified together with shutdownGracePeriod";
      context.addIssue({ code: "custom", path: ["shutdownGracePeriodByPodPriority"], message });
    }
    const reserved = config.reservedMemory.flatMap(({ numaNode, limits }) =>
      Object.keys(limits).map((name) => `NUMA node ${numaNode} and resource "${name}"`),
    );
    const twice = reserved.find((place, index) => reserved.indexOf(place) !== index);
    if (twice !== undefined) {
      const message = `the reserved memory has a duplicate value for ${twice}`;
      context.addIssue({ code: "custom", path: ["reservedMemory"], message });
    }
    for (const signal of CONFIGURABLE_SIGNALS) {
      if (config.evictionSoft[signal] === undefined || config.evictionSoftGracePeriod[signal] !== undefined) continue;
      const message = "grace period must be specified for the soft eviction threshold";
      context.addIssue({ code: "custom", path: ["evictionSoft", signal], message });
    }
    for (const kind of ["system", "kube"] as const) {
      const isEnforced = [`${kind}-reserved`, `${kind}-reserved-compressible`].some((key) =>
        config.enforceNodeAllocatable.includes(key as (typeof ENFORCEMENTS)[number]),
      );
      if (!isEnforced || config[`${kind}ReservedCgroup`] !== "") continue;
      const message = `must be set, since enforceNodeAllocatable has "${kind}-reserved"`;
      context.addIssue({ code: "custom", path: [`${kind}ReservedCgroup`], message });
    }
  })
  .transform((config) => ({ ...config, evictionHard: effectiveEvictionHard(config) }));

export type KubeletConfiguration = z.infer<typeof kubeletConfigurationSchema>;

/** @param text YAML or JSON; empty is all defaults @throws Error that names the field */
export function parseKubeletConfiguration(text: string): KubeletConfiguration {
  if (text.length > MAX_FILE_BYTES) throw new Error(`it is longer than ${MAX_FILE_BYTES} bytes`);
  const result = kubeletConfigurationSchema.safeParse(parse(text) ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`${issue!.path.join(".") || "it"}: ${issue!.message}`);
}

/**
 * Where there is no file everything has its default.
 * @param clusterDns where this cluster answers names
 * @throws Error that names file and field
 */
export async function readKubeletConfiguration(
  file: string,
  { clusterDns }: { clusterDns: string },
): Promise<KubeletConfiguration> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  try {
    const configuration = parseKubeletConfiguration(text);
    const [named = clusterDns] = configuration.clusterDNS;
    if (named !== clusterDns) throw new Error(`clusterDNS.0: this cluster has ${clusterDns}`);
    return { ...configuration, clusterDNS: [clusterDns] };
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}`, { cause });
  }
}

/** KEP-4603. */
function isRestartPeriod(text: string): boolean {
  const ms = parseDurationMs(text) ?? 0;
  return ms >= 1_000 && ms <= 300_000;
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

/** One's own replace the kubelet's, unless they are to be merged. */
function effectiveEvictionHard(config: {
  evictionHard: Partial<Record<string, string>>;
  mergeDefaultEvictionSettings: boolean;
}): Record<string, string> {
  const own = Object.entries(config.evictionHard).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const takesDefaults = own.length === 0 || config.mergeDefaultEvictionSettings;
  return { ...(takesDefaults ? DEFAULT_EVICTION_HARD : {}), ...Object.fromEntries(own) };
}

function isThreshold(text: string): boolean {
  try {
    parseThresholdValue(text);
    return true;
  } catch {
    return false;
  }
}
