import type { Container, Pod } from "../api/index.ts";
import { ignoreNotFound } from "../cri/index.ts";
import type { KubeletDeps } from "./deps.ts";
import { type HookDeps, runHook } from "./lifecycle-hook.ts";
import type { ObservedContainer } from "./observed.ts";
import { isSidecar } from "./restart-policy.ts";

/** Always leave a container this much to shut down. */
const MIN_GRACE_SECONDS = 2;

type KillDeps = HookDeps & Pick<KubeletDeps, "log">;

/** The container's spec within its pod, whatever list it is in. */
export const specOf = ({ spec }: Pod, name: string): Container | undefined =>
  [...spec.containers, ...(spec.initContainers ?? []), ...((spec.ephemeralContainers ?? []) as Container[])].find(
    (container) => container.name === name,
  );

/**
 * Stops one container: the Killing event, its preStop hook within the grace period, then the stop signal with what is
 * left. Settles when it has ended.
 * @param options.waitForTurn settles when the containers have ended that must go first
 * @param options.hurry aborted when the grace period was cut short: nothing is waited for any more
 */
export async function killContainer(
  deps: KillDeps,
  pod: Pod,
  instance: Pick<ObservedContainer, "id" | "name">,
  {
    graceSeconds,
    message,
    waitForTurn,
    hurry,
  }: { graceSeconds: number; message?: string; waitForTurn?: Promise<unknown>; hurry?: AbortSignal },
): Promise<void> {
  const { cri, clock, events, log } = deps;
  const container = specOf(pod, instance.name) ?? { name: instance.name };
  const note = events.forContainer(pod, container);
  note("Normal", "Killing", message ?? `Stopping container ${instance.name}`);
  const startedMs = clock.nowMs();
  const leftSeconds = () => graceSeconds - Math.floor((clock.nowMs() - startedMs) / 1000);
  const within = async (seconds: number, work: Promise<unknown>) => {
    const done = new AbortController();
    await Promise.race([work, clock.sleep(seconds * 1000, AbortSignal.any([done.signal, ...(hurry ? [hurry] : [])]))]);
    done.abort();
  };
  const preStop = container.lifecycle?.preStop;
  if (preStop && graceSeconds > 0) {
    const target = { pod, container, containerId: instance.id };
    const hook = runHook(deps, target, preStop, graceSeconds).catch((error: unknown) => {
      log("warn", "preStop hook failed", { container: instance.name, error: String(error) });
      // The hook's own words may hold secrets.
      note("Warning", "FailedPreStopHook", "PreStopHook failed");
    });
    await within(graceSeconds, hook);
  }
  if (waitForTurn && leftSeconds() > 0) await within(leftSeconds(), waitForTurn);
  await cri.stopContainer(instance.id, Math.max(MIN_GRACE_SECONDS, leftSeconds())).catch(ignoreNotFound);
}

/**
 * Stops several containers of a pod together; sidecars after the main containers, in the reverse of the order in which
 * they were started (KEP-753).
 */
export async function killContainers(
  deps: KillDeps,
  pod: Pod,
  instances: ObservedContainer[],
  graceSeconds: number,
  hurry?: AbortSignal,
): Promise<void> {
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
  const rank = ({ name }: ObservedContainer) => sidecars.indexOf(name);
  const ended = new Map<ObservedContainer, Promise<void>>();
  for (const instance of [...instances].sort((a, b) => later(rank(a)) - later(rank(b)))) {
    const before = [...ended].filter(([other]) => later(rank(other)) < later(rank(instance)));
    const waitForTurn =
      rank(instance) >= 0 && before.length > 0 ? Promise.allSettled(before.map(([, end]) => end)) : undefined;
    ended.set(instance, killContainer(deps, pod, instance, { graceSeconds, waitForTurn, hurry }));
  }
  const results = await Promise.allSettled(ended.values());
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;

  /** Main containers first, then the last sidecar. */
  function later(index: number): number {
    return index < 0 ? -sidecars.length : -index;
  }
}
