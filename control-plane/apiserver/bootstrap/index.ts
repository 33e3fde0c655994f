/**
 * What every cluster has from its first moment: the system namespaces, the Service of the API itself and the range that
 * its address is of, the system's priority classes, the APIServices of what is served, upstream's levels of fairness, its
 * default roles and their bindings. Made through the same chain as anybody's objects; made again, it changes nothing.
 */

import { type ClusterNetwork, DEFAULT_CLUSTER_NETWORK } from "../../../shared/api/cluster-network.ts";
import { readyCondition } from "../../../shared/api/conditions.ts";
import { kubernetesService } from "../../../shared/api/kubernetes-service.ts";
import { dayOf, TRACKED_SINCE, TRACKING_CONFIG_MAP } from "../../../shared/api/legacy-tokens.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import {
  API_SERVICES,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  FLOW_SCHEMAS,
  LEASES,
  NAMESPACES,
  PRIORITY_CLASSES,
  PRIORITY_LEVEL_CONFIGURATIONS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_CIDRS,
  SERVICES,
} from "../../../shared/api/refs.ts";
import {
  DEFAULT_CIDR_MANAGER,
  defaultCidrIsReady,
  defaultServiceCidr,
  upgradedServiceCidr,
} from "../../../shared/api/service-cidr.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import type { ServiceCIDR } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { collectionPath } from "../../../shared/client/http-client.ts";
import type { Env } from "../../env.ts";
import { toResponse } from "../answer.ts";
import { MASTERS } from "../authz/index.ts";
import { serveCall } from "../serve.ts";
import { apiServerLease, leaderLeases } from "./api-server-lease.ts";
import { API_SERVICE_OBJECTS } from "./api-services.ts";
import { FLOW_SCHEMA_OBJECTS, PRIORITY_LEVEL_OBJECTS } from "./flow-control.ts";
import {
  type Binding,
  BOOTSTRAP_LABEL,
  type Change,
  CLUSTER_ROLE_BINDING_OBJECTS,
  CLUSTER_ROLE_OBJECTS,
  ROLE_BINDING_OBJECTS,
  ROLE_OBJECTS,
  type Role,
  reconcileBinding,
  reconcileRole,
} from "./rbac/index.ts";

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

/** Since when it is noted which tokens of Secrets are used: a cluster's first day. */
const legacyTokenTracking = (nowMs: number): KubeObject => ({
  metadata: { name: TRACKING_CONFIG_MAP, namespace: "kube-system" },
  data: { [TRACKED_SINCE]: dayOf(nowMs) },
});

interface DefaultSet<T extends KubeObject = KubeObject> {
  ref: ResourceRef;
  objects: T[];
  /** What marks those that are there already; all are looked at when there is no such mark. */
  labelSelector?: string;
  /** What one that is there needs; without it, nothing. */
  reconcile?(present: T, wanted: T): Change<T>;
}

const rbac = { labelSelector: BOOTSTRAP_LABEL };
const roles = (ref: ResourceRef, objects: Role[]) => ({ ...rbac, ref, objects, reconcile: reconcileRole });
const bindings = (ref: ResourceRef, objects: Binding[]) => ({ ...rbac, ref, objects, reconcile: reconcileBinding });

/** Many of one kind each, none of which waits for another. */
const SETS = [
  { ref: API_SERVICES, objects: API_SERVICE_OBJECTS },
  { ref: PRIORITY_LEVEL_CONFIGURATIONS, objects: PRIORITY_LEVEL_OBJECTS },
  { ref: FLOW_SCHEMAS, objects: FLOW_SCHEMA_OBJECTS },
  roles(CLUSTER_ROLES, CLUSTER_ROLE_OBJECTS),
  roles(ROLES, ROLE_OBJECTS),
  bindings(CLUSTER_ROLE_BINDINGS, CLUSTER_ROLE_BINDING_OBJECTS),
  bindings(ROLE_BINDINGS, ROLE_BINDING_OBJECTS),
] as DefaultSet[];

/** Clusters that this isolate has already made sure of. */
const done = new Set<string>();
const MAX_REMEMBERED = 10_000;

/**
 * May be repeated, with another network.
 * @param options apiPort: the front door's
 * @throws Error when an object could not be made
 */
export async function bootstrapCluster(
  env: Env,
  cluster: string,
  { network = DEFAULT_CLUSTER_NETWORK, apiPort }: { network?: ClusterNetwork; apiPort?: number | undefined } = {},
): Promise<void> {
  const id = `${cluster} ${network.serviceCidrs.join()}`;
  if (done.has(id)) return;
  for (const [ref, object] of OBJECTS) await make(env, cluster, ref, object);
  await make(env, cluster, CONFIG_MAPS, legacyTokenTracking(Date.now()));
  await makeServiceCidr(env, cluster, network);
  const service = kubernetesService(network, apiPort);
  // Made again, it would be refused for its own address, before anybody sees that it is there.
  if (!(await get(env, cluster, SERVICES, service))) await make(env, cluster, SERVICES, service);
  const leases = [await apiServerLease(cluster, Date.now()), ...leaderLeases(cluster, Date.now())];
  await Promise.all(leases.map((lease) => make(env, cluster, LEASES, lease)));
  await Promise.all(SETS.map((set) => makeSet(env, cluster, set)));
  if (done.size >= MAX_REMEMBERED) done.clear();
  done.add(id);
}

