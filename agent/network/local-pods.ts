import type { Pod } from "../api/index.ts";
import type { PodNetwork } from "../kubelet/index.ts";

/** A pod of this node with the addresses that its runtime gave it. */
export interface LocalPod {
  pod: Pod;
  /** None when its sandbox is stopped, whatever the API still says; and of one that shares the node's network. */
  ips: readonly string[];
}

/**
 * This node's pods with their addresses as the runtime has them: known before the API is told, and without it. By
 * `<namespace>/<name>`: what the API knows a static pod by.
 */
export interface LocalPods {
  get(key: string): LocalPod | undefined;
  list(): [key: string, pod: LocalPod][];
  onChange(listener: (key: string) => void): void;
  /**
   * Asked before a pod's containers are started, and its first packet is sent. Settles when the pod may start.
   * @throws Error why not; it is asked again later
   */
  beforeStart(gate: (key: string) => Promise<void>): void;
}

export function createLocalPods(): LocalPods & PodNetwork {
  const pods = new Map<string, LocalPod>();
  const listeners = new Set<(key: string) => void>();
  const gates = new Set<(key: string) => Promise<void>>();
  return {
    get: (key) => pods.get(key),
    list: () => [...pods],
    onChange: (listener) => void listeners.add(listener),
    beforeStart: (gate) => void gates.add(gate),
    follow(pod, ips) {
      const key = keyOfPod(pod);
      const before = pods.get(key);
      // The end of a pod may be told when the next one by its name has begun.
      if (before && before.pod.metadata.uid !== pod.metadata.uid && ips.length === 0 && before.ips.length > 0) return;
      pods.set(key, { pod, ips });
      if (before?.pod === pod && before.ips.join() === ips.join()) return;
      for (const listener of listeners) listener(key);
    },
    forget(pod) {
      const key = keyOfPod(pod);
      if (pods.get(key)?.pod.metadata.uid !== pod.metadata.uid) return;
      pods.delete(key);
      for (const listener of listeners) listener(key);
    },
    async ready(pod) {
      await Promise.all([...gates].map((gate) => gate(keyOfPod(pod))));
    },
  };
}

const keyOfPod = ({ metadata }: Pod) => `${metadata.namespace ?? "default"}/${metadata.name}`;
