import { join } from "node:path";
import { findProgram } from "./host-facts.ts";

/**
 * The command line that keeps a command running (supervise.sh). Its process stands for the command: ending it ends both.
 * The command alone on a machine without util-linux's setpriv, where a killed supervisor would leave the command behind.
 */
export function supervised(file: string, args: string[]): { file: string; args: string[] } {
  if (!findProgram("setpriv")) return { file, args };
  return { file: "/bin/sh", args: [join(import.meta.dirname, "supervise.sh"), file, ...args] };
}
