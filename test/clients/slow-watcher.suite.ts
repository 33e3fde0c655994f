import { afterAll, beforeAll, expect, it } from "vitest";
import { clientFor, type JsonClient } from "../harness/json-client.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { treeMemoryBytes } from "../harness/process-tree.ts";

const PATH = "/api/v1/namespaces/slow/configmaps";
const VALUE_BYTES = 400_000;
/** 160 MB of events: far more than the control plane may put by for somebody who does not read. */
const WRITES = 400;
/** Below what is written, above what a busy runtime leaves to its next garbage collection. */
const MAX_GROWTH_BYTES = 130 * 1024 * 1024;

/** A client that opens a watch and stops reading costs the control plane nothing that grows. */
export function describeSlowWatcher(cluster: () => OwnCluster): void {
  let client: JsonClient;

  beforeAll(async () => {
    client = clientFor(cluster().kubeconfigFile, 4);
    await client.send("POST", "/api/v1/namespaces", JSON.stringify({ metadata: { name: "slow" } }));
    await client.send("POST", PATH, JSON.stringify({ metadata: { name: "counter" }, data: { n: "0" } }));
  });
  afterAll(() => client?.close());

  it("holds nobody up, fills no memory, and misses no event once it reads again", { timeout: 600_000 }, async () => {
    const watch = await client.open("GET", `${PATH}?watch=1&fieldSelector=metadata.name%3Dcounter`);
    expect(watch.status).toBe(200);
    const before = treeMemoryBytes(cluster().controlPlanePid());
    let most = 0;
    for (let n = 1; n <= WRITES; n++) {
      const data = { n: String(n), filler: "x".repeat(VALUE_BYTES) };
      await client.send("PUT", `${PATH}/counter`, JSON.stringify({ metadata: { name: "counter" }, data }));
      if (n % 20 === 0) most = Math.max(most, treeMemoryBytes(cluster().controlPlanePid()) - before);
    }
    expect(most).toBeLessThan(MAX_GROWTH_BYTES);
    const seen: number[] = [];
    const reader = watch.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; seen.at(-1) !== WRITES; ) {
      const { done, value = "" } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop()!;
      seen.push(
        ...lines.map((line) => Number((JSON.parse(line) as { object: { data: { n: string } } }).object.data.n)),
      );
    }
    await reader.cancel();
    expect(seen).toEqual(Array.from({ length: WRITES + 1 }, (_, n) => n));
  });
}
