/**
 * `./hearth test [suite]`: runs suites one after the other, sets up what they need, and ends with one line of counts.
 * How a suite tests is its own matter.
 */
import { addCounts, type Counts, renderCounts } from "./counts.ts";
import { listSuites } from "./suites.ts";

/** No suite has the name; the message lists those there are. */
export class UnknownSuite extends Error {}

/** @throws UnknownSuite */
export async function runTests(name: string | undefined, filter: string[]): Promise<void> {
  const all = listSuites();
  const chosen = all.filter((suite) => (name === undefined ? !suite.nightly : suite.name === name));
  if (chosen.length === 0) {
    throw new UnknownSuite(`there is no suite "${name}"; there are: ${all.map((suite) => suite.name).join(", ")}`);
  }
  let total: Counts = { passed: 0, failed: 0 };
  const lines: string[] = [];
  for (const suite of chosen) {
    console.log(`\n== ${suite.name}`);
    const startedMs = Date.now();
    const counts = await suite.run(filter).catch((error: unknown): Counts => {
      console.error(`${suite.name} broke off:`, error);
      return { passed: 0, failed: 1 };
    });
    const seconds = Math.round((Date.now() - startedMs) / 1000);
    lines.push(`${suite.name.padEnd(12)} ${renderCounts(counts)} (${seconds} s)`);
    total = addCounts(total, counts);
  }
  console.log(`\n${lines.join("\n")}\n\n${renderCounts(total)}`);
  if (total.failed > 0) process.exitCode = 1;
}
