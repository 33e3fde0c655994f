import * as runtime from "../agent/runtime/index.ts";
import type { Home, ProcessName } from "./home.ts";

/** Starts a process of a home, and again whenever it dies; found again by `findDetached`. */
export function startDetached(
  home: Home,
  name: ProcessName,
  command: { file: string; args: string[]; env?: Record<string, string> },
): runtime.DetachedProcess {
  const { file, args } = runtime.supervised(command.file, command.args);
  return runtime.startDetached({ ...home.processes[name], file, args, env: { HEARTH_HOME: home.dir, ...command.env } });
}

export const findDetached = (home: Home, name: ProcessName) => runtime.findDetached(home.processes[name].pidFile);

export const stopDetached = (home: Home, name: ProcessName, graceSeconds: number) =>
  runtime.stopDetached(home.processes[name].pidFile, graceSeconds);
