import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "./errors.ts";
import { handOver } from "./hand-over.ts";

const BENCH_DIR = join(import.meta.dirname, "../bench");
const DEFAULT_BENCH = "cluster";

/** Runs `bench/<name>/main.ts`; its output is the result. */
export async function bench(name = DEFAULT_BENCH): Promise<void> {
  const names = readdirSync(BENCH_DIR).filter((entry) => existsSync(join(BENCH_DIR, entry, "main.ts")));
  if (!names.includes(name)) throw new UserError(`there is no benchmark "${name}"`, `one of: ${names.join(", ")}`);
  await handOver(join(BENCH_DIR, name, "main.ts"), []);
}
