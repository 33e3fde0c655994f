import { type Container, type Pod, printPod } from "../api/index.ts";
import {
  type CgroupLimits,
  type CgroupSettings,
  containerResources,
  type PodCgroups,
  podLimits,
} from "../cgroup/index.ts";
import type { CriClient } from "../cri/index.ts";
import { type Allocation, withAllocation } from "./allocation.ts";
import type { ContainerChange } from "./changes.ts";

export interface ResizeTarget {
  /** As granted. */
  pod: Pod;
  /** What its containers run with. Brought up to date, container by container, as the runtime takes the changes. */
  actuated: Allocation;
  /** Those to be changed in place. */
  changes: ContainerChange[];
  /** Ids of the running containers by name. */
  ids: ReadonlyMap<string, string>;
}

interface Deps {
  cri: Pick<CriClient, "updateContainerResources" | "containerStats">;
  cgroups: PodCgroups;
  settings: CgroupSettings;
}

/**
 * Changes running containers, memory before CPU. The pod's own cgroup grows before its containers, and shrinks after them.
 * What was done when a step fails stays; the next attempt goes on from there.
 * @throws Error that names the step
 */
export async function actuateResize(deps: Deps, target: ResizeTarget): Promise<void> {
  const { pod, actuated } = target;
  const wanted = podLimits(pod, deps.settings);
  const current = podLimits(withAllocation(pod, actuated), deps.settings);
  await checkMemoryUse(deps, target, { wanted, current });

  const memory = wanted.memoryMax === "max" ? {} : { memoryMax: wanted.memoryMax };
  const growsMemory = isMore(wanted.memoryMax, current.memoryMax);
  if (growsMemory) await deps.cgroups.resize(pod, memory);
  await updateContainers(deps, target, "memory");
  if (!growsMemory) await deps.cgroups.resize(pod, memory);

  // A limit is not taken away, since upstream does not either: what every container has not is left as it was.
  const cpu = { cpuWeight: wanted.cpuWeight, ...(wanted.cpuMax?.quota !== "max" && { cpuMax: wanted.cpuMax }) };
  const growsCpu = isMore(wanted.cpuMax?.quota, current.cpuMax?.quota);
  if (growsCpu) await deps.cgroups.resize(pod, cpu);
  await updateContainers(deps, target, "cpu");
  if (!growsCpu) await deps.cgroups.resize(pod, cpu);
  if (pod.spec.resources) actuated.pod = pod.spec.resources;
}

/** Makes room in the pod's own cgroup for what its containers will be given. */
export async function growPod(deps: Deps, { pod, actuated }: ResizeTarget): Promise<void> {
  const wanted = podLimits(pod, deps.settings);
  const current = podLimits(withAllocation(pod, actuated), deps.settings);
  if (isMore(wanted.memoryMax, current.memoryMax)) await deps.cgroups.resize(pod, { memoryMax: wanted.memoryMax });
  if (isMore(wanted.cpuMax?.quota, current.cpuMax?.quota)) await deps.cgroups.resize(pod, { cpuMax: wanted.cpuMax });
}

const isMore = (wanted: number | "max" | undefined, current: number | "max" | undefined) =>
  typeof wanted === "number" && typeof current === "number" && wanted > current;

/** The runtime would take the limit, and the kernel kill what is over it. */
async function checkMemoryUse(
  { cri, settings }: Deps,
  { pod, changes, ids }: ResizeTarget,
  { wanted, current }: { wanted: CgroupLimits; current: CgroupLimits },
): Promise<void> {
  const shrinksPod =
    typeof wanted.memoryMax === "number" && (current.memoryMax === "max" || wanted.memoryMax < current.memoryMax!);
  const shrinking = changes.filter(({ shrinksMemory }) => shrinksMemory);
  if (!shrinksPod && shrinking.length === 0) return;
  const usage = new Map<string, number>();
  for (const [name, id] of ids) {
    const stats = await cri.containerStats(id).catch((cause: unknown) => {
      throw new Error(`unable to read memory usage for pod "${printPod(pod)}"`, { cause });
    });
    usage.set(name, stats.memory?.usageBytes?.value ?? stats.memory?.workingSetBytes?.value ?? 0);
  }
  const total = [...usage.values()].reduce((sum, bytes) => sum + bytes, 0);
  const errors: string[] = [];
  if (shrinksPod && total >= (wanted.memoryMax as number)) {
    errors.push(`attempting to set pod memory limit (${wanted.memoryMax}) below current usage (${total})`);
  }
  for (const { name } of shrinking) {
    const limit = containerResources(pod, containerOf(pod, name), settings).memoryLimitInBytes ?? 0;
    if (usage.get(name)! < limit) continue;
    errors.push(
      `attempting to set container "${name}" memory limit (${limit}) below current usage (${usage.get(name)})`,
    );
  }
  if (errors.length === 0) return;
  const text = errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`;
  throw new Error(`cannot decrease memory limits: ${text}`);
}

async function updateContainers(
  { cri, settings }: Deps,
  { pod, actuated, changes, ids }: ResizeTarget,
  resource: "memory" | "cpu",
): Promise<void> {
  const concerned = changes.filter((change) => (resource === "memory" ? change.changesMemory : change.changesCpu));
  const shrinks = (change: ContainerChange) => (resource === "memory" ? change.shrinksMemory : change.shrinksCpu);
  for (const { name } of concerned.sort((a, b) => Number(shrinks(b)) - Number(shrinks(a)))) {
    const granted = containerOf(pod, name);
    const next = {
      requests: merged(actuated.containers[name]?.requests, granted.resources?.requests, resource),
      limits: merged(actuated.containers[name]?.limits, granted.resources?.limits, resource),
    };
    await cri.updateContainerResources(
      ids.get(name)!,
      containerResources(pod, { ...granted, resources: next }, settings),
    );
    actuated.containers[name] = next;
  }
}

const containerOf = ({ spec }: Pod, wanted: string): Container =>
  [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => name === wanted)!;

/** The amounts that run, with one resource as it is granted. */
function merged(
  running: Record<string, string> = {},
  granted: Record<string, string> = {},
  resource: string,
): Record<string, string> {
  const { [resource]: _, ...rest } = running;
  return granted[resource] === undefined ? rest : { ...rest, [resource]: granted[resource] };
}
