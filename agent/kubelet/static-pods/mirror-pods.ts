import { PODS } from "../../../shared/api/refs.ts";
import { ignoreStale, isAlreadyExists } from "../../../shared/api/status.ts";
import type { ApiClient } from "../../../shared/client/api-client.ts";
import { messageOf } from "../../../shared/message-of.ts";
import type { Pod } from "../../api/index.ts";
import type { Clock } from "../../clock/index.ts";
import { createWake } from "../../clock/index.ts";
import type { Log } from "../../log/index.ts";
import type { OwnNode } from "../own-node.ts";
import { CONFIG_MIRROR, fullName } from "./annotations.ts";

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** The API's copies of the static pods: what others see of them. Deleting one deletes nothing else. */
export interface MirrorPods {
  /** The static pods that are to have a mirror. */
  want(pods: Pod[]): void;
  /** All mirrors of this node, as the API told them. */
  replace(mirrors: Pod[]): void;
  upsert(mirror: Pod): void;
  remove(mirror: Pod): void;
  /** The copy of a static pod, if the API has the right one. */
  of(pod: Pod): Pod | undefined;
}

export function createMirrorPods({
  api,
  ownNode,
  clock,
  log,
  signal,
}: {
  api: ApiClient;
  ownNode: OwnNode;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}): MirrorPods {
  let wanted = new Map<string, Pod>();
  let mirrors = new Map<string, Pod>();
  /** Before the API has told them nothing is made: it may be there. */
  let isSynced = false;
  const wake = createWake();

  async function reconcile(name: string): Promise<void> {
    const mirror = mirrors.get(name);
    const step = decideMirrorStep(wanted.get(name), mirror);
    if (step.kind === "delete") {
      const { uid, namespace } = mirror!.metadata;
      await api
        .delete(PODS, { name: mirror!.metadata.name, namespace }, { uid, gracePeriodSeconds: 0 })
        .catch(ignoreStale);
      mirrors.delete(name);
      wake.notify();
    }
    if (step.kind === "create") {
      const node = ownNode.current();
      if (!node) throw new Error("the node is not registered yet");
      const object = renderMirror(step.pod, { name: node.metadata.name, uid: node.metadata.uid ?? "" });
      await api.create(PODS, object).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
        log("warn", "a pod of another making has the name of a static pod", { pod: name });
      });
    }
  }

  async function run(): Promise<void> {
    let pauseMs = FIRST_RETRY_MS;
    let lastFailure = "";
    while (!signal.aborted) {
      await wake.wait(undefined, clock, signal);
      if (!isSynced) continue;
      let failed = false;
      for (const name of new Set([...wanted.keys(), ...mirrors.keys()])) {
        try {
          await reconcile(name);
        } catch (error) {
          failed = true;
          const message = messageOf(error);
          // Told once: it is tried again and again.
          log(message === lastFailure ? "debug" : "warn", "cannot bring a mirror pod about", {
            pod: name,
            error: message,
          });
          lastFailure = message;
        }
      }
      if (!failed) {
        pauseMs = FIRST_RETRY_MS;
        continue;
      }
      await clock.sleep(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS);
      wake.notify();
    }
  }
  void run();

  return {
    want(pods) {
      wanted = new Map(pods.map((pod) => [fullName(pod), pod]));
      wake.notify();
    },
    replace(all) {
      mirrors = new Map(all.map((mirror) => [fullName(mirror), mirror]));
      isSynced = true;
      wake.notify();
    },
    upsert(mirror) {
      mirrors.set(fullName(mirror), mirror);
      wake.notify();
    },
    remove(mirror) {
      if (mirrors.get(fullName(mirror))?.metadata.uid === mirror.metadata.uid) mirrors.delete(fullName(mirror));
      wake.notify();
    },
    of(pod) {
      const mirror = mirrors.get(fullName(pod));
      return mirror && isMirrorOf(mirror, pod) ? mirror : undefined;
    },
  };
}

export type MirrorStep = { kind: "none" } | { kind: "delete" } | { kind: "create"; pod: Pod };

/** One that is being deleted, or that mirrors what the file said before, gives way first. */
export function decideMirrorStep(pod: Pod | undefined, mirror: Pod | undefined): MirrorStep {
  if (!mirror) return pod ? { kind: "create", pod } : { kind: "none" };
  const isRight = pod !== undefined && isMirrorOf(mirror, pod) && mirror.metadata.deletionTimestamp === undefined;
  return isRight ? { kind: "none" } : { kind: "delete" };
}

const isMirrorOf = (mirror: Pod, pod: Pod) => mirror.metadata.annotations?.[CONFIG_MIRROR] === pod.metadata.uid;

/** Owned by the node: when that is deleted, its mirrors go (KEP-1314). */
function renderMirror({ metadata, spec }: Pod, node: { name: string; uid: string }) {
  const { uid, ...rest } = metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...rest,
      annotations: { ...metadata.annotations, [CONFIG_MIRROR]: uid },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid, controller: true }],
    },
    spec,
  };
}
