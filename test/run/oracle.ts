import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OwnCluster } from "../harness/own-cluster.ts";
import { addCounts, type Counts } from "./counts.ts";
import { judgeScenarios, type KnownDifferences, type OracleVerdict, parseDiffering } from "./known-differences.ts";
import { ROOT } from "./run-command.ts";

/** Recorded answers of a real control plane; they lie beside the project, where they are there at all. */
const ORACLE = join(ROOT, "../shared/oracle");
/** Many scenarios sleep or wait for caches, so that two areas fit on two cores. */
const PARALLEL_AREAS = 2;
const KNOWN_DIFFERENCES = join(ROOT, "test/oracle/known-differences.json");

/** The recorded server's own caches lag, and some scenarios wait for that: on a busy machine one may need another try. */
const TRIES = 3;

/**
 * Compares our answers with the recorded ones, each area on a cluster of its own (scenarios of controllers and scheduler
 * want an empty one). Scenarios on the list of known differences are left out, unless a pattern asks for them: `all`, or
 * a regular expression over scenario ids.
 */
export async function runOracle(pattern?: string): Promise<Counts> {
  if (!existsSync(join(ORACLE, "run.mjs"))) {
    console.log("no recorded answers beside the project: skipped");
    return { passed: 0, failed: 0 };
  }
  const known = JSON.parse(readFileSync(KNOWN_DIFFERENCES, "utf8")) as KnownDifferences;
  const wanted = pattern === undefined ? (id: string) => !(id in known) : matcher(pattern);
  const waiting = readdirSync(join(ORACLE, "answers"))
    .sort()
    .map((area) => ({ area, ids: scenarioIds(area).filter(wanted) }))
    .filter(({ ids }) => ids.length > 0);
  const verdicts: { verdict: OracleVerdict; ran: number }[] = [];
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { area, ids } = next;
      const verdict = judgeScenarios(ids, await compareArea(area, ids, known), known);
      for (const id of verdict.unexpected) console.log(`  differs, not listed: ${id}`);
      for (const id of verdict.outdated) console.log(`  listed as a known difference, but agrees: ${id}`);
      console.log(`${area}: ${verdict.agreeing} of ${scenarioIds(area).length} scenarios agree`);
      verdicts.push({ verdict, ran: ids.length });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_AREAS }, runNext));
  const agreeing = verdicts.reduce((total, { verdict }) => total + verdict.agreeing, 0);
  const all = readdirSync(join(ORACLE, "answers")).reduce((total, area) => total + scenarioIds(area).length, 0);
  console.log(`oracle: ${agreeing} of ${all} scenarios agree; ${Object.keys(known).length} are known to differ`);
  return verdicts.reduce((counts, one) => addCounts(counts, one.verdict.counts), { passed: 0, failed: 0 });
}

function matcher(pattern: string): (id: string) => boolean {
  const expression = new RegExp(pattern === "all" ? "." : pattern);
  return (id) => expression.test(id);
}

const scenarioIds = (area: string): string[] =>
  readdirSync(join(ORACLE, "answers", area))
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length));

/** @returns the ids of the scenarios that differ each time; those that may differ are tried once */
async function compareArea(area: string, ids: string[], known: KnownDifferences): Promise<Set<string>> {
  const cluster = await OwnCluster.prepare();
  try {
    await cluster.up("--no-node");
    const differing = await compare(cluster, area, ids);
    for (let round = 1; round < TRIES; round++) {
      const again = [...differing].filter((id) => !(id in known));
      if (again.length === 0) break;
      const still = await compare(cluster, area, again);
      for (const id of again) if (!still.has(id)) differing.delete(id);
    }
    return differing;
  } finally {
    await cluster.remove();
  }
}

async function compare(cluster: OwnCluster, area: string, ids: string[]): Promise<Set<string>> {
  const token = /token: (.+)/.exec(readFileSync(cluster.kubeconfigFile, "utf8"))![1]!;
  const recorded = mkdtempSync(join(tmpdir(), "hearth-oracle-"));
  for (const id of ids) {
    copyFileSync(join(ORACLE, "answers", area, `${id}.json`), join(recorded, `${id}.json`));
  }
  const output = await new Promise<string>((resolve, reject) => {
    const child = spawn(process.execPath, [join(ORACLE, "run.mjs"), "check", recorded], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, BASE: `https://127.0.0.1:${cluster.port}`, TOKEN: token },
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      process.stdout.write(chunk); // a whole area takes minutes
      text += chunk;
    });
    child.once("error", reject);
    child.once("close", () => resolve(text));
  }).finally(() => rmSync(recorded, { recursive: true }));
  if (!/\d+ passed, \d+ failed\n$/.test(output)) throw new Error(`the comparison of ${area} did not end`);
  return parseDiffering(output);
}
