import { spawnSync } from "node:child_process";
import { findProgram } from "../runtime/index.ts";

/**
 * Runs a program of the system to its end.
 * @param options.isOptional a machine without the program has nothing that it could have made: an empty answer
 * @returns what it printed
 * @throws Error with its own words if it fails
 */
export function run(program: string, args: string[], options: { input?: string; isOptional?: boolean } = {}): string {
  const path = findProgram(program);
  if (!path && options.isOptional) return "";
  const { status, stdout, stderr } = spawnSync(path ?? program, args, { encoding: "utf8", input: options.input });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr?.trim() ?? "cannot be run"}`);
  return stdout;
}
