import { performance } from "node:perf_hooks";
import type { Pod } from "../../shared/api/types.ts";
import type { JsonClient } from "../../test/harness/json-client.ts";

interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: Pod;
}

/** A namespace's pods as a watch shows them, with the times at which counts were reached. */
export class WatchedPods {
  readonly #stop = new AbortController();
  readonly #bound = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #waiting: { isMet: () => boolean; resolve: (atMs: number) => void }[] = [];

  /** @param onTerminating called once for each pod on a node that is to go: what its kubelet would be told */
  static async open(
    api: JsonClient,
    namespace: string,
    onTerminating: (name: string) => void = () => undefined,
  ): Promise<WatchedPods> {
    const pods = new WatchedPods();
    const path = `/api/v1/namespaces/${namespace}/pods?watch=true&resourceVersion=0`;
    const response = await api.open("GET", path, undefined, pods.#stop.signal);
    if (!response.ok || !response.body) throw new Error(`watch: ${response.status}`);
    void pods.#read(response.body as AsyncIterable<Uint8Array>, onTerminating);
    return pods;
  }

  get boundCount(): number {
    return this.#bound.size;
  }

  /** When so many pods have been seen, in all. */
  created(count: number): Promise<number> {
    return this.#until(() => this.#seen.size >= count);
  }

  bound(count: number): Promise<number> {
    return this.#until(() => this.#bound.size >= count);
  }

  close(): void {
    this.#stop.abort();
  }

  #until(isMet: () => boolean): Promise<number> {
    if (isMet()) return Promise.resolve(performance.now());
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  async #read(body: AsyncIterable<Uint8Array>, onTerminating: (name: string) => void): Promise<void> {
    const decoder = new TextDecoder();
    const terminating = new Set<string>();
    let buffered = "";
    try {
      for await (const chunk of body) {
        buffered += decoder.decode(chunk, { stream: true });
        const lines = buffered.split("\n");
        buffered = lines.pop()!;
        for (const line of lines) this.#take(JSON.parse(line) as WatchEvent, terminating, onTerminating);
        const nowMs = performance.now();
        for (const waiting of this.#waiting.splice(0)) {
          if (waiting.isMet()) waiting.resolve(nowMs);
          else this.#waiting.push(waiting);
        }
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) console.error("the watch broke:", error);
    }
  }

  #take({ type, object: pod }: WatchEvent, terminating: Set<string>, onTerminating: (name: string) => void): void {
    if (type === "ERROR" || type === "BOOKMARK") return;
    const { name, uid, deletionTimestamp } = pod.metadata;
    this.#seen.add(uid!);
    const { nodeName } = pod.spec;
    if (!nodeName) return;
    this.#bound.set(uid!, nodeName);
    if (type === "DELETED" || !deletionTimestamp || terminating.has(uid!)) return;
    terminating.add(uid!);
    onTerminating(name);
  }
}
