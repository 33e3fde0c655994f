import { afterAll, beforeAll, expect, it } from "vitest";
import { clientFor, type JsonClient } from "../harness/json-client.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { commandOf, processTree } from "../harness/process-tree.ts";
import { waitFor } from "../harness/wait-for.ts";

const CLIENTS = 16;
const OBJECTS = 500;
const KILLS_AFTER = [60, 180, 300, 420];
const PATH = "/api/v1/namespaces/default/configmaps";

interface ConfigMap {
  metadata: { name: string; uid: string; resourceVersion: string };
}

let cluster: OwnCluster;
let client: JsonClient;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  client = clientFor(cluster.kubeconfigFile, CLIENTS + 2);
}, 300_000);

afterAll(async () => {
  await client?.close();
  await cluster?.remove();
}, 120_000);

function workerdPid(): number {
  const pid = processTree(cluster.controlPlanePid()).find((p) => commandOf(p) === "workerd");
  if (!pid) throw new Error("workerd does not run");
  return pid;
}

/** A list, then watches resumed from the last revision seen; 410 means a new list. What any informer does. */
class Follower {
  readonly names = new Set<string>();
  reconnects = 0;
  relists = 0;
  readonly #stop = new AbortController();
  #revision: string | undefined;
  readonly #done: Promise<void>;

  constructor() {
    this.#done = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#revision === undefined) await this.#list();
        await this.#watch();
      } catch {
        // the control plane is being killed: come again
      }
      this.reconnects++;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #list(): Promise<void> {
    const list = JSON.parse(await client.send("GET", PATH)) as { metadata: ConfigMap["metadata"]; items: ConfigMap[] };
    this.relists++;
    for (const item of list.items) this.names.add(item.metadata.name);
    this.#revision = list.metadata.resourceVersion;
  }

  async #watch(): Promise<void> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${this.#revision}`;
    const response = await client.open("GET", `${PATH}?${query}`, undefined, this.#stop.signal);
    if (response.status === 410) this.#revision = undefined;
    if (!response.ok) {
      await response.arrayBuffer();
      return;
    }
    let buffered = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      buffered += decoder.decode(chunk as Uint8Array, { stream: true });
      const lines = buffered.split("\n");
      buffered = lines.pop()!;
      for (const line of lines) this.#take(JSON.parse(line) as { type: string; object: ConfigMap });
    }
  }

  #take({ type, object }: { type: string; object: ConfigMap }): void {
    if (type === "ERROR") {
      this.#revision = undefined;
      return;
    }
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(this.#revision) - 1);
    this.#revision = object.metadata.resourceVersion;
    if (type === "ADDED") this.names.add(object.metadata.name);
  }
}

it("loses nothing acknowledged when workerd is killed with -9 under load", async () => {
  const acknowledged = new Map<string, ConfigMap["metadata"]>();
  const follower = new Follower();
  let created = 0;
  let killed = 0;
  let next = 0;
  const worker = async () => {
    let lastRevision = 0;
    for (let index = next++; index < OBJECTS; index = next++) {
      const name = `object-${index}`;
      await waitFor(
        `${name} to be created`,
        async () => {
          const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k: "v" } });
          const response = await client.open("POST", PATH, body);
          const text = await response.text();
          if (response.status === 201) {
            const { metadata } = JSON.parse(text) as ConfigMap;
            acknowledged.set(name, metadata);
            expect(Number(metadata.resourceVersion)).toBeGreaterThan(lastRevision);
            lastRevision = Number(metadata.resourceVersion);
            return true;
          }
          // A try whose answer was lost may have been written; anything else but "not now" is a fault.
          if (response.status !== 409) expect(response.status).toBe(503);
          return response.status === 409;
        },
        { intervalMs: 50 },
      );
      created++;
      if (killed < KILLS_AFTER.length && created >= KILLS_AFTER[killed]!) {
        killed++;
        process.kill(workerdPid(), "SIGKILL");
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
  expect(killed).toBe(KILLS_AFTER.length);

  const list = await waitFor("the list", async () => {
    return JSON.parse(await client.send("GET", PATH)) as { metadata: ConfigMap["metadata"]; items: ConfigMap[] };
  });
  const found = new Map(list.items.map(({ metadata }) => [metadata.name, metadata]));
  for (const [name, metadata] of acknowledged) {
    expect(found.get(name)?.uid, name).toBe(metadata.uid);
    expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
  }
  expect([...found.keys()].filter((name) => name.startsWith("object-"))).toHaveLength(OBJECTS);
  const revisions = list.items.map(({ metadata }) => metadata.resourceVersion);
  expect(new Set(revisions).size).toBe(revisions.length);

  await waitFor("the watch to have seen every object", () =>
    [...found.keys()].every((name) => follower.names.has(name)),
  );
  expect(follower.reconnects).toBeGreaterThan(0);
  await follower.stop();
  console.log(
    `killed ${killed} times; ${acknowledged.size} of ${OBJECTS} acknowledged at the first try that counted; ${follower.relists} lists`,
  );
}, 300_000);
