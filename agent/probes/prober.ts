import { messageOf } from "../../shared/message-of.ts";
import { type Container, expandVariables, type Pod, type Probe } from "../api/index.ts";
import type { CriClient } from "../cri/index.ts";
import { probeExec } from "./exec.ts";
import { probeGrpc } from "./grpc.ts";
import { probeHttp } from "./http.ts";
import type { Outcome } from "./outcome.ts";
import { resolvePort } from "./port.ts";
import { probeTcp } from "./tcp.ts";
import { countOutcome, NO_OUTCOME } from "./threshold.ts";

export type ProbeKind = "startup" | "readiness" | "liveness";

/** A running instance of one of the pod's containers. */
export interface ProbedInstance {
  id: string;
  name: string;
  startedAtMs: number;
  /** What an agent before this one had found of it: a container that is in use is not taken out for our restart. */
  wasStarted?: boolean;
}

export interface Prober {
  /** Probes these instances from now on, and no others of the pod. May be repeated with the same. */
  sync(pod: Pod, instances: ProbedInstance[], podIp: string | undefined): void;
  /** By container id; what is not in the map has no verdict yet. */
  readonly results: Readonly<Record<ProbeKind, ReadonlyMap<string, boolean>>>;
  forgetPod(uid: string): void;
}

export interface ProberDeps {
  cri: Pick<CriClient, "execSync">;
  clock: { nowMs(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** What an attempt gave that somebody should read, as a Warning event. */
  onNote(pod: Pod, container: Container, reason: "Unhealthy" | "ProbeWarning", message: string): void;
  /** A verdict changed. */
  onChange(uid: string): void;
  signal: AbortSignal;
}

const KINDS: readonly ProbeKind[] = ["startup", "readiness", "liveness"];
const TITLES: Record<ProbeKind, string> = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" };
const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_TIMEOUT_SECONDS = 1;
/** How soon the other probes begin once the startup probe has said yes. */
const STARTUP_POLL_MS = 200;
/** Attempts, within one, at a probe that cannot be made (the runtime does not answer, say). */
const MAX_TRIES = 3;

interface Loop {
  uid: string;
  kind: ProbeKind;
  /** The newest version of the pod, and its address. */
  pod: Pod;
  podIp: string | undefined;
  stop: AbortController;
}

/** Runs probes, each at its own pace, and keeps their verdicts. */
export function createProber(deps: ProberDeps): Prober {
  const results: Record<ProbeKind, Map<string, boolean>> = {
    startup: new Map(),
    readiness: new Map(),
    liveness: new Map(),
  };
  const loops = new Map<string, Loop>();

  function start(kind: ProbeKind, container: Container, probe: Probe, instance: ProbedInstance, loop: Loop): void {
    const signal = AbortSignal.any([loop.stop.signal, deps.signal]);
    void run(kind, container, probe, instance, loop, signal);
  }

  async function run(
    kind: ProbeKind,
    container: Container,
    probe: Probe,
    instance: ProbedInstance,
    loop: Loop,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = deps;
    const delayMs = (probe.initialDelaySeconds ?? 0) * 1000;
    // Never longer than asked for: a start in the future is a clock that was put back.
    const leftMs = Math.min(delayMs, instance.startedAtMs + delayMs - clock.nowMs());
    await clock.sleep(Math.max(0, leftMs), signal);
    let count = NO_OUTCOME;
    while (!signal.aborted) {
      if (kind !== "startup" && container.startupProbe && results.startup.get(instance.id) !== true) {
        await clock.sleep(STARTUP_POLL_MS, signal);
        continue;
      }
      // A container that is being stopped is not restarted; its readiness still counts for those who use it (PRB-06).
      if (kind !== "readiness" && loop.pod.metadata.deletionTimestamp) return;
      const outcome = await attempt(container, probe, instance.id, loop.podIp);
      if (signal.aborted) return;
      const note = describeOutcome(kind, outcome);
      if (note) deps.onNote(loop.pod, container, note.reason, note.message);
      if (outcome instanceof Error) {
        // Nothing is known of the container then: what was known before still holds.
        await clock.sleep((probe.periodSeconds ?? DEFAULT_PERIOD_SECONDS) * 1000, signal);
        continue;
      }
      const counted = countOutcome(count, outcome.ok, probe);
      count = counted.count;
      if (counted.verdict !== undefined && results[kind].get(instance.id) !== counted.verdict) {
        results[kind].set(instance.id, counted.verdict);
        deps.onChange(loop.uid);
      }
      const isSettled =
        kind === "startup" ? counted.verdict !== undefined : kind === "liveness" && counted.verdict === false;
      if (isSettled) return;
      await clock.sleep((probe.periodSeconds ?? DEFAULT_PERIOD_SECONDS) * 1000, signal);
    }
  }

  /** An Error when the probe could not be made. */
  async function attempt(
    container: Container,
    probe: Probe,
    id: string,
    podIp: string | undefined,
  ): Promise<Outcome | Error> {
    let failed: Error | undefined;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      try {
        return await probeOnce(deps.cri, container, probe, id, podIp);
      } catch (error) {
        failed = error instanceof Error ? error : new Error(messageOf(error));
      }
    }
    return failed!;
  }

  function end(key: string, loop: Loop): void {
    loop.stop.abort();
    loops.delete(key);
    results[loop.kind].delete(key.slice(loop.kind.length + 1));
  }

  return {
    results,
    sync(pod, instances, podIp) {
      const { uid } = pod.metadata;
      const wanted = new Set<string>();
      for (const instance of instances) {
        const container = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(
          ({ name }) => name === instance.name,
        );
        if (!container) continue;
        for (const kind of KINDS) {
          const probe = container[`${kind}Probe`];
          if (!probe) continue;
          const key = `${kind}/${instance.id}`;
          wanted.add(key);
          const known = loops.get(key);
          if (known) {
            known.pod = pod;
            known.podIp = podIp;
            continue;
          }
          const loop: Loop = { uid, kind, pod, podIp, stop: new AbortController() };
          loops.set(key, loop);
          if (kind === "startup" && instance.wasStarted) {
            results.startup.set(instance.id, true);
            continue;
          }
          start(kind, container, probe, instance, loop);
        }
      }
      for (const [key, loop] of loops) if (loop.uid === uid && !wanted.has(key)) end(key, loop);
    },
    forgetPod(uid) {
      for (const [key, loop] of loops) if (loop.uid === uid) end(key, loop);
    },
  };
}

/** What of an attempt goes into an event. */
export function describeOutcome(
  kind: ProbeKind,
  outcome: Outcome | Error,
): { reason: "Unhealthy" | "ProbeWarning"; message: string } | undefined {
  const title = TITLES[kind];
  if (outcome instanceof Error) {
    return { reason: "Unhealthy", message: `${title} probe errored and resulted in unknown state: ${outcome.message}` };
  }
  if (!outcome.ok) return { reason: "Unhealthy", message: `${title} probe failed: ${outcome.message}` };
  return outcome.message === ""
    ? undefined
    : { reason: "ProbeWarning", message: `${title} probe warning: ${outcome.message}` };
}

/** @throws Error if the probe cannot be made at all */
async function probeOnce(
  cri: Pick<CriClient, "execSync">,
  container: Container,
  probe: Probe,
  containerId: string,
  podIp: string | undefined,
): Promise<Outcome> {
  const timeoutSeconds = probe.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const timeoutMs = timeoutSeconds * 1000;
  if (probe.exec) return probeExec(cri, containerId, staticCommand(container, probe.exec.command), timeoutSeconds);
  const host = probe.tcpSocket?.host || podIp || "";
  if (!host && !probe.httpGet?.host) throw new Error("the pod has no address yet");
  if (probe.httpGet) return probeHttp(probe.httpGet, { container, host, timeoutMs });
  if (probe.tcpSocket) return probeTcp(host, resolvePort(container, probe.tcpSocket.port), timeoutMs);
  if (probe.grpc) return probeGrpc(host, probe.grpc.port, probe.grpc.service ?? "", timeoutMs);
  throw new Error("missing probe handler");
}

/** References to variables that have their value in the spec are replaced; what comes from elsewhere is not known here. */
function staticCommand({ env = [] }: Container, command: string[] = []): string[] {
  const values = new Map(env.filter(({ valueFrom }) => !valueFrom).map(({ name, value }) => [name, value ?? ""]));
  return command.map((text) => expandVariables(text, (name) => values.get(name)));
}
