import { messageOf } from "../../shared/message-of.ts";
import type { Container, Pod, Probe } from "../api/index.ts";
import type { CriClient } from "../cri/index.ts";
import { probeExec } from "./exec.ts";
import { probeGrpc } from "./grpc.ts";
import { probeHttp } from "./http.ts";
import { failure, type Outcome } from "./outcome.ts";
import { probeTcp } from "./tcp.ts";
import { countOutcome, NO_OUTCOME } from "./threshold.ts";

export type ProbeKind = "startup" | "readiness" | "liveness";

/** A running instance of one of the pod's containers. */
export interface ProbedInstance {
  id: string;
  name: string;
  startedAtMs: number;
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
  /** A failed attempt, for the event. */
  onFailure(pod: Pod, container: Container, message: string): void;
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
      if (!outcome.ok) deps.onFailure(loop.pod, container, `${TITLES[kind]} probe failed: ${outcome.message}`);
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

  async function attempt(container: Container, probe: Probe, id: string, podIp: string | undefined): Promise<Outcome> {
    try {
      return await probeOnce(deps.cri, container, probe, id, podIp);
    } catch (error) {
      return failure(messageOf(error));
    }
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
  if (probe.exec) return probeExec(cri, containerId, probe.exec.command ?? [], timeoutSeconds);
  const host = probe.httpGet?.host || probe.tcpSocket?.host || podIp;
  if (!host) throw new Error("the pod has no address yet");
  if (probe.httpGet) {
    const { scheme, path, port, httpHeaders } = probe.httpGet;
    return probeHttp(
      {
        scheme: scheme === "HTTPS" ? "https" : "http",
        host,
        port: resolvePort(container, port),
        path: path ?? "/",
        headers: (httpHeaders ?? []).map(({ name, value }) => ({ name, value: value ?? "" })),
      },
      timeoutMs,
    );
  }
  if (probe.tcpSocket) return probeTcp(host, resolvePort(container, probe.tcpSocket.port), timeoutMs);
  if (probe.grpc) return probeGrpc(host, probe.grpc.port, probe.grpc.service ?? "", timeoutMs);
  throw new Error("missing probe handler");
}

/** A number, or the name of one of the container's ports. */
export function resolvePort(container: Container, port: number | string): number {
  const number = typeof port === "number" ? port : /^\d+$/.test(port) ? Number(port) : undefined;
  if (number !== undefined) return number;
  const named = container.ports?.find(({ name }) => name === port);
  if (!named) throw new Error(`couldn't find port: ${JSON.stringify(port)} in container ${container.name}`);
  return named.containerPort;
}
