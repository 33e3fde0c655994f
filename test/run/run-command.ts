import { spawn } from "node:child_process";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** Runs a program of the project to its end, its output passed through. @returns whether it exited with 0 */
export function runCommand(file: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: ROOT,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...env },
    });
    child.once("error", (error) => {
      console.error(`${file}: ${error.message}`);
      resolve(false);
    });
    child.once("close", (code) => resolve(code === 0));
  });
}

/** A program that npm installed: `biome`, `tsc`. */
export const npmProgram = (name: string) => join(ROOT, "node_modules/.bin", name);
