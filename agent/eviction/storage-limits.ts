import { aggregateContainerLimits } from "../../shared/api/pod-requests.ts";
import { parseQuantity, printQuantity, wholeUnits } from "../../shared/api/quantity.ts";
import type { Pod } from "../api/index.ts";
import type { StorageUsage } from "./usage.ts";

const EPHEMERAL = "ephemeral-storage";

/** Whether the pod has limits that no cgroup holds, so that its files have to be looked at (EVI-13). */
export const limitsStorage = ({ spec }: Pod): boolean =>
  spec.containers.some(({ resources }) => resources?.limits?.[EPHEMERAL] !== undefined) ||
  (spec.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined && emptyDir.medium !== "Memory");

/**
 * Why a pod has to go for what it has written, in upstream's words; undefined if it need not. A container's own limit is
 * named before the sum of all (EVI-14): where there is but one, both are passed at once.
 */
export function whyOverStorage(pod: Pod, { containers, emptyDirs }: StorageUsage): string | undefined {
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit;
    if (limit === undefined || wholeUnits(parseQuantity(limit)) === 0) continue;
    if ((emptyDirs[name] ?? 0) > wholeUnits(parseQuantity(limit))) {
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
    }
  }
  for (const { name, resources } of pod.spec.containers) {
    const limit = resources?.limits?.[EPHEMERAL];
    if (limit === undefined || (containers[name] ?? 0) <= wholeUnits(parseQuantity(limit))) continue;
    return `Container ${name} exceeded its local ephemeral storage limit "${limit}". `;
  }
  const total = aggregateContainerLimits(pod.spec).get(EPHEMERAL);
  const all = [...Object.values(containers), ...Object.values(emptyDirs)].reduce((a, b) => a + b, 0);
  if (total && all > wholeUnits(total)) {
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${printQuantity(total)}. `;
  }
  return undefined;
}
