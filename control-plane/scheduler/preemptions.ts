import type { ControllerDeps } from "../runtime/index.ts";
import type { PodInfo } from "./framework/node-info.ts";
import type { NominatedPods } from "./nominated-pods.ts";
import { identityOf } from "./pod-changes.ts";
import { clearNomination, evict } from "./pod-writes.ts";
import type { Writers } from "./writers.ts";

interface Deps extends Pick<ControllerDeps, "log"> {
  nominated: NominatedPods;
  writers: Writers;
  /** A pod was due while its victims were evicted, or one of them could not be. */
  tryAgain(pod: PodInfo): void;
}

/** Evictions under way that make room for pods. Their pods are not tried meanwhile, but after it if they were due. */
export class Preemptions {
  readonly #deps: Deps;
  /** By the uid of the pod that gets the room. */
  readonly #running = new Map<string, { isDue: boolean }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @returns whether the pod's victims are being evicted: it is tried when that is over */
  postpones(uid: string): boolean {
    const running = this.#running.get(uid);
    if (running) running.isDue = true;
    return running !== undefined;
  }

  /** Makes room for a pod. It is tried again when its victims are gone, or at once if one cannot be evicted. */
  async evict(preemptor: PodInfo, { node, victims }: { node: string; victims: PodInfo[] }): Promise<void> {
    const { log, nominated, writers, tryAgain } = this.#deps;
    const { pod, uid, priority } = preemptor;
    const { key } = identityOf(pod);
    log.info("pods preempted", { key, node, victims: victims.map((info) => identityOf(info.pod).key) });
    const running = { isDue: false };
    this.#running.set(uid, running);
    const displaced = nominated.on(node).filter((other) => other.priority < priority);
    try {
      for (const other of displaced) {
        nominated.remove(other.uid);
        await clearNomination(other.pod, writers.for(pod));
      }
      await Promise.all(victims.map((victim) => evict(victim.pod, { preemptor: pod, node }, writers.for(pod))));
    } catch (error) {
      log.error("preemption failed", { key, error: String(error) });
      running.isDue = true;
    } finally {
      this.#running.delete(uid);
    }
    if (running.isDue) tryAgain(preemptor);
  }
}
