import * as k8s from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { clientFor, type JsonClient } from "../harness/json-client.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { commandOf, processTree } from "../harness/process-tree.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SeverableProxy } from "./severable-proxy.ts";

const OBJECTS = 10_000;
const WRITERS = 32;
/** Of so many revisions the store keeps no more, whatever their age: an older one is gone (410). */
const RETAINED_REVISIONS = 20_000;
const RESTART_AFTER_MS = 100;
const PATH = "/api/v1/namespaces/informed/configmaps";

/** An informer that is started again whenever it ends with an error, and what it told. */
class Informed {
  readonly counts: number[] = [];
  adds = 0;
  lists = 0;
  errors = 0;
  readonly #informer: k8s.Informer<k8s.V1ConfigMap> & k8s.ObjectCache<k8s.V1ConfigMap>;
  #isStopped = false;

  constructor(config: k8s.KubeConfig) {
    const core = config.makeApiClient(k8s.CoreV1Api);
    this.#informer = k8s.makeInformer(config, PATH, () => {
      this.lists++;
      return core.listNamespacedConfigMap({ namespace: "informed" });
    });
    this.#informer.on("add", () => this.adds++);
    this.#informer.on("change", ({ metadata, data }) => {
      if (metadata?.name === "counter" && data?.["count"]) this.counts.push(Number(data["count"]));
    });
    this.#informer.on("error", () => {
      this.errors++;
      setTimeout(() => !this.#isStopped && this.start(), RESTART_AFTER_MS);
    });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#informer.stop();
  }

  /** Resource versions by name. */
  cache(): Map<string, string> {
    return new Map(
      this.#informer.list("informed").map(({ metadata }) => [metadata!.name!, metadata!.resourceVersion!]),
    );
  }
}

/** Informers over many objects, through control planes killed in the middle and through lost history. */
export function describeInformers(cluster: () => OwnCluster): void {
  let client: JsonClient;
  let proxy: SeverableProxy;
  let steady: Informed;
  let severed: Informed;
  /** The version that `severed` has seen last. */
  let severedAt: number;

  beforeAll(async () => {
    client = clientFor(cluster().kubeconfigFile, WRITERS + 2);
    await client.send("POST", "/api/v1/namespaces", JSON.stringify({ metadata: { name: "informed" } }));
    await waitFor("the CA", () => client.send("GET", `${PATH}/kube-root-ca.crt`));
    proxy = await SeverableProxy.start(cluster().port);
    steady = new Informed(configFor(cluster().port));
    severed = new Informed(configFor(proxy.port));
    await Promise.all([steady.start(), severed.start()]);
    await expectUpToDate(severed);
    severedAt = await revision();
    proxy.cut();
  });

  afterAll(async () => {
    await Promise.all([steady?.stop(), severed?.stop()]);
    proxy?.close();
    await client?.close();
  });

  function configFor(port: number): k8s.KubeConfig {
    const config = new k8s.KubeConfig();
    config.loadFromFile(cluster().kubeconfigFile);
    config.clusters = config.clusters.map((entry) => ({ ...entry, server: `https://127.0.0.1:${port}` }));
    return config;
  }

  function killWorkerd(): void {
    const pid = processTree(cluster().controlPlanePid()).find((candidate) => commandOf(candidate) === "workerd");
    if (!pid) throw new Error("workerd does not run");
    process.kill(pid, "SIGKILL");
  }

  /** Tries until it is done, or was already: a killed control plane leaves that open. */
  const persist = (method: string, path: string, body: object) =>
    waitFor(`${method} ${path}`, () =>
      client.send(method, path, JSON.stringify(body)).catch((error: Error) => {
        if (method === "POST" && / 409 /.test(error.message)) return "there already";
        throw error;
      }),
    );

  async function createAll(numbers: number[], after?: (created: number) => void): Promise<void> {
    const left = numbers.values();
    let created = 0;
    const write = async () => {
      for (const number of left) {
        const metadata = { name: `object-${number}`, labels: { half: number % 2 ? "odd" : "even" } };
        await persist("POST", PATH, { metadata });
        after?.(++created);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  async function revision(): Promise<number> {
    const list = await client.send("GET", `${PATH}?limit=1`);
    return Number((JSON.parse(list) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  }

  const numbers = Array.from({ length: OBJECTS }, (_, number) => number);

  async function expectUpToDate(informed: Informed): Promise<void> {
    const { items } = JSON.parse(await client.send("GET", PATH)) as {
      items: { metadata: { name: string; resourceVersion: string } }[];
    };
    const state = new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    await waitFor("the last changes", () => {
      const cache = informed.cache();
      return cache.size === state.size && [...state].every(([name, version]) => cache.get(name) === version);
    });
    expect(informed.cache()).toEqual(state);
  }

  it("resumes after each kill -9 without a change lost and without a new list (STO-07)", async () => {
    await persist("POST", PATH, { metadata: { name: "counter" }, data: { count: "0" } });
    const kills = new Set([OBJECTS * 0.3, OBJECTS * 0.6]);
    let count = 0;
    let isCreating = true;
    const counting = (async () => {
      while (isCreating) {
        const next = String(++count);
        await persist("PUT", `${PATH}/counter`, { metadata: { name: "counter" }, data: { count: next } });
      }
    })();
    await createAll(numbers, (created) => kills.has(created) && killWorkerd());
    isCreating = false;
    await counting;
    await expectUpToDate(steady);
    expect(steady.counts).toEqual(Array.from({ length: count + 1 }, (_, number) => number));
    expect(steady).toMatchObject({ lists: 1, adds: OBJECTS + 2 });
    expect(steady.errors).toBeGreaterThan(0);
  }, 600_000);

  it("lists anew when the version it knows is gone (410)", async () => {
    const odd = numbers.filter((number) => number % 2);
    while ((await revision()) - severedAt <= RETAINED_REVISIONS) {
      await client.send("DELETE", `${PATH}?labelSelector=half%3Dodd`);
      await createAll(odd);
    }
    const gone = await waitFor("the compaction", async () => {
      const response = await client.open("GET", `${PATH}?watch=true&timeoutSeconds=1&resourceVersion=${severedAt}`);
      const text = await response.text();
      return (response.status === 410 || text.includes('"code":410')) && text;
    });
    expect(gone).toMatch(/"reason":"Expired"/);
    expect(severed.lists).toBe(1);
    proxy.mend();
    await waitFor("a new list", () => severed.lists > 1);
    await expectUpToDate(severed);
    await expectUpToDate(steady);
    expect(steady.lists).toBe(1);
  });
}
