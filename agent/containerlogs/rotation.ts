import { basename, dirname } from "node:path";
import { messageOf } from "../../shared/message-of.ts";
import type { Container, CriClient } from "../cri/index.ts";
import { listDirectory, rotate, sizeOf } from "./files.ts";
import { decideRotation } from "./plan.ts";

export interface LogRotationSettings {
  /** A log that has grown this long is rotated: bytes. */
  maxBytes: number;
  /** Of one container, the one that is written among them. */
  maxFiles: number;
  /** Logs that are rotated at the same time. */
  workers: number;
  checkMs: number;
}

export interface LogRotationDeps {
  cri: Pick<CriClient, "listContainers" | "reopenContainerLog">;
  settings: LogRotationSettings;
  /** The path of a container's log; undefined when the container is none of ours. */
  logOf(container: Container): string | undefined;
  nowMs(): number;
  /** A log that could not be rotated. The next round tries again. */
  onFailure(log: string, message: string): void;
}

/**
 * @returns one round over the logs of all running containers: what has ended writes no more, and an empty log after a last
 * rotation would help nobody. Never throws for a single log.
 */
export function createLogRotation(deps: LogRotationDeps): () => Promise<void> {
  const { cri, settings, logOf, nowMs, onFailure } = deps;

  async function check({ id }: Container, log: string): Promise<void> {
    const size = await sizeOf(log);
    // We, or the machine, went down between the log's new name and the runtime's new file.
    if (size === undefined) return cri.reopenContainerLog(id);
    if (size < settings.maxBytes) return;
    const plan = decideRotation(basename(log), await listDirectory(dirname(log)), {
      maxFiles: settings.maxFiles,
      nowMs: nowMs(),
    });
    await rotate(log, plan, () => cri.reopenContainerLog(id));
  }

  return async () => {
    const open = (await cri.listContainers({ state: "CONTAINER_RUNNING" }))
      .map((container) => ({ container, log: logOf(container) }))
      .values();
    const work = async () => {
      for (const { container, log } of open) {
        if (log === undefined) continue;
        await check(container, log).catch((error: unknown) => onFailure(log, messageOf(error)));
      }
    };
    await Promise.all(Array.from({ length: settings.workers }, work));
  };
}
