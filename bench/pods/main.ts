/**
 * How long a pod needs from its creation until it is Ready, its image on the node, beside what the container runtime
 * itself needs for such a sandbox and container by plain calls, in turns on the same machine. Prints; never fails on a time.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectRuntime } from "../../agent/cri/index.ts";
import { clientFor } from "../../test/harness/json-client.ts";
import { OwnCluster } from "../../test/harness/own-cluster.ts";
import { writeTestImages } from "../../test/images/index.ts";
import { percentile } from "../cluster/statistics.ts";
import { removePlain, startPlain } from "./plain-cri.ts";
import { ApiPods } from "./through-api.ts";
import { Timeline } from "./timeline.ts";

const IMAGE = "nginx:1.29";
const ONE_AT_A_TIME = Number(process.env["BENCH_SINGLES"] ?? 50);
/** Whether to print where the time goes, too. */
const TRACES = process.env["BENCH_TRACE"] !== undefined;
const AT_ONCE = (process.env["BENCH_AT_ONCE"] ?? "20,50").split(",").map(Number);

const timeline = new Timeline();

function report(what: string, plain: number[], whole: number[]): void {
  const show = (samples: number[]) =>
    `p50 ${percentile(samples, 0.5).toFixed(0)} ms, p99 ${percentile(samples, 0.99).toFixed(0)} ms`;
  const over = percentile(whole, 0.5) - percentile(plain, 0.5);
  console.log(`  ${what}: plain CRI ${show(plain)}; Hearth ${show(whole)} (p50 ${over.toFixed(0)} ms over)`);
}

const cluster = await OwnCluster.prepare();
const images = mkdtempSync(join(tmpdir(), "hearth-images-"));
try {
  console.log("starting a cluster of its own");
  await cluster.up();
  await cluster.hearth("agent", "image", "import", ...writeTestImages(images).values());
  const client = clientFor(cluster.kubeconfigFile, 64);
  const cri = connectRuntime({ socketPath: join(cluster.home, "containerd", "containerd.sock") });
  const pods = new ApiPods(client, timeline);
  await pods.open();

  const plainAtOnce = async (names: string[]) => {
    const started = await Promise.all(names.map((name) => startPlain(cri, name, IMAGE)));
    await Promise.all(started.map(({ id }) => removePlain(cri, id)));
    return started.map(({ ms }) => ms);
  };
  const wholeAtOnce = async (names: string[]) => {
    const times = await pods.start(names, IMAGE);
    await pods.remove(names);
    return times;
  };

  const trace = (names: string[]) => {
    if (!TRACES) return;
    timeline.noteRuntime(readFileSync(join(cluster.home, "containerd", "containerd.log"), "utf8"));
    console.log(timeline.render(names));
  };

  const plain: number[] = [];
  const whole: number[] = [];
  for (let round = -1; round < ONE_AT_A_TIME; round += 1) {
    const [ofPlain, ofWhole] = [await plainAtOnce([`plain-${round + 1}`]), await wholeAtOnce([`pod-${round + 1}`])];
    if (round < 0) continue; // warms up
    plain.push(...ofPlain);
    whole.push(...ofWhole);
  }
  report(`one at a time, ${ONE_AT_A_TIME} times`, plain, whole);
  trace(Array.from({ length: ONE_AT_A_TIME }, (_, index) => `pod-${index + 1}`));

  for (const count of AT_ONCE) {
    const names = Array.from({ length: count }, (_, index) => `at-once-${count}-${index}`);
    report(`${count} at once`, await plainAtOnce(names), await wholeAtOnce(names));
    trace(names);
  }
  pods.close();
  cri.close();
  await client.close();
} finally {
  rmSync(images, { recursive: true, force: true });
  rmSync("/tmp/hearth-bench-logs", { recursive: true, force: true });
  await cluster.remove();
}
