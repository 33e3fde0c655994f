import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);
/** A distribution comes over the network, and the machine may be busy. */
const TIMEOUT_MS = 15 * 60_000;

/** Runs a program of the host to its end. @returns stdout @throws Error with its output if it fails */
export async function command(file: string, args: string[], options: { cwd?: string } = {}): Promise<string> {
  try {
    const { stdout } = await execute(file, args, {
      ...options,
      timeout: TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    });
    return stdout;
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(" ")} failed:\n${(stdout + stderr).slice(-4000)}`, { cause });
  }
}
