/**
 * How many pods a second the scheduler finds nodes for, and how that grows with the nodes: with an API that costs
 * nothing, in this process. Prints; never fails on a time.
 */
import { performance } from "node:perf_hooks";
import { benchNode, KINDS, type PodKind } from "./bench-objects.ts";
import { MemoryCluster } from "./memory-cluster.ts";

const NODE_COUNTS = (process.env["BENCH_NODES"] ?? "100,1000,5000").split(",").map(Number);
/** On nodes already, of the same kind; upstream's benchmarks begin with as many. */
const PLACED = 1_000;
const PODS = Number(process.env["BENCH_PODS"] ?? 2_000);
/** Long enough to be measured, and no longer. */
const LIMIT_MS = 20_000;

async function measure(nodeCount: number, { podOf }: PodKind): Promise<string> {
  const nodes = Array.from({ length: nodeCount }, (_, i) => benchNode(i));
  const cluster = new MemoryCluster(nodes, []);
  await cluster.schedule(Array.from({ length: Math.min(PLACED, 10 * nodeCount) }, (_, i) => podOf(i)));
  const { user, system } = process.cpuUsage();
  const startMs = performance.now();
  let count = 0;
  for (const step = 200; count < PODS && performance.now() - startMs < LIMIT_MS; count += step)
    await cluster.schedule(Array.from({ length: step }, (_, i) => podOf(PLACED + count + i)));
  const tookMs = performance.now() - startMs;
  const used = process.cpuUsage();
  const cpuMs = (used.user + used.system - user - system) / 1000;
  return `${((count * 1000) / tookMs).toFixed(0)}/s (${(cpuMs / count).toFixed(2)} ms of processor time each)`;
}

for (const kind of KINDS) {
  console.log(`  ${kind.name}`);
  for (const nodeCount of NODE_COUNTS)
    console.log(`    ${String(nodeCount).padStart(5)} nodes: ${await measure(nodeCount, kind)}`);
}
process.exit(0);
