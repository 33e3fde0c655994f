import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import { NODES, PODS, REPLICA_SETS } from "../../shared/api/refs.ts";
import type { ApiClient, ResourceRef } from "../../shared/client/api-client.ts";
import { describedNode, runningPod } from "../../test/builders/large-objects.ts";
import { controllerRunner } from "../../test/builders/run-controllers.ts";
import { CACHING as SCHEDULER_CACHING } from "../scheduler/caching.ts";
import { podScheduling } from "../scheduler/pod-scheduling.ts";
import { CACHING } from "./caching.ts";
import { controllersOf } from "./index.ts";

/** What is measured of a cluster with 5,000 pods on 200 nodes: all of it grows alike, and a part takes less time. */
const PART = 1 / 5;
const PODS_COUNT = 5_000 * PART;
const NODES_COUNT = 200 * PART;
const REPLICA_SETS_COUNT = 100 * PART;
const MIB = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const replicaSet = (index: number): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: `web-${index}`, namespace: "shop", uid: `rs-${index}`, resourceVersion: "1" },
  spec: { replicas: 50, selector: { matchLabels: { app: "web" } } },
});

/** Answers lists as the API does, each with objects of its own, and nothing else, ever. */
const client = new Proxy({} as ApiClient, {
  get: (_target, name) =>
    name === "listAll"
      ? async ({ resource }: ResourceRef) => ({ metadata: { resourceVersion: "1" }, items: itemsOf(resource) })
      : name === "then"
        ? undefined
        : () => new Promise(() => undefined),
});

function itemsOf(resource: string): unknown[] {
  const many = (count: number, make: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => JSON.parse(JSON.stringify(make(index))) as unknown);
  if (resource === PODS.resource)
    return many(PODS_COUNT, (i) => runningPod(i, { node: `node-${i % NODES_COUNT}`, owner: i % REPLICA_SETS_COUNT }));
  if (resource === NODES.resource) return many(NODES_COUNT, describedNode);
  return resource === REPLICA_SETS.resource ? many(REPLICA_SETS_COUNT, replicaSet) : [];
}

const never = () => new Promise<never>(() => undefined);
const controllers = () =>
  controllersOf({
    caCertificatePem: never,
    issueCertificate: never,
    signServiceAccountToken: never,
    advertised: never,
    network: never,
  });

/** An isolate has 128 MB, for the code (25 MB) and the stores' caches too. */
it.each([
  { name: "controllers", definitions: controllers, caching: CACHING, atMostMiB: 32 },
  { name: "the scheduler", definitions: () => [podScheduling], caching: SCHEDULER_CACHING, atMostMiB: 28 },
])("$name hold 5,000 pods and 200 nodes in little memory", async ({ name, definitions, caching, atMostMiB }) => {
  const beforeBytes = heapBytes();
  const runner = controllerRunner({ controllers: definitions(), client, caching });
  runner.start();
  while (runner.informer(PODS).size < PODS_COUNT) await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setTimeout(resolve, 0));
  const heldMiB = (heapBytes() - beforeBytes) / PART / MIB;
  expect(runner.informer(PODS).size).toBe(PODS_COUNT);
  console.log(`${name}: ${heldMiB.toFixed(1)} MiB`);
  expect(heldMiB).toBeLessThan(atMostMiB);
});
