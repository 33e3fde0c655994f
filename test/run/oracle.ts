import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OwnCluster } from "../harness/own-cluster.ts";
import { addCounts, type Counts } from "./counts.ts";
import { judgeScenarios, type KnownDifferences, parseDiffering } from "./known-differences.ts";
import { ROOT } from "./run-command.ts";

/** Recorded answers of a real control plane; they lie beside the project, where they are there at all. */
const ORACLE = join(ROOT, "../shared/oracle");
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
  let counts: Counts = { passed: 0, failed: 0 };
  let agreeing = 0;
  let ran = 0;
  for (const area of readdirSync(join(ORACLE, "answers")).sort()) {
    const ids = scenarioIds(area, pattern);
    if (ids.length === 0) continue;
    const verdict = judgeScenarios(ids, await compareArea(area, pattern), known);
    for (const id of verdict.unexpected) console.log(`  differs, not listed: ${id}`);
    for (const id of verdict.outdated) console.log(`  listed as a known difference, but agrees: ${id}`);
    console.log(`${area}: ${verdict.agreeing} of ${ids.length} scenarios agree`);
    counts = addCounts(counts, verdict.counts);
    agreeing += verdict.agreeing;
    ran += ids.length;
  }
  console.log(`oracle: ${agreeing} of ${ran} scenarios agree`);
  return counts;
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
