import type { CgroupLimits } from "./limits.ts";

/** What to write into which files of a cgroup v2, in order. */
export function limitFiles(limits: CgroupLimits): [file: string, value: string][] {
  const { cpuMax, hugetlb = {} } = limits;
  const plain: [string, number | string | undefined][] = [
    ["cpu.weight", limits.cpuWeight],
    ["cpu.max", cpuMax && `${cpuMax.quota} ${cpuMax.period}`],
    ["memory.max", limits.memoryMax],
    ["memory.min", limits.memoryMin],
    ["memory.low", limits.memoryLow],
    ["pids.max", limits.pidsMax],
    ...Object.entries(hugetlb).map(([size, max]): [string, number | string] => [`hugetlb.${size}.max`, max]),
  ];
  return plain.flatMap(([file, value]): [string, string][] => (value === undefined ? [] : [[file, String(value)]]));
}
