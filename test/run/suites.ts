import { readdirSync } from "node:fs";
import { join } from "node:path";
import { generateSources } from "../../scripts/build-worker.ts";
import { fetchClients } from "./clients.ts";
import { addCounts, type Counts } from "./counts.ts";
import { prepareMachine } from "./machine.ts";
import { runOracle } from "./oracle.ts";
import { npmProgram, ROOT, runCommand } from "./run-command.ts";
import { runVitest } from "./vitest.ts";

/**
 * What a suite has to itself while it runs. `all`: whatever it builds or checks comes before everything else;
 * `machine`: the machine's network, containers and mounts, which its tests look through for what was left;
 * `process`: only processes and ports of its own, so that it fills the time in which the others wait for pods.
 */
export type Lane = "all" | "machine" | "process";

export interface Suite {
  name: string;
  /** Only run when it is named: it takes too long for every change. */
  nightly?: boolean;
  /** Which suites it may not run beside: others of its lane. */
  lane: Lane;
  /** `filter`: what stood after the suite's name on the command line. */
  run(filter: string[]): Promise<Counts>;
}

const TYPED_FOLDERS = ["shared", "control-plane", "agent", "tsconfig.json"];

/** What `npm run check` runs, each as one test. */
async function runChecks(): Promise<Counts> {
  generateSources();
  const checks: [program: string, args: string[]][] = [
    ["biome", ["ci", "--colors=off", "."]],
    ...TYPED_FOLDERS.map((folder): [string, string[]] => ["tsc", ["-p", folder]]),
    ["node", ["scripts/layers/main.ts"]],
  ];
  let failed = 0;
  for (const [program, args] of checks) {
    console.log(`$ ${program} ${args.join(" ")}`);
    if (!(await runCommand(npmProgram(program), args))) failed++;
  }
  return { passed: checks.length - failed, failed };
}

async function runUnit(filter: string[]): Promise<Counts> {
  generateSources();
  return runVitest(filter);
}

async function runBuild(): Promise<Counts> {
  const succeeded = await runCommand(process.execPath, [join(ROOT, "scripts/build-worker.ts")]);
  return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1 };
}

/** The random tests with a seed of today and many more steps: the store's model, the fuzzing, the
 * properties of merges, the simulated days of a cluster. */
async function runNightly(filter: string[]): Promise<Counts> {
  generateSources();
  const env = { HEARTH_NIGHTLY: "1" };
  const units = await runVitest(filter.length ? filter : ["model.test", "fuzz", "properties.test", "simulation"], env);
  if (filter.length) return units;
  return addCounts(units, await runVitest(["--config", "test/vitest.config.ts", "test/fuzz/"], env));
}

/** The suites of test/<name>/, on real parts: the folders that hold *.test.ts files, save those of the runner itself. */
function endToEndSuites(): Suite[] {
  return readdirSync(join(ROOT, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_END_TO_END.has(entry.name) && holdsTests(entry.name))
    .map(({ name }) => ({
      name,
      nightly: NIGHTLY.has(name),
      lane: WITHOUT_NODES.has(name) ? "process" : "machine",
      run: async (filter: string[]) => {
        const { kubectl, helm } = fetchClients();
        await prepareMachine();
        const files = filter.length ? filter : [`test/${name}/`];
        return runVitest(["--config", "test/vitest.config.ts", ...files], { KUBECTL: kubectl, HELM: helm });
      },
    }));
}

/** Each of their files boots a machine without hardware virtualization. */
const NIGHTLY = new Set(["vm"]);

/** They run control planes at most, or agents that touch nothing but their sockets. */
const WITHOUT_NODES = new Set(["api", "clients", "contract", "crash", "fuzz", "tunnel", "workloads"]);

/** Their tests are unit tests. */
const NOT_END_TO_END = new Set(["builders", "harness", "images", "oracle", "parsers", "rows", "run", "simulation"]);

const holdsTests = (folder: string) =>
  readdirSync(join(ROOT, "test", folder), { recursive: true }).some((file) => String(file).endsWith(".test.ts"));

/** In the order in which they run: the quick and telling ones first. */
export function listSuites(): Suite[] {
  return [
    { name: "check", lane: "all", run: runChecks },
    { name: "unit", lane: "process", run: runUnit },
    { name: "build", lane: "all", run: runBuild },
    ...endToEndSuites(),
    { name: "nightly", lane: "process", nightly: true, run: runNightly },
    { name: "oracle", lane: "process", run: ([pattern]) => runOracle(pattern) },
  ];
}
