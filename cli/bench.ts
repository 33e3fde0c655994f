import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "./errors.ts";

const BENCH_DIR = join(import.meta.dirname, "../bench");
const DEFAULT_BENCH = "cluster";

/** Runs `bench/<name>/main.ts`; its output is the result. */
export async function bench(name = DEFAULT_BENCH): Promise<void> {
  const names = readdirSync(BENCH_DIR).filter((entry) => existsSync(join(BENCH_DIR, entry, "main.ts")));
  if (!names.includes(name)) throw new UserError(`there is no benchmark "${name}"`, `one of: ${names.join(", ")}`);
  const child = spawn(process.execPath, [join(BENCH_DIR, name, "main.ts")], { stdio: "inherit" });
  process.exitCode = await new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}
