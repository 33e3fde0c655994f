import type { Clock } from "../clock/index.ts";
import { type CriClient, isCriUnavailable, isCriUnimplemented } from "../cri/index.ts";
import type { Log } from "../log/index.ts";
import * as names from "./names.ts";
import { fingerprints } from "./observe.ts";

const RETRY_MS = 5_000;
/** A runtime that tells nothing may have nothing to tell; one without events says so at once. */
const OPEN_AFTER_MS = 1_000;

export interface RuntimeEventSink {
  /** @param fingerprint what the runtime has of the pod; undefined if only that something happened is known */
  onPod(uid: string, fingerprint?: string): void;
  /** The first process of a container or sandbox has ended. */
  onExit(id: string): void;
  /** Whether events come. What happened before, or while none came, is for the listener to find out. */
  onStream(isOpen: boolean): void;
}

/**
 * Follows what the runtime tells by itself, until the signal is aborted or it is clear that it tells nothing: CRI's
 * events (KEP-3386), or those of containerd itself before 2.0. There the former are missing (1.6), or each goes to only
 * one of those who listen (1.7), of which there may be several: `crictl events`, another agent.
 */
export async function followRuntimeEvents({
  cri,
  clock,
  log,
  signal,
  sink,
}: {
  cri: CriClient;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  sink: RuntimeEventSink;
}): Promise<void> {
  while (!signal.aborted) {
    const broken = new AbortController();
    const streaming = AbortSignal.any([signal, broken.signal]);
    let isOpen = false;
    const open = () => {
      if (isOpen || streaming.aborted) return;
      isOpen = true;
      sink.onStream(true);
    };
    try {
      const { runtimeName, runtimeVersion } = await cri.version();
      void clock.sleep(OPEN_AFTER_MS, streaming).then(open);
      if (hasOwnEvents(runtimeName, runtimeVersion)) await followExits();
      else await followPods();
    } catch (error) {
      if (isCriUnimplemented(error)) return;
      if (!isCriUnavailable(error)) log("debug", "the runtime's event stream broke", { error: String(error) });
    } finally {
      broken.abort();
      if (isOpen) sink.onStream(false);
    }
    await clock.sleep(RETRY_MS, signal);

    async function followExits() {
      for await (const id of cri.taskExits(streaming)) {
        open();
        sink.onExit(id);
      }
    }

    async function followPods() {
      for await (const { podSandboxStatus, containersStatuses } of cri.containerEvents(streaming)) {
        open();
        const uid = podSandboxStatus?.metadata.uid ?? containersStatuses[0]?.labels[names.POD_UID_LABEL];
        if (!uid) continue;
        const seen = podSandboxStatus && { sandboxes: [podSandboxStatus], containers: containersStatuses };
        sink.onPod(uid, seen ? fingerprints(seen).get(uid) : undefined);
      }
    }
  }
}

const hasOwnEvents = (name: string, version: string) => name === "containerd" && /^v?1\./.test(version);
