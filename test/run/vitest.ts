import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Counts } from "./counts.ts";
import { npmProgram, runCommand } from "./run-command.ts";

/**
 * Runs vitest once and counts its tests. A run that breaks (a file that does not load, a missing report) counts as one
 * failed test at least: it must never look like a pass.
 */
export async function runVitest(args: string[], env: Record<string, string> = {}): Promise<Counts> {
  const dir = mkdtempSync(join(tmpdir(), "hearth-vitest-"));
  const report = join(dir, "report.json");
  try {
    const succeeded = await runCommand(
      npmProgram("vitest"),
      ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...args],
      env,
    );
    return countTests(readReport(report), succeeded);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
}

export function countTests(report: Report | undefined, succeeded: boolean): Counts {
  const passed = report?.numPassedTests ?? 0;
  const failed = report?.numFailedTests ?? 0;
  return { passed, failed: succeeded ? failed : Math.max(failed, 1) };
}

function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return undefined; // vitest ended before it wrote one, and said why
  }
}
