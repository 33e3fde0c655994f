import { join } from "node:path";
import * as runtime from "../agent/runtime/index.ts";
import type { Home } from "./home.ts";

/** The processes of a home that `up` starts, in the order in which `down` ends them. */
export const PROCESS_NAMES = ["agent", "containerd", "control-plane"] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

/** Starts one, its output appended to `logs/<name>.log`. */
export function startDetached(
  home: Home,
  name: ProcessName,
  command: { file: string; args: string[]; env?: Record<string, string> },
): runtime.DetachedProcess {
  return runtime.startDetached({
    pidFile: pidFile(home, name),
    logFile: logFile(home, name),
    file: command.file,
    args: command.args,
    env: { HEARTH_HOME: home.dir, ...command.env },
  });
}

export const findDetached = (home: Home, name: ProcessName) => runtime.findDetached(pidFile(home, name));

export const stopDetached = (home: Home, name: ProcessName, graceSeconds: number) =>
  runtime.stopDetached(pidFile(home, name), graceSeconds);

export const logFile = (home: Home, name: ProcessName) =>
  name === "containerd" ? runtime.containerdIn(home.containerdDir).logFile : join(home.logDir, `${name}.log`);

const pidFile = (home: Home, name: ProcessName) =>
  name === "containerd" ? runtime.containerdIn(home.containerdDir).pidFile : join(home.runDir, `${name}.pid`);
