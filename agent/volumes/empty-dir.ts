import type { Pod, Volume } from "../api/index.ts";
import { bytes, podMemoryLimit } from "../cgroup/index.ts";

type EmptyDir = NonNullable<Volume["emptyDir"]>;

/** What an emptyDir is kept in. */
export type EmptyDirMedium =
  | { kind: "disk" }
  | { kind: "memory"; sizeBytes: number }
  | { kind: "hugepages"; pageSize: string };

const HUGE_PAGES = "HugePages";
const HUGE_PAGES_OF = "HugePages-";
const HUGE_PAGE_RESOURCE = "hugepages-";

/**
 * @param allocatableMemoryBytes of the node: no pod can have more
 * @throws Error in upstream's words
 */
export function decideMedium(
  { medium = "", sizeLimit }: EmptyDir,
  pod: Pod,
  allocatableMemoryBytes: number,
): EmptyDirMedium {
  if (medium === "") return { kind: "disk" };
  if (medium === "Memory") {
    return { kind: "memory", sizeBytes: memorySize(sizeLimit, podMemoryLimit(pod.spec), allocatableMemoryBytes) };
  }
  if (medium === HUGE_PAGES || medium.startsWith(HUGE_PAGES_OF)) {
    return { kind: "hugepages", pageSize: findPageSize(medium, pod) };
  }
  throw new Error(`unknown storage medium "${medium}"`);
}

/** The least of what the volume, its pod and all pods may have (KEP-1967). */
function memorySize(sizeLimit: string | undefined, podLimitBytes: number, allocatableBytes: number): number {
  const asked = [sizeLimit === undefined ? 0 : bytes(sizeLimit), podLimitBytes].filter((limit) => limit > 0);
  return Math.min(allocatableBytes, ...asked);
}

/** Of the size that the medium names, or else of the only one that the pod asks for. */
function findPageSize(medium: string, { spec }: Pod): string {
  const all = [
    spec.resources,
    ...[...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => resources),
  ];
  const sizes = new Map(
    all
      .flatMap((resources) => Object.keys(resources?.requests ?? {}))
      .filter((name) => name.startsWith(HUGE_PAGE_RESOURCE))
      .map((name) => name.slice(HUGE_PAGE_RESOURCE.length))
      .map((size) => [bytes(size), size]),
  );
  const wanted = medium.startsWith(HUGE_PAGES_OF) ? bytes(medium.slice(HUGE_PAGES_OF.length)) : undefined;
  if (wanted === undefined && sizes.size > 1) {
    throw new Error(`medium: ${medium} can't be used if container requests multiple huge page sizes`);
  }
  const found = wanted === undefined ? [...sizes.values()][0] : sizes.get(wanted);
  if (found !== undefined) return found;
  throw new Error(`medium ${medium}: hugePages storage requested, but there is no resource request for huge pages`);
}
