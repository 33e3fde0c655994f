import type { ContainerStatus, Pod } from "../../api/index.ts";
import { isSidecar, restartsAfterExit } from "../restart-policy.ts";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

/**
 * The pod's phase from its containers' statuses.
 * @param ended no container will be started any more
 * @param initialized a regular container has run in this sandbox, so that a restarting sidecar changes nothing
 */
export function decidePhase(
  pod: Pod,
  statuses: ContainerStatus[],
  { ended, initialized }: { ended: boolean; initialized: boolean },
): Phase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const initContainers = pod.spec.initContainers ?? [];
  const regular = initContainers.filter((container) => !isSidecar(container));
  const count = { pendingInit: 0, pendingSidecar: 0, unknown: 0, running: 0, waiting: 0, stopped: 0, final: 0, ok: 0 };

  for (const container of regular) {
    const { state, lastState } = byName.get(container.name) ?? {};
    const terminated = state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined);
    if (!terminated) count.pendingInit += 1;
    else if (terminated.exitCode !== 0 && !restartsAfterExit(container, pod.spec, terminated.exitCode)) return "Failed";
  }
  for (const container of initContainers.filter(isSidecar)) {
    const status = byName.get(container.name);
    if (!status?.state) {
      count.unknown += 1;
    } else if (status.state.running) {
      if (!status.started) count.pendingSidecar += 1;
      count.running += 1;
    } else if (status.state.waiting && !status.lastState?.terminated) {
      count.pendingSidecar += 1;
      count.waiting += 1;
    }
  }
  for (const container of pod.spec.containers) {
    const { state, lastState } = byName.get(container.name) ?? {};
    const terminated = state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined);
    if (state?.running) {
      count.running += 1;
    } else if (terminated) {
      count.stopped += 1;
      if (!restartsAfterExit(container, pod.spec, terminated.exitCode)) count.final += 1;
      if (state?.terminated?.exitCode === 0) count.ok += 1;
    } else if (state?.waiting) {
      count.waiting += 1;
    } else {
      count.unknown += 1;
    }
  }

  if (count.pendingInit > 0 || (count.pendingSidecar > 0 && !initialized) || count.waiting > 0) return "Pending";
  if (count.unknown > 0) return "Pending";
  if (count.running > 0) return "Running";
  if (count.stopped === 0) return "Pending";
  if (!ended && count.stopped !== count.final) return "Running";
  return count.stopped === count.ok ? "Succeeded" : "Failed";
}
