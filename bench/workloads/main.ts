/**
 * What the controllers and the scheduler get done: a Deployment whose pods are created and bound on nodes that exist
 * only as objects, then the deletion of its namespace, this program playing the kubelets. Measured on a cluster of its
 * own, or with HEARTH_BENCH_KUBECONFIG on another. Prints; never fails on a time.
 */
import { performance } from "node:perf_hooks";
import { clientFor, type JsonClient } from "../../test/harness/json-client.ts";
import { OwnCluster } from "../../test/harness/own-cluster.ts";
import { heapBytes } from "./heap.ts";
import { ObjectNodes } from "./object-nodes.ts";
import { Usage } from "./usage.ts";
import { WatchedPods } from "./watched-pods.ts";

const KUBECONFIG = process.env["HEARTH_BENCH_KUBECONFIG"];
const NODES = Number(process.env["BENCH_NODES"] ?? 20);
const REPLICAS = Number(process.env["BENCH_REPLICAS"] ?? 1_000);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 2);
/** Of one kubelet at the same time. */
const DELETES_AT_ONCE = 20;

/** Where the control plane of its own can be asked for its memory. */
const INSPECTOR = "127.0.0.1:9229";

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const rate = (count: number, ms: number) => `${((count * 1000) / ms).toFixed(0)} pods/s`;
const row = (what: string, figure: string, upstream = "") =>
  console.log(`    ${what.padEnd(48)} ${figure}${upstream ? `   (upstream ${upstream})` : ""}`);
/** Measured on a machine with 2 cores and nothing else to do, with 1,000 pods on 20 nodes. */
const UPSTREAM = { bound: "189 pods/s, 21 pods/s with its clients' default limits", deleted: "50 s" };

/** One Deployment, from its creation to the end of its namespace. */
async function measure(api: JsonClient, round: number, usage: Usage | undefined): Promise<void> {
  const namespace = `bench-${process.pid}-${round}`;
  await api.send("POST", "/api/v1/namespaces", JSON.stringify({ metadata: { name: namespace } }));
  await untilFound(api, `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
  const pods = await WatchedPods.open(api, namespace, (name) => kubelet.remove(namespace, name));
  const kubelet = new Kubelets(api);

  usage?.restart();
  const startMs = performance.now();
  const deployment = JSON.stringify(deploymentBody(REPLICAS));
  await api.send("POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, deployment);
  const createdMs = (await pods.created(REPLICAS)) - startMs;
  const boundMs = (await pods.bound(REPLICAS)) - startMs;
  row(`${REPLICAS} pods created`, `${seconds(createdMs)}, ${rate(REPLICAS, createdMs)}`);
  row(
    `${REPLICAS} pods created and bound, on ${NODES} nodes`,
    `${seconds(boundMs)}, ${rate(REPLICAS, boundMs)}`,
    UPSTREAM.bound,
  );
  if (usage) row("processor time of the control plane for it", usage.show(REPLICAS));

  if (usage) row("heap of the control plane's isolate", `${((await heapBytes(INSPECTOR)) / 1_048_576).toFixed(0)} MiB`);

  usage?.restart();
  const deletedMs = performance.now();
  await api.send("DELETE", `/api/v1/namespaces/${namespace}`);
  await untilGone(api, `/api/v1/namespaces/${namespace}`);
  row("their namespace deleted, until it is gone", seconds(performance.now() - deletedMs), UPSTREAM.deleted);
  if (usage) row("processor time of the control plane for it", usage.show(REPLICAS));
  pods.close();
}

/** What kubelets do when their pods are to go: they have nothing to stop, so it is only the last delete. */
class Kubelets {
  readonly #api: JsonClient;
  readonly #queue: string[] = [];
  #running = 0;

  constructor(api: JsonClient) {
    this.#api = api;
  }

  remove(namespace: string, name: string): void {
    this.#queue.push(`/api/v1/namespaces/${namespace}/pods/${name}`);
    if (this.#running < DELETES_AT_ONCE) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running++;
    for (let path = this.#queue.shift(); path; path = this.#queue.shift()) {
      await this.#api.send("DELETE", path, JSON.stringify({ gracePeriodSeconds: 0 }));
    }
    this.#running--;
  }
}

const deploymentBody = (replicas: number): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "bench" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "bench" } },
    template: {
      metadata: { labels: { app: "bench" } },
      spec: {
        containers: [{ name: "main", image: "nginx:1.29", resources: { requests: { cpu: "10m", memory: "16Mi" } } }],
      },
    },
  },
});

async function untilFound(api: JsonClient, path: string): Promise<void> {
  while (!(await isFound(api, path))) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function untilGone(api: JsonClient, path: string): Promise<void> {
  while (await isFound(api, path)) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function isFound(api: JsonClient, path: string): Promise<boolean> {
  const response = await api.open("GET", path);
  await response.arrayBuffer();
  return response.ok;
}

async function run(kubeconfigFile: string, usage?: Usage): Promise<void> {
  const api = clientFor(kubeconfigFile, DELETES_AT_ONCE + 8);
  const nodes = new ObjectNodes(api, NODES);
  await nodes.create();
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      console.log(`  round ${round}`);
      await measure(api, round, usage);
    }
  } finally {
    await nodes.remove();
    await api.close();
  }
}

if (KUBECONFIG) await run(KUBECONFIG);
else {
  const cluster = await OwnCluster.prepare();
  try {
    process.env["HEARTH_INSPECT"] = INSPECTOR;
    await cluster.up("--no-node");
    await run(cluster.kubeconfigFile, new Usage(cluster.controlPlanePid()));
  } finally {
    await cluster.remove();
  }
}
