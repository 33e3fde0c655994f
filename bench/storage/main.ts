/**
 * Prints what a store does inside the runtime, with its data on disk, called over RPC by a Worker: no API server, no
 * TLS. `node bench/storage/main.ts [directory for the data]`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWorkerd } from "./workerd.ts";

const PODS = 2_000;
/** A pod as a Deployment makes it has some 4 KB. */
const POD_BYTES = 4_000;

const directory = mkdtempSync(join(process.argv[2] ?? tmpdir(), "hearth-bench-"));
const workerd = await startWorkerd(directory);

async function measure(title: string, path: string) {
  const response = await fetch(`${workerd.url}${path}`);
  if (!response.ok) throw new Error(`${title}: ${await response.text()}`);
  const figures = (await response.json()) as Record<string, number>;
  const shown = Object.entries(figures).map(
    ([name, value]) => `${name} ${value < 100 ? value.toFixed(2) : Math.round(value)}`,
  );
  console.log(`${title.padEnd(44)} ${shown.join("  ")}`);
}

async function measureList() {
  const startedMs = performance.now();
  const response = await fetch(`${workerd.url}/list?store=bench//pods`);
  const { byteLength } = await response.arrayBuffer();
  const tookMs = (performance.now() - startedMs).toFixed(1);
  console.log(`${`list of ${PODS} pods, streamed, read over HTTP`.padEnd(44)} ms ${tookMs}  bytes ${byteLength}`);
}

try {
  const size = `bytes=${POD_BYTES}`;
  await measure("warm up", `/create?store=warm//pods&from=0&count=300&clients=4&${size}`);
  for (const resource of ["events", "pods"]) {
    const fed = resource === "pods" ? "two subscribers" : "no subscriber";
    const store = `store=bench//${resource}`;
    await measure(`creates, 1 client, ${fed}`, `/create?${store}&from=0&count=${PODS / 2}&clients=1&${size}`);
    await measure(
      `creates, 16 clients, ${fed}`,
      `/create?${store}&from=${PODS / 2}&count=${PODS / 2}&clients=16&${size}`,
    );
  }
  await measure("gets, 1 client", "/get?store=bench//pods&count=2000&clients=1");
  await measure("gets, 16 clients", "/get?store=bench//pods&count=2000&clients=16");
  for (const _ of [1, 2, 3]) await measureList();
  await measure("watch fan-out, 200 watchers", `/watch?store=bench//pods&watchers=200&count=50&${size}`);
} finally {
  await workerd.stop();
  rmSync(directory, { recursive: true, force: true });
}
