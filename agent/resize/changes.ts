import type { Container, Pod, ResourceRequirements } from "../api/index.ts";
import { bytes, cpuMilli } from "../cgroup/index.ts";
import type { Allocation } from "./allocation.ts";

/** A container that runs with other resources than it is granted. */
export interface ContainerChange {
  name: string;
  /** Its resizePolicy wants a restart; then nothing is changed in place. */
  needsRestart: boolean;
  changesMemory: boolean;
  changesCpu: boolean;
  /** Whether a limit goes down, by which others may go up: such changes come first. */
  shrinksMemory: boolean;
  shrinksCpu: boolean;
}

/**
 * What has to be done to the running containers of a pod so that they have what is granted. Only cpu and memory can be
 * resized in place.
 * @param pod as granted
 * @param actuated what its containers run with
 * @param running names of those that run
 */
export function decideChanges(pod: Pod, actuated: Allocation, running: ReadonlySet<string>): ContainerChange[] {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  return all
    .filter(({ name }) => running.has(name) && name in actuated.containers)
    .flatMap((container): ContainerChange[] => {
      const wanted = amountsOf(container.resources, pod.spec.resources);
      const current = amountsOf(actuated.containers[container.name], actuated.pod);
      const changesMemory =
        wanted.memoryLimit !== current.memoryLimit || wanted.memoryRequest !== current.memoryRequest;
      const changesCpu = wanted.cpuLimit !== current.cpuLimit || wanted.cpuRequest !== current.cpuRequest;
      if (!changesMemory && !changesCpu) return [];
      const needsRestart =
        (changesMemory && restartsFor(container, "memory")) || (changesCpu && restartsFor(container, "cpu"));
      return [
        {
          name: container.name,
          needsRestart,
          changesMemory,
          changesCpu,
          shrinksMemory: isLess(wanted.memoryLimit, current.memoryLimit),
          shrinksCpu: isLess(wanted.cpuLimit, current.cpuLimit),
        },
      ];
    });
}

/** Without a policy nothing is restarted. */
const restartsFor = ({ resizePolicy }: Container, resource: "cpu" | "memory") =>
  resizePolicy?.find(({ resourceName }) => resourceName === resource)?.restartPolicy === "RestartContainer";

/** 0 is no limit. */
const isLess = (wanted: number, current: number) => wanted !== 0 && (current === 0 || wanted < current);

/** 0 without one. Where the container has no limit, the pod's counts. */
function amountsOf(own: ResourceRequirements | undefined, ofPod: ResourceRequirements | undefined) {
  const limit = (name: string) => own?.limits?.[name] ?? ofPod?.limits?.[name] ?? "0";
  const request = (name: string) => own?.requests?.[name] ?? "0";
  return {
    cpuLimit: cpuMilli(limit("cpu")),
    cpuRequest: cpuMilli(request("cpu")),
    memoryLimit: bytes(limit("memory")),
    memoryRequest: bytes(request("memory")),
  };
}
