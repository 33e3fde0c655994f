import { performance } from "node:perf_hooks";
import { isReady } from "../../shared/api/conditions.ts";
import type { JsonClient } from "../../test/harness/json-client.ts";
import type { Timeline } from "./timeline.ts";

const PODS = "/api/v1/namespaces/default/pods";
const SELECTOR = "labelSelector=bench%3Dstart";
const TIMEOUT_MS = 300_000;

interface Seen {
  metadata: { name: string };
  spec?: { nodeName?: string };
  status?: { conditions?: { type: string; status: string }[] };
}

/** Creates pods and sees them become Ready and go, as a client does: by a watch. */
export class ApiPods {
  readonly #client: JsonClient;
  readonly #readyMs = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #timeline: Timeline | undefined;
  #present = new Set<string>();
  #wake: () => void = () => {};

  /** @param timeline notes what can be seen of pods on their way */
  constructor(client: JsonClient, timeline?: Timeline) {
    this.#client = client;
    this.#timeline = timeline;
  }

  async open(): Promise<void> {
    const response = await this.#client.open("GET", `${PODS}?watch=1&${SELECTOR}`, undefined, this.#stop.signal);
    void this.#read(response).catch(() => {}); // cut off by `close`
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(response: Response | { body: unknown }): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) if (line) this.#seen(JSON.parse(line) as { type: string; object: Seen });
    }
  }

  #seen({ type, object: { metadata, spec, status } }: { type: string; object: Seen }): void {
    if (type === "DELETED") this.#present.delete(metadata.name);
    else this.#present.add(metadata.name);
    const isSeenReady = isReady({ status });
    if (spec?.nodeName) this.#timeline?.note(metadata.name, "bound to the node", Date.now());
    if (isSeenReady) this.#timeline?.note(metadata.name, "seen as Ready", Date.now());
    if (isSeenReady && !this.#readyMs.has(metadata.name)) this.#readyMs.set(metadata.name, performance.now());
    this.#wake();
  }

  /** @returns milliseconds from the request until Ready was seen, by pod */
  async start(names: string[], image: string): Promise<number[]> {
    const startMs = performance.now();
    await Promise.all(names.map((name) => this.#create(name, image)));
    await this.#until(() => names.every((name) => this.#readyMs.has(name)), "pods to be Ready");
    return names.map((name) => this.#readyMs.get(name)! - startMs);
  }

  async #create(name: string, image: string): Promise<void> {
    this.#timeline?.note(name, "asked for", Date.now());
    await this.#client.send("POST", PODS, podBody(name, image));
    this.#timeline?.note(name, "accepted", Date.now());
  }

  async remove(names: string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#client.send("DELETE", `${PODS}/${name}`)));
    await this.#until(() => !names.some((name) => this.#present.has(name)), "pods to go");
  }

  async #until(condition: () => boolean, what: string): Promise<void> {
    const deadlineMs = performance.now() + TIMEOUT_MS;
    while (!condition()) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new Error(`waited too long for ${what}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, leftMs);
      await promise;
      clearTimeout(timer);
    }
  }
}

const podBody = (name: string, image: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { bench: "start" } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image }] },
  });