/** Whence Services have their addresses: that of the API needs one. */
async function makeServiceCidr(env: Env, cluster: string, network: ClusterNetwork): Promise<void> {
  const wanted = defaultServiceCidr(network);
  const found = (await make(env, cluster, SERVICE_CIDRS, wanted))
    ? undefined
    : ((await get(env, cluster, SERVICE_CIDRS, wanted)) as ServiceCIDR | undefined);
  const upgraded = found && upgradedServiceCidr(found, network);
  if (upgraded) await carryOut(env, cluster, SERVICE_CIDRS, { update: upgraded });
  if (found && readyCondition(found)) return;
  const path = `${objectPath(SERVICE_CIDRS, wanted)}/status?fieldManager=${DEFAULT_CIDR_MANAGER}&force=true`;
  const { status, text } = await ask(env, cluster, "PATCH", path, defaultCidrIsReady(printTime(Date.now())));
  if (status !== 200) throw new Error(`bootstrap of cluster ${cluster}: ${path}: ${text}`);
}

/** One look tells that a cluster which has them all needs nothing. */
async function makeSet(env: Env, cluster: string, { ref, objects, labelSelector, reconcile }: DefaultSet) {
  const path = collectionPath(ref, undefined, labelSelector === undefined ? {} : { labelSelector });
  const { status, text } = await ask(env, cluster, "GET", path);
  if (status !== 200) throw new Error(`bootstrap of cluster ${cluster}: ${path}: ${text}`);
  const { items } = JSON.parse(text) as { items: KubeObject[] };
  const present = new Map(items.map((item) => [keyOf(item), item]));
  await Promise.all(
    objects.map(async (wanted) => {
      let found = present.get(keyOf(wanted));
      if (!found && !(await make(env, cluster, ref, wanted)) && reconcile) found = await get(env, cluster, ref, wanted);
      const change = found && reconcile?.(found, wanted);
      if (change) await carryOut(env, cluster, ref, change);
    }),
  );
}

/** @returns undefined when it is not there */
async function get(env: Env, cluster: string, ref: ResourceRef, object: KubeObject): Promise<KubeObject | undefined> {
  const { status, text } = await ask(env, cluster, "GET", objectPath(ref, object));
  return status === 200 ? JSON.parse(text) : undefined;
}

const keyOf = ({ metadata }: KubeObject) => `${metadata.namespace ?? ""}/${metadata.name}`;

async function carryOut(env: Env, cluster: string, ref: ResourceRef, change: NonNullable<Change<KubeObject>>) {
  const object = "update" in change ? change.update : change.replace;
  const path = objectPath(ref, object);
  const { status, text } =
    "update" in change ? await ask(env, cluster, "PUT", path, object) : await ask(env, cluster, "DELETE", path);
  // Somebody else has just changed or deleted it: the next start looks again.
  if (status !== 200 && status !== 404 && status !== 409) {
    throw new Error(`bootstrap of cluster ${cluster}: ${path}: ${text}`);
  }
  if ("replace" in change) await make(env, cluster, ref, object);
}

const objectPath = (ref: ResourceRef, { metadata }: KubeObject) =>
  `${collectionPath(ref, metadata.namespace)}/${encodeURIComponent(metadata.name)}`;

/** @returns whether it was not there yet */
async function make(env: Env, cluster: string, ref: ResourceRef, object: KubeObject): Promise<boolean> {
  const path = collectionPath(ref, object.metadata.namespace);
  const { status, text } = await ask(env, cluster, "POST", path, object);
  if (status !== 201 && status !== 409) {
    throw new Error(`bootstrap of cluster ${cluster}: ${path} ${object.metadata.name}: ${text}`);
  }
  return status === 201;
}

/** @param method a PATCH is an apply */
async function ask(env: Env, cluster: string, method: string, path: string, body?: object) {
  const { answer } = await serveCall(
    {
      method,
      url: new URL(path, "https://kubernetes.default.svc"),
      // Told in managedFields.
      headers: new Headers({
        "user-agent": "kube-apiserver",
        ...(method === "PATCH" ? { "content-type": "application/apply-patch+yaml" } : {}),
      }),
      body: async () => (body ? JSON.stringify(body) : ""),
    },
    { env, cluster, user: { username: "system:apiserver", groups: [MASTERS] }, waitUntil: () => undefined },
  );
  const response = answer instanceof Response ? answer : toResponse(answer);
  return { status: response.status, text: await response.text() };
}
