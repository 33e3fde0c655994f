/**
 * What Services cost on a node: the time until the rules of all are in the kernel, until a changed endpoint gets the next
 * connection, memory, and a first packet's way through them. With HEARTH_BENCH_KUBE_PROXY (the program) and
 * HEARTH_BENCH_KUBECONFIG (an administrator of a cluster that may be filled with Services), upstream's kube-proxy does the
 * same in the same run. Prints; never fails on a time.
 */
import { percentile } from "../cluster/statistics.ts";
import { HearthProxy } from "./hearth-proxy.ts";
import { ClusterApi, KubeProxy } from "./kube-proxy.ts";
import type { MeasuredProxy } from "./measured-proxy.ts";
import { BenchNetwork } from "./network.ts";
import { ANSWERING, addressOf, PORT } from "./objects.ts";

const COUNTS = (process.env["BENCH_SERVICES"] ?? "1,1000,10000").split(",").map(Number);
const CHANGES = 100;
const CONNECTS = 1_000;
const KUBE_PROXY = process.env["HEARTH_BENCH_KUBE_PROXY"];
const KUBECONFIG = process.env["HEARTH_BENCH_KUBECONFIG"];

const show = (samples: number[], digits = 1) =>
  `p50 ${percentile(samples, 0.5).toFixed(digits)} ms, p99 ${percentile(samples, 0.99).toFixed(digits)} ms`;
const row = (what: string, figure: string) => console.log(`    ${what.padEnd(34)} ${figure}`);

/** @param clusterIp of a Service, by its number */
async function measure(
  proxy: MeasuredProxy,
  network: BenchNetwork,
  { count, clusterIp }: { count: number; clusterIp: (index: number) => string },
): Promise<void> {
  const at = (index: number) => ({ address: clusterIp(index), port: PORT });
  // The last that leads to a server: rules that come in one transaction are all there with any of them.
  const last = Math.min(count, ANSWERING) - 1;
  const synced = network.client.until(at(last), "one");
  await proxy.start();
  row("first sync, from its start", `${(await synced).toFixed(0)} ms`);
  row("resident memory after it", `${((await proxy.residentBytes()) / 1_048_576).toFixed(0)} MB`);

  const connects = await network.client.asked({ ...at(last), count: CONNECTS, atOnce: 1 });
  row(
    "first packets: connect and answer",
    show(
      connects.map(({ ms }) => ms),
      3,
    ),
  );

  const changes: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const index = change % (last + 1);
    const lead = Math.floor(change / (last + 1)) % 2 === 0 ? "two" : "one";
    const seen = network.client.until(at(index), lead);
    await proxy.change(index, lead);
    changes.push(await seen);
  }
  row(`one Service's endpoints change, ${CHANGES} times`, show(changes));
}

async function ofHearth(count: number): Promise<void> {
  const network = await BenchNetwork.build("services");
  const proxy = new HearthProxy(network, count);
  try {
    console.log(`  Hearth, ${count} Services`);
    row("resident memory before", `${((await proxy.ready()) / 1_048_576).toFixed(0)} MB`);
    await measure(proxy, network, { count, clusterIp: addressOf });
  } finally {
    await proxy.stop();
    await network.remove();
  }
}

async function ofKubeProxy(count: number, { program, kubeconfig }: { program: string; kubeconfig: string }) {
  const network = await BenchNetwork.build("services");
  const api = new ClusterApi(kubeconfig);
  const proxy = new KubeProxy({ program, api, network });
  try {
    console.log(`  kube-proxy, ${count} Services`);
    const services = await api.create(count);
    await measure(proxy, network, { count, clusterIp: (index) => services[index]!.spec!.clusterIP! });
    const [, ...partial] = proxy.syncsMs;
    row("of which its first sync, as it says", `${proxy.syncsMs[0]?.toFixed(0)} ms`);
    row("of which its later syncs", show(partial));
  } finally {
    await proxy.stop();
    await api.clear();
    await network.remove();
  }
}

for (const count of COUNTS) {
  await ofHearth(count);
  if (KUBE_PROXY && KUBECONFIG) await ofKubeProxy(count, { program: KUBE_PROXY, kubeconfig: KUBECONFIG });
}
