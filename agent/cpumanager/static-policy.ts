import { isSidecar, qosClass } from "../../shared/api/pod-requests.ts";
import { milliUnits, parseQuantity } from "../../shared/api/quantity.ts";
import type { Container, Pod } from "../api/index.ts";
import { AdmissionError, type Hints, type NumaNodes } from "../topologymanager/index.ts";
import { takeCpus } from "./assign.ts";
import { cpuHints } from "./cpu-hints.ts";
import type { CpuOptions } from "./cpu-options.ts";
import { type CpuSet, union, without } from "./cpu-set.ts";
import { type Cpu, threadsPerCore } from "./topology.ts";

/** Which containers have CPUs of their own; everything else shares the rest. By pod uid and container. */
export type Assignments = Readonly<Record<string, Readonly<Record<string, CpuSet>>>>;

export interface CpuPool {
  topology: readonly Cpu[];
  /** For the system and for those who share: never anybody's own. */
  reserved: CpuSet;
  options: CpuOptions;
}

/** How many CPUs a container is to have for itself: guaranteed pods that ask for whole ones. 0 means none. */
export function exclusiveCount({ spec }: Pod, { resources }: Container): number {
  // Pods with resources as a whole share (the kubelet's PodLevelResourceManagers is off by default).
  if (spec.resources || qosClass(spec) !== "Guaranteed") return 0;
  const milli = milliUnits(parseQuantity(resources?.requests?.["cpu"] ?? resources?.limits?.["cpu"] ?? "0"));
  return milli % 1000 === 0 ? milli / 1000 : 0;
}

const allCpus = ({ topology }: CpuPool): CpuSet => topology.map(({ cpu }) => cpu);

/** What is nobody's own; reserved CPUs are among it, unless they are the system's alone. */
export const sharedCpus = (pool: CpuPool, assignments: Assignments): CpuSet =>
  without(
    pool.options.isReservationStrict ? without(allCpus(pool), pool.reserved) : allCpus(pool),
    union(...Object.values(assignments).flatMap((containers) => Object.values(containers))),
  );

const availableCpus = (pool: CpuPool, assignments: Assignments) =>
  without(sharedCpus(pool, assignments), pool.reserved);

/** What init containers before this one had, and nobody after them has: sidecars keep theirs. */
function reusableCpus({ metadata, spec }: Pod, before: Container | undefined, assignments: Assignments): CpuSet {
  let reusable: CpuSet = [];
  const { initContainers = [], containers } = spec;
  for (const container of [...initContainers, ...containers]) {
    if (container === before) break;
    const own = assignments[metadata.uid]?.[container.name] ?? [];
    const isShortLived = initContainers.includes(container) && !isSidecar(container);
    reusable = isShortLived ? union(reusable, own) : without(reusable, own);
  }
  return reusable;
}

/**
 * Gives a container its CPUs, on these NUMA nodes as far as they have them. One that has CPUs already keeps them.
 * @throws AdmissionError when whole cores are wanted and cannot be had
 * @throws RangeError in upstream's words if there are too few CPUs
 */
export function assignContainer(
  pod: Pod,
  container: Container,
  nodes: NumaNodes | undefined,
  { assignments, pool }: { assignments: Assignments; pool: CpuPool },
): Assignments {
  const { uid } = pod.metadata;
  const count = exclusiveCount(pod, container);
  if (count === 0) return assignments;
  if (pool.options.fullCoresOnly) checkWholeCores(count, assignments, pool);
  if (assignments[uid]?.[container.name]) return assignments;
  const available = union(availableCpus(pool, assignments), reusableCpus(pod, container, assignments));
  const near = nodes ? nearCpus(nodes, available, pool) : [];
  const take = (from: CpuSet, many: number) => takeCpus(pool.topology, from, many, pool.options);
  const aligned = take(near, Math.min(count, near.length));
  const own = union(aligned, take(without(available, aligned), count - aligned.length));
  return { ...assignments, [uid]: { ...assignments[uid], [container.name]: own } };
}

function nearCpus(nodes: NumaNodes, available: CpuSet, { topology, options }: CpuPool): CpuSet {
  const sockets = new Set(topology.filter(({ numa }) => nodes.includes(numa)).map(({ socket }) => socket));
  const isNear = ({ numa, socket }: Cpu) => (options.alignsBySocket ? sockets.has(socket) : nodes.includes(numa));
  return topology.filter((each) => isNear(each) && available.includes(each.cpu)).map(({ cpu }) => cpu);
}

