import type { ContainerUser } from "../cri/index.ts";

/** What the runtime has of one pod. Newest first, over all of the pod's sandboxes. */
export interface ObservedPod {
  uid: string;
  name: string;
  namespace: string;
  sandboxes: ObservedSandbox[];
  containers: ObservedContainer[];
}

export interface ObservedSandbox {
  id: string;
  attempt: number;
  ready: boolean;
  createdAtMs: number;
  hostNetwork: boolean;
  /** Empty until the network plugin gave one, and in the host's network. */
  ips: string[];
}

export interface ObservedContainer {
  id: string;
  name: string;
  sandboxId: string;
  state: "created" | "running" | "exited" | "unknown";
  createdAtMs: number;
  startedAtMs: number;
  finishedAtMs: number;
  exitCode: number;
  reason: string;
  message: string;
  image: string;
  imageRef: string;
  imageId: string;
  /** From the container's annotations, so that it outlives the agent. */
  restartCount: number;
  hash: string;
  logPath: string;
  /** Where in it something is mounted read-only with all that is mounted below. */
  recursiveReadOnly: string[];
  /** As whom its first process began; undefined from runtimes that do not tell. */
  user?: ContainerUser;
}

/**
 * Orders instances newest first by their count, which only grows. Times would not do: a machine without a battery for its
 * clock starts with an earlier hour than it went down with, and what it then makes looks older than what is dead.
 */
export const byAttempt =
  <T extends { createdAtMs: number }>(attemptOf: (instance: T) => number) =>
  (a: T, b: T): number =>
    attemptOf(b) - attemptOf(a) || b.createdAtMs - a.createdAtMs;

/** The newest instance of a container. */
export const findContainer = (observed: ObservedPod, name: string): ObservedContainer | undefined =>
  observed.containers.find((container) => container.name === name);
