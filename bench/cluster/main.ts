/**
 * What a user notices of the control plane's speed, measured on this machine against a cluster of its own, beside what
 * upstream's etcd, kube-apiserver, controller-manager and scheduler gave on such a machine. Prints; never fails on a time.
 */
import { performance } from "node:perf_hooks";
import { clientFor } from "../../test/harness/json-client.ts";
import { OwnCluster } from "../../test/harness/own-cluster.ts";
import { treeMemoryBytes } from "../../test/harness/process-tree.ts";
import { timePodStarts } from "./pod-start.ts";
import { percentile } from "./statistics.ts";
import { configMapBody, podBody, type Timing, timeCalls, timeFanOut } from "./workload.ts";

const PODS = 2000;
const WATCHERS = 200;
const LISTS = 10;
const MIB = 1024 * 1024;

interface Row {
  what: string;
  here: string;
  upstream: string;
}

const rows: Row[] = [];

function report(what: string, here: string, upstream = ""): void {
  rows.push({ what, here, upstream });
  console.log(`  ${what}: ${here}${upstream ? `   (upstream ${upstream})` : ""}`);
}

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const timing = ({ perSecond, p50Ms, p99Ms }: Timing) => `${perSecond.toFixed(0)}/s, p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}`;

const cluster = await OwnCluster.prepare();
try {
  console.log("starting a cluster of its own");
  await cluster.hearth("build"); // bundling once is not start-up
  const startMs = performance.now();
  await cluster.up("--no-node");
  report("from `up` to ready", `${((performance.now() - startMs) / 1000).toFixed(1)} s`, "4.1 s");
  const pid = cluster.controlPlanePid();
  await new Promise((resolve) => setTimeout(resolve, 5000));
  report("memory, idle", `${(treeMemoryBytes(pid) / MIB).toFixed(0)} MiB`, "498 MB");

  const one = clientFor(cluster.kubeconfigFile, 1);
  const sixteen = clientFor(cluster.kubeconfigFile, 16);
  const many = clientFor(cluster.kubeconfigFile, WATCHERS + 4);
  for (const name of ["writes", "pods", "fan"]) {
    await one.send(
      "POST",
      "/api/v1/namespaces",
      JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    );
  }
  await waitForServiceAccount("pods");

  const configMaps = "/api/v1/namespaces/writes/configmaps";
  await timeCalls(1, 50, (i) => one.send("POST", configMaps, configMapBody(`warm-${i}`)));
  report(
    "ConfigMap creates, 1 client",
    timing(await timeCalls(1, 500, (i) => one.send("POST", configMaps, configMapBody(`one-${i}`)))),
    "228/s",
  );
  report(
    "ConfigMap creates, 16 clients",
    timing(await timeCalls(16, 2000, (i) => sixteen.send("POST", configMaps, configMapBody(`many-${i}`)))),
  );

  const pods = "/api/v1/namespaces/pods/pods";
  report(
    "Pod creates, 16 clients",
    timing(await timeCalls(16, PODS, (i) => sixteen.send("POST", pods, podBody(`pod-${i}`)))),
    "414/s, p50 33 ms",
  );
  report(
    "Pod creates, 1 client",
    timing(await timeCalls(1, 200, (i) => one.send("POST", pods, podBody(`single-${i}`)))),
  );
  for (let i = 0; i < 200; i++) await one.send("DELETE", `${pods}/single-${i}`);

  report(
    "gets, 16 clients",
    timing(await timeCalls(16, 5000, (i) => sixteen.send("GET", `${pods}/pod-${i % PODS}`))),
    "1,779/s",
  );
  report("gets, 1 client", timing(await timeCalls(1, 1000, (i) => one.send("GET", `${pods}/pod-${i % PODS}`))));
  const lists: number[] = [];
  for (let i = 0; i < LISTS; i++) {
    const beforeMs = performance.now();
    const text = await one.send("GET", pods);
    lists.push(performance.now() - beforeMs);
    const count = (JSON.parse(text) as { items: unknown[] }).items.length;
    if (count !== PODS) throw new Error(`the list has ${count} pods`);
  }
  report(`list of ${PODS} pods`, `p50 ${ms(percentile(lists, 0.5))}`, "106 ms");

  const { delays, expected } = await timeFanOut(many, "fan", WATCHERS, 20);
  report(
    `watch fan-out to ${WATCHERS} watchers`,
    `p50 ${ms(percentile(delays, 0.5))}, p99 ${ms(percentile(delays, 0.99))}, ${delays.length} of ${expected} events`,
    "p99 34 ms",
  );
  report(`memory, after ${PODS} pods`, `${(treeMemoryBytes(pid) / MIB).toFixed(0)} MiB`, "795 MB");
  await one.send("DELETE", "/api/v1/namespaces/pods/pods");
  await Promise.all([one.close(), sixteen.close(), many.close()]);

  if (process.getuid?.() === 0) {
    const starts = await timePodStarts(cluster);
    report(
      "from `kubectl apply` to Pod Ready",
      `p50 ${ms(percentile(starts, 0.5))}, slowest ${ms(Math.max(...starts))}`,
    );
  } else {
    console.log("  pods are not started: that takes root");
  }

  async function waitForServiceAccount(namespace: string): Promise<void> {
    for (;;) {
      const response = await one.open("GET", `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
      await response.arrayBuffer();
      if (response.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
} finally {
  await cluster.remove();
}

const width = Math.max(...rows.map((row) => row.what.length));
console.log(`\n${"".padEnd(width)}  Hearth`);
for (const { what, here, upstream } of rows) {
  console.log(`${what.padEnd(width)}  ${here}${upstream ? `   [upstream ${upstream}]` : ""}`);
}
