import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import { PODS } from "../../shared/api/refs.ts";
import { ignoreStale } from "../../shared/api/status.ts";
import { messageOf } from "../../shared/message-of.ts";
import { isStatic, type Pod, type PodStatus, printPod } from "../api/index.ts";
import { createWake } from "../clock/index.ts";
import { ignoreNotFound, isCriUnavailable } from "../cri/index.ts";
import { SHUTDOWN_MESSAGE, SHUTDOWN_REASON } from "../nodeshutdown/index.ts";
import type { Rejection } from "./admission/index.ts";
import { DEADLINE_MESSAGE, DEADLINE_REASON, deadlineLeftMs } from "./deadline.ts";
import type { KubeletDeps } from "./deps.ts";
import { podLogDirectory } from "./names.ts";
import { fingerprintOf, observePod } from "./observe.ts";
import type { ObservedPod } from "./observed.ts";
import { computePodActions, isIdle, type PodActions } from "./pod-actions.ts";
import { planResizeRestarts, runningContainers } from "./resize-restarts.ts";
import { asksToRestartAll } from "./restart-policy.ts";
import type { StartError } from "./start-error.ts";
import { OWNED_CONDITIONS } from "./status/conditions.ts";
import { decidePodStatus, decideRejectedStatus, type PodFailure } from "./status/pod-status.ts";
import { graceSeconds, removeContainers, stopPod, syncPod } from "./sync-pod.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { createVolumeWait } from "./volume-wait.ts";

const FAILED_SYNC_RETRY_MS = 2_000;
/** Projected tokens are renewed and the volumes' content is compared this often, with some spread over the pods. */
const RESYNC_MS = 60_000;
const DELETE_RETRY_MS = 1_000;
const MAX_DELETE_RETRY_MS = 30_000;

/** Looks after one pod, one step at a time, until it is gone. */
export interface PodWorker {
  readonly uid: string;
  /** The newest version of the pod. */
  update(pod: Pod): void;
  /** The API has no such pod (any more): it is stopped, and nothing is reported. */
  remove(): void;
  /**
   * Something of it changed in the runtime, or in an object that it uses.
   * @param fingerprint what the runtime has of it now: nothing is done if that is what was seen last
   */
  wake(fingerprint?: string): void;
  /**
   * Stops the pod for a reason of the node's own, and reports it as failed. Settles when its containers have ended.
   * @param options.graceSeconds instead of the pod's own grace period
   */
  end(failure: PodFailure, options?: { graceSeconds?: number }): Promise<void>;
  /** Settles when nothing of the pod is left on the node, or when the agent stops. */
  readonly finished: Promise<void>;
}

/** Makes room for a critical pod (kubelet, pkg/kubelet/preemption). */
export const PREEMPTED: PodFailure = {
  reason: "Preempting",
  message: "Preempted in order to admit critical pod",
  event: "Warning",
  condition: {
    type: "DisruptionTarget",
    status: "True",
    reason: "TerminationByKubelet",
    message: "Pod was preempted by Kubelet to accommodate a critical pod.",
  },
};

/** The machine is about to go down (KEP-2000). */
export const SHUT_DOWN: PodFailure = {
  reason: SHUTDOWN_REASON,
  message: SHUTDOWN_MESSAGE,
  condition: {
    type: "DisruptionTarget",
    status: "True",
    reason: "TerminationByKubelet",
    message: SHUTDOWN_MESSAGE,
  },
};

const DEADLINE_EXCEEDED: PodFailure = { reason: DEADLINE_REASON, message: DEADLINE_MESSAGE, event: "Normal" };

