/** Far over any machine; it bounds what a range in a file may make. */
const MAX_CPU = 8191;

/** Logical CPUs by their numbers, ascending. */
export type CpuSet = readonly number[];

/** The kernel's list format: `0-3,8`. Empty for none. @throws RangeError if it is none */
export function parseCpuSet(text: string): CpuSet {
  const cpus = new Set<number>();
  for (const part of text.trim().split(",").filter(Boolean)) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || last < first || last > MAX_CPU) throw new RangeError(`not a list of CPUs: ${text}`);
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return ascending(cpus);
}

export function printCpuSet(cpus: CpuSet): string {
  const ranges: [first: number, last: number][] = [];
  for (const cpu of ascending(cpus)) {
    const range = ranges.at(-1);
    if (range && range[1] === cpu - 1) range[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

export const union = (...sets: CpuSet[]): CpuSet => ascending(new Set(sets.flat()));
export const without = (cpus: CpuSet, less: CpuSet): CpuSet => cpus.filter((cpu) => !less.includes(cpu));

const ascending = (cpus: Iterable<number>): CpuSet => [...cpus].sort((a, b) => a - b);
