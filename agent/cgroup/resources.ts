import { parseAmounts, qosClass } from "../../shared/api/pod-requests.ts";
import { type Container, isCritical, type Pod } from "../api/index.ts";
import type { LinuxResources } from "../cri/index.ts";
import { limitOf, requestOf } from "./container-amounts.ts";
import { cpuQuota, cpuShares } from "./cpu.ts";
import { hugetlbLimits } from "./hugetlb.ts";
import { unifiedFiles } from "./memory-qos.ts";
import { oomScoreAdj } from "./oom-score.ts";
import { bytes, cpuMilli } from "./quantity.ts";
import type { CgroupSettings } from "./settings.ts";

/**
 * What the runtime is to give a container. Where the container has no limit of its own, the pod's is the most that it can
 * get (KEP-2837).
 */
export function containerResources(pod: Pod, container: Container, settings: CgroupSettings): LinuxResources {
  const { cpuPeriod, enforcesCpuLimits, hugePageSizes } = settings;
  const ofPod = { resources: pod.spec.resources };
  const cpuLimit = limitOf(container, "cpu", cpuMilli) || limitOf(ofPod, "cpu", cpuMilli);
  const memory = limitOf(container, "memory", bytes) || limitOf(ofPod, "memory", bytes);
  const quota = enforcesCpuLimits ? cpuQuota(cpuLimit, cpuPeriod) : 0;
  const cpuRequest = container.resources?.requests?.["cpu"];
  const unified = unifiedFiles(
    {
      qos: qosClass(pod.spec),
      isCritical: isCritical(pod),
      requestBytes: requestOf(container, "memory", bytes),
      limitBytes: limitOf(container, "memory", bytes),
    },
    settings,
  );
  const amounts = parseAmounts({ ...pod.spec.resources?.limits, ...container.resources?.limits });
  const hugepageLimits = Object.entries(hugetlbLimits(amounts, hugePageSizes));
  return {
    cpuShares: cpuShares(cpuRequest === undefined ? cpuLimit : cpuMilli(cpuRequest)),
    cpuPeriod,
    ...(quota > 0 && { cpuQuota: quota }),
    ...(memory > 0 && { memoryLimitInBytes: memory }),
    oomScoreAdj: oomScoreAdj(pod, container, settings.memoryBytes),
    ...(hugepageLimits.length > 0 && {
      hugepageLimits: hugepageLimits.map(([pageSize, limit]) => ({ pageSize, limit })),
    }),
    ...(Object.keys(unified).length > 0 && { unified }),
  };
}
