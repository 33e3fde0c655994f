/**
 * The machine under the pods: which programs are there, and a containerd of our own with its directories in one place.
 * It starts and ends containerd; what goes through it is agent/cri's matter.
 */
export { agentCommand, agentEnvironment, compileAhead, NODE_FLAGS } from "./agent-command.ts";
export {
  type ContainerdOptions,
  containerdIn,
  ensureContainerd,
  keepContainerdRunning,
  stopContainerd,
} from "./containerd.ts";
export { type ContainerdPaths, containerdPaths, SANDBOX_IMAGE } from "./containerd-config.ts";
export { type DetachedProcess, findDetached, isRunning, startDetached, stopDetached } from "./detached-process.ts";
export { findCniBinDir, findProgram, missingPackages, runtimePath, usefulPackages } from "./host-facts.ts";
export { rotateLogs } from "./log-rotation.ts";
export { takeLock, withStartLock } from "./start-lock.ts";
export { supervised } from "./supervised.ts";
