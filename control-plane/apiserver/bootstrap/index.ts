/**
 * What every cluster has from its first moment: the system namespaces, the Service of the API itself, the system's
 * priority classes, the APIServices of what is served, and upstream's levels of fairness. Made through the same chain
 * as anybody's objects; made again, it changes nothing.
 */

import { kubernetesService } from "../../../shared/api/kubernetes-service.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import {
  API_SERVICES,
  FLOW_SCHEMAS,
  LEASES,
  NAMESPACES,
  PRIORITY_CLASSES,
  PRIORITY_LEVEL_CONFIGURATIONS,
  SERVICES,
} from "../../../shared/api/refs.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { collectionPath } from "../../../shared/client/http-client.ts";
import type { Env } from "../../env.ts";
import { toResponse } from "../answer.ts";
import { MASTERS } from "../authz/index.ts";
import { serveCall } from "../serve.ts";
import { apiServerLease } from "./api-server-lease.ts";
import { API_SERVICE_OBJECTS } from "./api-services.ts";
import { FLOW_SCHEMA_OBJECTS, PRIORITY_LEVEL_OBJECTS } from "./flow-control.ts";

const priorityClass = (name: string, value: number, description: string): KubeObject => ({
  metadata: { name },
  value,
  description,
});

/** In the order in which they are made. */
const OBJECTS: [ResourceRef, KubeObject][] = [
  ...["default", "kube-system", "kube-public", "kube-node-lease"].map((name): [ResourceRef, KubeObject] => [
    NAMESPACES,
    { metadata: { name } },
  ]),
  [
    PRIORITY_CLASSES,
    priorityClass(
      "system-cluster-critical",
      2_000_000_000,
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
  ],
  [
    PRIORITY_CLASSES,
    priorityClass(
      "system-node-critical",
      2_000_001_000,
      "Used for system critical pods that must not be moved from their current node.",
    ),
  ],
];

/** Many of one kind each, none of which waits for another. */
const SETS: [ResourceRef, KubeObject[]][] = [
  [API_SERVICES, API_SERVICE_OBJECTS],
  [PRIORITY_LEVEL_CONFIGURATIONS, PRIORITY_LEVEL_OBJECTS],
  [FLOW_SCHEMAS, FLOW_SCHEMA_OBJECTS],
];

/** Clusters that this isolate has already made sure of. */
const done = new Set<string>();
const MAX_REMEMBERED = 10_000;

/**
 * May be repeated.
 * @param apiPort the front door's
 * @throws Error when an object could not be made
 */
export async function bootstrapCluster(env: Env, cluster: string, apiPort?: number): Promise<void> {
  if (done.has(cluster)) return;
  for (const [ref, object] of OBJECTS) await make(env, cluster, ref, object);
  await make(env, cluster, SERVICES, kubernetesService(apiPort));
  await make(env, cluster, LEASES, await apiServerLease(cluster, Date.now()));
  await Promise.all(SETS.map(([ref, objects]) => makeMissing(env, cluster, ref, objects)));
  if (done.size >= MAX_REMEMBERED) done.clear();
  done.add(cluster);
}

/** One look tells that a cluster which has them all needs nothing. */
async function makeMissing(env: Env, cluster: string, ref: ResourceRef, objects: KubeObject[]): Promise<void> {
  const path = collectionPath(ref);
  const { status, text } = await ask(env, cluster, "GET", path);
  if (status !== 200) throw new Error(`bootstrap of cluster ${cluster}: ${path}: ${text}`);
  const { items } = JSON.parse(text) as { items: KubeObject[] };
  const present = new Set(items.map(({ metadata }) => metadata.name));
  const missing = objects.filter(({ metadata }) => !present.has(metadata.name));
  await Promise.all(missing.map((object) => make(env, cluster, ref, object)));
}

async function make(env: Env, cluster: string, ref: ResourceRef, object: KubeObject): Promise<void> {
  const path = collectionPath(ref, object.metadata.namespace);
  const { status, text } = await ask(env, cluster, "POST", path, object);
  if (status !== 201 && status !== 409) {
    throw new Error(`bootstrap of cluster ${cluster}: ${path} ${object.metadata.name}: ${text}`);
  }
}

async function ask(env: Env, cluster: string, method: string, path: string, body?: KubeObject) {
  const { answer } = await serveCall(
    {
      method,
      url: new URL(path, "https://kubernetes.default.svc"),
      // Told in managedFields.
      headers: new Headers({ "user-agent": "kube-apiserver" }),
      body: async () => (body ? JSON.stringify(body) : ""),
    },
    { env, cluster, user: { username: "system:apiserver", groups: [MASTERS] }, waitUntil: () => undefined },
  );
  const response = answer instanceof Response ? answer : toResponse(answer);
  return { status: response.status, text: await response.text() };
}
