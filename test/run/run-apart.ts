import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { type Counts, parseCounts } from "./counts.ts";
import { ROOT } from "./run-command.ts";

/**
 * Runs a suite in a process of its own and of lower priority, and shows what it wrote when it has ended, in one piece:
 * another suite is writing meanwhile. A run that ends without its counts counts as one failed test.
 */
export async function runApart(suite: string): Promise<Counts> {
  const dir = mkdtempSync(join(tmpdir(), "hearth-suite-"));
  const file = join(dir, "output");
  try {
    const output = openSync(file, "w");
    const child = spawn(process.execPath, [join(ROOT, "test/run/main.ts"), suite], {
      cwd: ROOT,
      stdio: ["ignore", output, output],
    });
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    closeSync(output);
    const text = readFileSync(file, "utf8");
    console.log(`\n== ${suite}, which ran beside others\n${text}`);
    const counts = parseCounts(text.trimEnd().split("\n").at(-1)!);
    if (!counts) return { passed: 0, failed: 1 };
    return { ...counts, failed: code === 0 ? counts.failed : Math.max(counts.failed, 1) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
