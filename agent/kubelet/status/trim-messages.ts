import { Buffer } from "node:buffer";
import type { ContainerStatus } from "../../api/index.ts";

/** Termination messages of a pod's containers together; bytes. @see core/v1 Container.terminationMessagePath */
const MAX_POD_MESSAGE_BYTES = 12 * 1024;

/** Cuts each container's last words to its share. Changes what it gets. */
export function trimMessages(statuses: ContainerStatus[]): void {
  const share = Math.floor(MAX_POD_MESSAGE_BYTES / Math.max(1, statuses.length));
  for (const { state, lastState } of statuses) {
    for (const terminated of [state?.terminated, lastState?.terminated]) {
      if (!terminated?.message || Buffer.byteLength(terminated.message) <= share) continue;
      terminated.message = Buffer.from(terminated.message).subarray(0, share).toString("utf8");
    }
  }
}
