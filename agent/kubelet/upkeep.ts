import { messageOf } from "../../shared/message-of.ts";
import { createLogRotation } from "../containerlogs/index.ts";
import type { KubeletDeps } from "./deps.ts";
import * as names from "./names.ts";

/**
 * What the node does for itself while pods run, each at its own pace, until the signal is aborted.
 * @param isOurs whether this agent looks after a pod: others may share the runtime
 */
export async function keepUp(deps: KubeletDeps, isOurs: (uid: string) => boolean, signal: AbortSignal): Promise<void> {
  const { cri, clock, log, settings, node } = deps;

  async function every(ms: number, what: string, step: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await step().catch((error: unknown) => log("warn", `cannot ${what}`, { error: messageOf(error) }));
      await clock.sleep(ms, signal);
    }
  }

  const rotateLogs = createLogRotation({
    cri,
    settings: settings.containerLogs,
    logOf: (container) =>
      isOurs(container.labels[names.POD_UID_LABEL] ?? "") ? names.containerLog(container, node.podLogsRoot) : undefined,
    nowMs: clock.nowMs,
    onFailure: (file, error) => log("warn", "cannot rotate a container's log", { file, error }),
  });

  await Promise.all([every(settings.containerLogs.checkMs, "look at containers' logs", rotateLogs)]);
}
