import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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

/**
 * Compares our answers with the recorded ones, each area on a cluster of its own (scenarios of controllers and scheduler
 * want an empty one). @param pattern a regular expression over scenario ids
 */
export async function runOracle(pattern = "."): Promise<Counts> {
  if (!existsSync(join(ORACLE, "run.mjs"))) {
    console.log("no recorded answers beside the project: skipped");
    return { passed: 0, failed: 0 };
  }
  const known = JSON.parse(readFileSync(KNOWN_DIFFERENCES, "utf8")) as KnownDifferences;
  const areas = readdirSync(join(ORACLE, "answers")).sort();
  const waiting = areas.map((area) => ({ area, ids: scenarioIds(area, pattern) })).filter(({ ids }) => ids.length > 0);
  const verdicts: { verdict: OracleVerdict; ran: number }[] = [];
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { area, ids } = next;
      const verdict = judgeScenarios(ids, await compareArea(area, pattern), known);
      for (const id of verdict.unexpected) console.log(`  differs, not listed: ${id}`);
      for (const id of verdict.outdated) console.log(`  listed as a known difference, but agrees: ${id}`);
      console.log(`${area}: ${verdict.agreeing} of ${ids.length} scenarios agree`);
      verdicts.push({ verdict, ran: ids.length });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_AREAS }, runNext));
  const sum = (of: (one: (typeof verdicts)[0]) => number) => verdicts.reduce((total, one) => total + of(one), 0);
  console.log(`oracle: ${sum((one) => one.verdict.agreeing)} of ${sum((one) => one.ran)} scenarios agree`);
  return verdicts.reduce((counts, one) => addCounts(counts, one.verdict.counts), { passed: 0, failed: 0 });
}

const scenarioIds = (area: string, pattern: string) =>
  readdirSync(join(ORACLE, "answers", area))
    .filter((file) => file.endsWith(".json") && new RegExp(pattern).test(file))
    .map((file) => file.slice(0, -".json".length));

async function compareArea(area: string, pattern: string): Promise<Set<string>> {
  const cluster = await OwnCluster.prepare();
  try {
    await cluster.up("--no-node");
    const token = /token: (.+)/.exec(readFileSync(cluster.kubeconfigFile, "utf8"))![1]!;
    const output = await new Promise<string>((resolve, reject) => {
      const child = spawn(
        process.execPath,
        [join(ORACLE, "run.mjs"), "check", join(ORACLE, "answers", area), pattern],
        {
          stdio: ["ignore", "pipe", "inherit"],
          env: { ...process.env, BASE: `https://127.0.0.1:${cluster.port}`, TOKEN: token },
        },
      );
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      child.once("error", reject);
      child.once("close", () => resolve(text));
    });
    process.stdout.write(output);
    if (!/\d+ passed, \d+ failed\n$/.test(output)) throw new Error(`the comparison of ${area} did not end`);
    return parseDiffering(output);
  } finally {
    await cluster.remove();
  }
}
