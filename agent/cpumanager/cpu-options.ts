import { parseBool } from "../topologymanager/index.ts";

/** How the static policy chooses, by the names that the options have in a KubeletConfiguration. */
const OPTIONS = {
  "full-pcpus-only": "fullCoresOnly",
  "distribute-cpus-across-numa": "spreadsOverNodes",
  "align-by-socket": "alignsBySocket",
  "distribute-cpus-across-cores": "spreadsOverCores",
  "strict-cpu-reservation": "isReservationStrict",
  "prefer-align-cpus-by-uncorecache": "prefersOneCache",
} as const;

type OptionName = keyof typeof OPTIONS;
export type CpuOptions = Readonly<Record<(typeof OPTIONS)[OptionName], boolean>>;

const isOption = (name: string): name is OptionName => Object.hasOwn(OPTIONS, name);

export const NO_CPU_OPTIONS = Object.fromEntries(Object.values(OPTIONS).map((field) => [field, false])) as CpuOptions;

const CONFLICTS: [OptionName, OptionName][] = [
  ["full-pcpus-only", "distribute-cpus-across-cores"],
  ["distribute-cpus-across-numa", "distribute-cpus-across-cores"],
  ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-cores"],
  ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"],
];

/** @param options cpuManagerPolicyOptions of a KubeletConfiguration @throws Error in upstream's words */
export function parseCpuOptions(options: Readonly<Record<string, string>>): CpuOptions {
  const parsed: Record<string, boolean> = { ...NO_CPU_OPTIONS };
  for (const [name, text] of Object.entries(options)) {
    if (!isOption(name)) throw new Error(`unknown CPU Manager Policy option: "${name}"`);
    parsed[OPTIONS[name]] = parseBool(name, text);
  }
  for (const [one, other] of CONFLICTS) {
    if (!parsed[OPTIONS[one]] || !parsed[OPTIONS[other]]) continue;
    throw new Error(`static policy options ${one} and ${other} can not be used at the same time`);
  }
  return parsed as CpuOptions;
}