export function startPodWorker(deps: KubeletDeps, initial: Pod, signal: AbortSignal): PodWorker {
  const { uid } = initial.metadata;
  const wake = createWake();
  const { clock, log } = deps;
  /** What the API wants; the pod as this node has granted it may have other resources. */
  let wanted = initial;
  let pod = deps.resizes.granted(initial);
  let removed = false;
  let failure: PodFailure | undefined;
  let forcedGraceSeconds: number | undefined;
  /** The node has not let it in: nothing of it was ever run, and nothing more is reported. */
  let isRejected = isPodTerminal(pod) && pod.status?.containerStatuses === undefined;
  const ended = Promise.withResolvers<void>();
  /** What the runtime had of it when it was last looked at: our own doing wakes nobody. */
  let lastSeen: string | undefined;
  let lastReported: ObservedPod | undefined;
  /** Ends what is being started when the pod is to be stopped. */
  const leaving = new AbortController();
  let startErrors: ReadonlyMap<string, StartError> = new Map();
  const volumeWait = createVolumeWait();
  /** While containers are being stopped: a shorter grace period restarts the wait. */
  let shorten: ((seconds: number) => void) | undefined;

  const isLeaving = () => removed || pod.metadata.deletionTimestamp !== undefined;

  function report(observed: ObservedPod, ended: boolean): void {
    lastSeen = fingerprintOf(observed);
    lastReported = observed;
    const [sandbox] = observed.sandboxes;
    deps.podNetwork.follow(pod, sandbox?.ready && !pod.spec.hostNetwork ? sandbox.ips : []);
    if (isRejected) return;
    const previous = deps.statuses.current(pod);
    const running = ended ? [] : observed.containers.filter(({ state }) => state === "running");
    deps.probes.sync(
      pod,
      running.map((instance) => ({ ...instance, wasStarted: reportedOf(previous, instance.id)?.started })),
      pod.spec.hostNetwork ? deps.node.hostIps[0] : observed.sandboxes[0]?.ips[0],
    );
    const status = decidePodStatus({
      pod,
      observed,
      previous,
      startErrors,
      hostIps: deps.node.hostIps,
      ended,
      failure,
      actuated: deps.resizes.actuated(uid),
      resizeConditions: ended ? [] : deps.resizes.conditions(uid),
      nowMs: clock.nowMs(),
      // Until an agent that has just started has asked, what the one before it had found counts.
      isReady: ({ readinessProbe }, id) =>
        !readinessProbe || (deps.probes.results.readiness.get(id) ?? reportedOf(previous, id)?.ready) === true,
      isStarted: ({ startupProbe }, id) => !startupProbe || deps.probes.results.startup.get(id) === true,
    });
    if (!removed) deps.statuses.write(pod, status);
  }

  function fail(why: PodFailure): void {
    failure = why;
    if (why.event) deps.events.forPod(pod)(why.event, why.reason, why.message, why.annotations);
  }

  function reject({ reason, message }: Rejection): void {
    isRejected = true;
    deps.events.forPod(pod)("Warning", reason, message);
    deps.statuses.write(pod, decideRejectedStatus(pod, { reason, message }, clock.nowMs()));
  }

  /**
   * A probe's verdict that changes while something long is done (a pull, a grace period) is reported at once: others
   * send their requests by it. Of the containers nothing new is told then: one whose hook still runs has not started.
   */
  async function reportingVerdicts<T>(work: Promise<T>): Promise<T> {
    const done = new AbortController();
    let wasWoken = false;
    const follow = async () => {
      while (!done.signal.aborted) {
        const isNotified = await wake.wait(undefined, clock, done.signal);
        wasWoken ||= isNotified;
        if (isNotified && !done.signal.aborted && lastReported && !failure) report(lastReported, false);
      }
    };
    const following = follow();
    try {
      return await work;
    } finally {
      done.abort();
      await following;
      // What woke it is still to be looked at.
      if (wasWoken) wake.notify();
    }
  }

  /** What there is of the pod, after a container that asked for all to begin anew got its way. */
  async function observeForStep(): Promise<ObservedPod> {
    const observed = await observePod(deps.cri, uid);
    if (!asksToRestartAll(pod, observed)) return observed;
    report(observed, false);
    await removeContainers(deps, pod, observed);
    const rest = await observePod(deps.cri, uid);
    report(rest, false);
    return rest;
  }

  function plan(observed: ObservedPod): PodActions {
    const running = runningContainers(observed);
    const actions = computePodActions(pod, observed, deps.probes.results);
    return planResizeRestarts(pod, actions, deps.resizes.restarts(pod, running), running);
  }

  /** One step towards the spec. @returns when to look again, or "ended" when the pod has run its course */
  async function step(): Promise<number | undefined | "ended"> {
    const observed = await observeForStep();
    const note = deps.events.forPod(wanted);
    const running = runningContainers(observed);
    await deps.resizes.consider(wanted, running, note);
    // A container that is to be stopped anyway is not restarted for its liveness (PRB-06).
    leaving.signal.throwIfAborted();
    pod = deps.resizes.granted(wanted);
    const actions = plan(observed);
    log("debug", "pod plan", { pod: printPod(pod), actions });
    if (actions.killPod && !actions.createSandbox) {
      const stopping = stopPod(deps, pod, observed, graceSeconds(pod), leaving.signal);
      await reportingVerdicts(unlessAborted(stopping, leaving.signal));
      return "ended";
    }
    const leftMs = () => deadlineLeftMs(pod, deps.statuses.current(pod).startTime, clock.nowMs());
    if (leftMs() === 0) {
      fail(DEADLINE_EXCEEDED);
      return "ended";
    }
    report(observed, false);
    if (!actions.killPod) await deps.resizes.actuate(pod, running, note);
    const onSandbox = (current: ObservedPod) => void report(current, false);
    const done = syncPod(deps, { pod, observed, actions, volumeWait }, onSandbox, leaving.signal);
    const result = await reportingVerdicts(done);
    startErrors = result.startErrors;
    const after = result.observed ?? (await observePod(deps.cri, uid));
    report(after, false);
    // What was done may make more possible, and wakes nobody (`lastSeen`): a sidecar that runs lets the next one start.
    const mayBeMore = !result.isStuck && startErrors.size === 0 && !isIdle(actions) && !isIdle(plan(after));
    const againMs = mayBeMore ? 0 : result.retryAfterMs;
    // Anew: a pod has begun with its first report, and much may have been waited for since.
    const deadlineMs = leftMs();
    return againMs === undefined && deadlineMs === undefined
      ? undefined
      : Math.min(againMs ?? Infinity, deadlineMs ?? Infinity);
  }

  async function runUntilItEnds(): Promise<void> {
    if (isPodTerminal(pod)) return;
    while (!signal.aborted && !isLeaving() && !failure) {
      let next: number | undefined;
      try {
        const outcome = await step();
        if (outcome === "ended") return;
        next = outcome;
      } catch (error) {
        if (leaving.signal.aborted) return;
        // That the runtime is away is told once, by the watch on it.
        log(isCriUnavailable(error) ? "debug" : "warn", "pod sync failed", {
          pod: printPod(pod),
          error: messageOf(error),
        });
        next = FAILED_SYNC_RETRY_MS;
      }
      const resyncMs = RESYNC_MS * (1 + Math.random() / 2);
      await wake.wait(Math.min(Math.max(next ?? resyncMs, 0), resyncMs), clock, signal);
    }
  }

  /** Repeats what has to succeed before the pod may be given up. */
  async function insist(what: string, attempt: () => Promise<void>): Promise<void> {
    for (let pauseMs = DELETE_RETRY_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, MAX_DELETE_RETRY_MS)) {
      try {
        return await attempt();
      } catch (error) {
        log("warn", `cannot ${what}`, { pod: printPod(pod), error: messageOf(error) });
        await clock.sleep(pauseMs, signal);
      }
    }
  }

  async function stop(): Promise<void> {
    await insist("stop a pod", async () => {
      const observed = await observePod(deps.cri, uid);
      if (isLeaving()) report(observed, false);
      const alive = observed.containers.filter(({ state }) => state === "running");
      const sooner = async (seconds: number) => {
        const stops = alive.map(({ id }) => deps.cri.stopContainer(id, seconds).catch(ignoreNotFound));
        await Promise.all(stops).catch((error: unknown) => {
          log("warn", "cannot stop a pod sooner", { pod: printPod(pod), error: messageOf(error) });
        });
      };
      const hurry = new AbortController();
      shorten = (seconds) => {
        // Its hooks are not waited for, and the runtime takes a second, shorter deadline for what it is stopping already.
        hurry.abort();
        void sooner(Math.max(0, seconds));
      };
      try {
        const asked = forcedGraceSeconds ?? graceSeconds(pod);
        const grace = removed ? Math.max(1, asked) : asked;
        await reportingVerdicts(stopPod(deps, pod, observed, grace, hurry.signal));
      } finally {
        shorten = undefined;
      }
    });
  }

  /** The pod's record may go when its containers have ended and their end is known. */
  async function confirmDeletion(): Promise<void> {
    const { name, namespace } = pod.metadata;
    await insist("delete a pod that has ended", async () => {
      await deps.statuses.flushed(uid);
      // A static pod has no record of its own: its mirror goes with the file.
      if (removed || isStatic(pod)) return;
      await deps.api.delete(PODS, { name, namespace }, { uid, gracePeriodSeconds: 0 }).catch(ignoreStale);
    });
  }

  async function removeFromRuntime(): Promise<void> {
    await insist("remove a pod from the runtime", async () => {
      const observed = await observePod(deps.cri, uid);
      for (const { id } of observed.containers) await deps.cri.removeContainer(id).catch(ignoreNotFound);
      for (const { id } of observed.sandboxes) {
        await deps.cri.stopPodSandbox(id).catch(ignoreNotFound);
        await deps.cri.removePodSandbox(id).catch(ignoreNotFound);
      }
      await deps.cgroups.remove(uid);
      await rm(podLogDirectory(pod, deps.node.podLogsRoot), { recursive: true, force: true });
    });
  }

  async function run(): Promise<void> {
    await deps.resizes.recall(wanted);
    pod = deps.resizes.granted(wanted);
    const rejection = isPodTerminal(pod) || isLeaving() ? undefined : await deps.gate.admit(pod);
    if (signal.aborted) return;
    if (rejection && !isLeaving()) reject(rejection);
    else await runUntilItEnds();
    if (signal.aborted) return;
    await stop();
    await insist("give back what a pod had for itself", () => deps.gate.release(uid));
    startErrors = new Map();
    await insist("report a pod's end", async () => void report(await observePod(deps.cri, uid), true));
    ended.resolve();
    await insist("take down a pod's volumes", () => deps.volumes.tearDown(uid));
    // A finished pod stays, with its containers for their logs, until somebody deletes it.
    while (!signal.aborted && !isLeaving()) await wake.wait(undefined, clock, signal);
    if (signal.aborted) return;
    await confirmDeletion();
    await removeFromRuntime();
    deps.podNetwork.forget(pod);
  }

  return {
    uid,
    update(next) {
      const before = wanted;
      wanted = next;
      pod = deps.resizes.granted(next);
      deps.statuses.seen(next);
      if (graceSeconds(pod) < graceSeconds(before)) shorten?.(graceSeconds(pod));
      if (isLeaving()) leaving.abort();
      if (isNews(before, next)) wake.notify();
    },
    remove() {
      removed = true;
      deps.statuses.forget(uid);
      leaving.abort();
      shorten?.(Math.max(1, pod.metadata.deletionGracePeriodSeconds ?? graceSeconds(pod)));
      wake.notify();
    },
    wake(fingerprint) {
      if (fingerprint === undefined || fingerprint !== lastSeen) wake.notify();
    },
    end(why, options = {}) {
      if (!failure && !isLeaving()) {
        forcedGraceSeconds = options.graceSeconds;
        fail(why);
        leaving.abort();
        wake.notify();
      }
      return ended.promise;
    },
    finished: run().finally(ended.resolve),
  };
}

/** What was reported of an instance, whatever kind of container it is of. */
const reportedOf = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus, id: string) =>
  [...containerStatuses, ...initContainerStatuses].find(({ containerID }) => containerID?.endsWith(`//${id}`));

/** Whether the change is more than an echo of our own report. */
export function isNews(before: Pod, after: Pod): boolean {
  const relevant = ({ metadata, spec, status }: Pod) => ({
    metadata: { ...metadata, resourceVersion: undefined, managedFields: undefined },
    spec,
    // Readiness gates look at others' conditions.
    conditions: (status?.conditions ?? []).filter(({ type }) => !OWNED_CONDITIONS.has(type)),
  });
  return !isDeepStrictEqual(relevant(before), relevant(after));
}
