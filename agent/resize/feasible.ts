import { isDeepStrictEqual } from "node:util";
import { qosClass } from "../../shared/api/pod-requests.ts";
import type { Container, Pod } from "../api/index.ts";
import type { SwapBehavior } from "../cgroup/index.ts";

/** Policies of the node under which some resources cannot be changed in place. */
export interface ResizePolicies {
  swapBehavior: SwapBehavior;
  cpuManagerPolicy: "none" | "static";
  memoryManagerPolicy: "None" | "Static";
}

/**
 * Why this node will never grant the resize, in upstream's words; undefined if it may.
 * @param granted the pod as it is granted now
 */
export function whyInfeasible(wanted: Pod, granted: Pod, policies: ResizePolicies): string | undefined {
  const changes = (resource: "cpu" | "memory") =>
    containersOf(wanted).filter((container) => {
      const before = containersOf(granted).find(({ name }) => name === container.name);
      return (
        before && !isDeepStrictEqual(before.resources?.requests?.[resource], container.resources?.requests?.[resource])
      );
    });
  const swaps = changes("memory").some((container) => maySwap(wanted, container) && !restartsForMemory(container));
  if (policies.swapBehavior === "LimitedSwap" && swaps) {
    return "In-place resize of containers with swap is not supported.";
  }
  if (qosClass(wanted.spec) !== "Guaranteed") return undefined;
  if (policies.cpuManagerPolicy === "static" && changes("cpu").length > 0) {
    return 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
  }
  if (policies.memoryManagerPolicy === "Static" && changes("memory").length > 0) {
    return 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"';
  }
  return undefined;
}

const containersOf = ({ spec }: Pod): Container[] => [...(spec.initContainers ?? []), ...spec.containers];

/** Only burstable containers that do not ask for all they may have get swap (KEP-2400). */
const maySwap = ({ spec }: Pod, { resources }: Container) =>
  qosClass(spec) === "Burstable" && resources?.requests?.["memory"] !== resources?.limits?.["memory"];

const restartsForMemory = ({ resizePolicy }: Container) =>
  resizePolicy?.find(({ resourceName }) => resourceName === "memory")?.restartPolicy === "RestartContainer";