/** No core is to be shared with anybody, nor with the system. */
function checkWholeCores(count: number, assignments: Assignments, pool: CpuPool): void {
  const perCore = threadsPerCore(pool.topology);
  const refuse = (why: string) => {
    throw new AdmissionError("SMTAlignmentError", `SMT Alignment Error: ${why}`);
  };
  if (count % perCore !== 0) refuse(`requested ${count} cpus not multiple cpus per core = ${perCore}`);
  const available = without(sharedCpus(pool, assignments), siblingsOf(pool.reserved, pool.topology)).length;
  if (count <= available) return;
  refuse(
    `not enough free physical CPUs: available physical CPUs = ${available}, requested CPUs = ${count}, CPUs per core = ${perCore}`,
  );
}

function siblingsOf(cpus: CpuSet, topology: readonly Cpu[]): CpuSet {
  const cores = new Set(topology.filter(({ cpu }) => cpus.includes(cpu)).map(({ core }) => core));
  return topology.filter(({ core }) => cores.has(core)).map(({ cpu }) => cpu);
}

/** Where the container's CPUs could be; undefined: it shares, and does not care. */
export function containerCpuHints(
  pod: Pod,
  container: Container,
  { assignments, pool }: { assignments: Assignments; pool: CpuPool },
): Hints | undefined {
  const count = exclusiveCount(pod, container);
  if (count === 0) return undefined;
  const { alignsBySocket } = pool.options;
  const own = assignments[pod.metadata.uid]?.[container.name];
  if (own && own.length !== count) return { cpu: [] };
  const [available, kept] = own
    ? [own, []]
    : [availableCpus(pool, assignments), reusableCpus(pod, container, assignments)];
  return { cpu: cpuHints(pool.topology, { available, kept, count, alignsBySocket }) };
}

/** Where all of the pod's CPUs could be together. */
export function podCpuHints(
  pod: Pod,
  { assignments, pool }: { assignments: Assignments; pool: CpuPool },
): Hints | undefined {
  const count = podCount(pod);
  if (count === 0) return undefined;
  const { alignsBySocket } = pool.options;
  let own: CpuSet = [];
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const cpus = assignments[pod.metadata.uid]?.[container.name];
    if (!cpus) continue;
    if (cpus.length !== exclusiveCount(pod, container)) return { cpu: [] };
    own = union(own, cpus);
  }
  const [available, kept] = own.length === count ? [own, []] : [availableCpus(pool, assignments), own];
  return { cpu: cpuHints(pool.topology, { available, kept, count, alignsBySocket }) };
}

/** The most that its containers have at a time. */
function podCount(pod: Pod): number {
  let [sidecars, peak] = [0, 0];
  for (const container of pod.spec.initContainers ?? []) {
    const count = exclusiveCount(pod, container);
    if (isSidecar(container)) sidecars += count;
    else peak = Math.max(peak, sidecars + count);
  }
  const running = pod.spec.containers.reduce((sum, container) => sum + exclusiveCount(pod, container), sidecars);
  return Math.max(peak, running);
}

export function releasePod(uid: string, assignments: Assignments): Assignments {
  const { [uid]: _, ...rest } = assignments;
  return rest;
}

/**
 * CPUs that nobody gets for itself: those named, or as many whole ones as are reserved for the system, the lowest numbers
 * first. @throws RangeError in upstream's words without any: sharing needs at least one
 */
export function reserveCpus(
  topology: readonly Cpu[],
  named: CpuSet,
  reservedMilli: number,
  options: CpuOptions,
): CpuSet {
  if (named.length > 0) return named;
  if (reservedMilli <= 0) {
    throw new RangeError("the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero");
  }
  return takeCpus(
    topology,
    topology.map(({ cpu }) => cpu),
    Math.ceil(reservedMilli / 1000),
    options,
  );
}

/**
 * Whether what was given out before is still there to be had.
 * @throws Error if the machine has other CPUs now, or those are kept back
 */
export function checkAssignments(assignments: Assignments, pool: CpuPool): void {
  const has = new Set(allCpus(pool));
  for (const [uid, containers] of Object.entries(assignments)) {
    for (const [name, cpus] of Object.entries(containers)) {
      const gone = cpus.filter((cpu) => !has.has(cpu));
      const kept = cpus.filter((cpu) => pool.reserved.includes(cpu));
      if (gone.length === 0 && kept.length === 0) continue;
      const why = gone.length > 0 ? `CPU ${gone[0]} is not there` : `CPU ${kept[0]} is reserved`;
      throw new Error(`pod: ${uid}, container: ${name} has CPUs that it cannot have any more: ${why}`);
    }
  }
}

/** What the machine must be for the options. @throws Error in upstream's words */
export function checkOptions({ topology, options }: CpuPool, topologyPolicy: string): void {
  if (!options.alignsBySocket) return;
  if (topologyPolicy === "single-numa-node") {
    throw new Error(
      "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option",
    );
  }
  const sockets = new Set(topology.map(({ socket }) => socket)).size;
  if (sockets <= new Set(topology.map(({ numa }) => numa)).size) return;
  throw new Error(
    "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA",
  );
}
