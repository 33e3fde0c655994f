/**
 * `./hearth test [suite]`: runs suites, sets up what they need, and ends with one line of counts. How a suite tests is its
 * own matter.
 */
import { addCounts, type Counts, renderCounts } from "./counts.ts";
import { runApart } from "./run-apart.ts";
import { listSuites, type Suite } from "./suites.ts";

/** No suite has the name; the message lists those there are. */
export class UnknownSuite extends Error {}

/** How a suite went, as a line of the summary shows it. */
interface Outcome {
  name: string;
  counts: Counts;
  seconds: number;
}

/**
 * All suites but the nightly ones, or the one that is named. Those that want everything for themselves come first; then
 * those that test nodes run one after the other, and beside them, as one process after the other of lower priority, those
 * that do not: tests of nodes mostly wait.
 * @throws UnknownSuite
 */
export async function runTests(name: string | undefined, filter: string[]): Promise<void> {
  const all = listSuites();
  const chosen = all.filter((suite) => (name === undefined ? !suite.nightly : suite.name === name));
  if (chosen.length === 0) {
    throw new UnknownSuite(`there is no suite "${name}"; there are: ${all.map((suite) => suite.name).join(", ")}`);
  }
  const here = (suite: Suite) => suite.run(filter);
  const lane = (wanted: Suite["lane"]) => chosen.filter((suite) => suite.lane === wanted);
  const outcomes = await runInTurn(lane("all"), here);
  const beside = chosen.length > 1 ? (suite: Suite) => runApart(suite.name) : here;
  const both = await Promise.all([runInTurn(lane("machine"), here), runInTurn(lane("process"), beside)]);
  outcomes.push(...both.flat());

  const total = outcomes.reduce<Counts>((sum, { counts }) => addCounts(sum, counts), { passed: 0, failed: 0 });
  const lines = outcomes.map(
    ({ name, counts, seconds }) => `${name.padEnd(12)} ${renderCounts(counts)} (${seconds} s)`,
  );
  console.log(`\n${lines.join("\n")}\n\n${renderCounts(total)}`);
  if (total.failed > 0) process.exitCode = 1;
}

async function runInTurn(suites: Suite[], run: (suite: Suite) => Promise<Counts>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const suite of suites) {
    console.log(`\n== ${suite.name}`);
    const startedMs = Date.now();
    const counts = await run(suite).catch((error: unknown): Counts => {
      console.error(`${suite.name} broke off:`, error);
      return { passed: 0, failed: 1 };
    });
    outcomes.push({ name: suite.name, counts, seconds: Math.round((Date.now() - startedMs) / 1000) });
  }
  return outcomes;
}
