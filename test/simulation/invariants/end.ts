import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  EVENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  JOBS,
  NAMESPACES,
  NODES,
  PODS,
  REPLICA_SETS,
  RESOURCE_QUOTAS,
  SERVICES,
  STATEFUL_SETS,
} from "../../../shared/api/refs.ts";
import type {
  DaemonSet,
  Deployment,
  EndpointSlice,
  Job,
  Node,
  Pod,
  ReplicaSet,
  ResourceQuota,
  Service,
  StatefulSet,
  V2HorizontalPodAutoscaler,
} from "../../../shared/api/types.ts";
import type { SimApi } from "../sim-api.ts";
import { ownerOf } from "./availability.ts";

/** What must hold once nothing changes any more and nothing goes wrong; each sentence is a violation. */
export function* endViolations(api: SimApi): Iterable<string> {
  yield* orphans(api);
  yield* namespaces(api);
  yield* deployments(api);
  yield* statefulSets(api);
  yield* daemonSets(api);
  yield* jobs(api);
  yield* quotas(api);
  yield* endpoints(api);
}

/** Whatever its kind: an owner that is gone leaves nothing behind, nor a namespace. */
function* orphans(api: SimApi): Iterable<string> {
  const all = api.refs.filter(({ resource }) => resource !== EVENTS.resource).flatMap((ref) => api.all(ref));
  const uids = new Set(all.map(({ metadata }) => metadata.uid));
  for (const { kind, metadata } of all) {
    const owners = metadata.ownerReferences ?? [];
    if (owners.length > 0 && !owners.some(({ uid }) => uids.has(uid)))
      yield `${kind} ${metadata.name} lost its owner and is still there`;
    if (metadata.deletionTimestamp) yield `${kind} ${metadata.name} is still being deleted`;
  }
}

/** Namespaces that were made here are called by numbers. */
function* namespaces(api: SimApi): Iterable<string> {
  const there = new Set(api.all(NAMESPACES).map(({ metadata }) => metadata.name));
  for (const ref of api.refs.filter(({ resource }) => resource !== EVENTS.resource))
    for (const { metadata } of api.all(ref))
      if (/^n\d+$/.test(metadata.namespace ?? "") && !there.has(metadata.namespace!))
        yield `${ref.resource} ${metadata.name} outlived its namespace`;
}

const readyOf = (api: SimApi, uid: string | undefined): Pod[] =>
  api
    .all<Pod>(PODS)
    .filter((pod) => ownerOf(pod) === uid && pod.status?.phase === "Running" && !pod.metadata.deletionTimestamp);

const imageOf = (spec: { template?: { spec?: { containers: { image?: string }[] } } }) =>
  spec.template?.spec?.containers[0]?.image;

function* deployments(api: SimApi): Iterable<string> {
  const sets = api.all<ReplicaSet>(REPLICA_SETS);
  for (const set of sets) {
    const { length } = readyOf(api, set.metadata.uid);
    if (length !== set.spec.replicas)
      yield `replicaset ${set.metadata.name} has ${length} of ${set.spec.replicas} pods`;
  }
  for (const { metadata, spec, status } of api.all<Deployment>(DEPLOYMENTS)) {
    const own = sets.filter((set) => ownerOf(set) === metadata.uid);
    const asked = own.reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
    if (asked !== (spec.replicas ?? 1)) yield `deployment ${metadata.name} asks for ${asked} of ${spec.replicas}`;
    if ((status?.availableReplicas ?? 0) !== (spec.replicas ?? 1) || status?.observedGeneration !== metadata.generation)
      yield `deployment ${metadata.name} tells of ${status?.availableReplicas} of ${spec.replicas}`;
    if (own.some((set) => set.spec.replicas && imageOf(set.spec) !== imageOf(spec)))
      yield `deployment ${metadata.name} still runs an older template`;
    for (const scaler of api.all<V2HorizontalPodAutoscaler>(HORIZONTAL_POD_AUTOSCALERS))
      if (scaler.spec?.scaleTargetRef.name === metadata.name && scaler.status?.desiredReplicas !== spec.replicas)
        yield `autoscaler of ${metadata.name} wants ${scaler.status?.desiredReplicas}, not ${spec.replicas}`;
  }
}

function* statefulSets(api: SimApi): Iterable<string> {
  for (const { metadata, spec } of api.all<StatefulSet>(STATEFUL_SETS)) {
    const pods = readyOf(api, metadata.uid);
    const names = pods.map((pod) => pod.metadata.name).sort();
    const want = Array.from({ length: spec.replicas ?? 1 }, (_, i) => `${metadata.name}-${i}`).sort();
    if (names.join() !== want.join()) yield `statefulset ${metadata.name} has ${names.join() || "no pods"}`;
    const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
    for (const pod of pods)
      if (
        Number(pod.metadata.name.split("-").at(-1)) >= partition &&
        imageOf({ template: pod as never }) !== imageOf(spec)
      )
        yield `pod ${pod.metadata.name} was not updated`;
  }
}

function* daemonSets(api: SimApi): Iterable<string> {
  const want = api
    .all<Node>(NODES)
    .map((node) => node.metadata.name)
    .sort();
  for (const { metadata, spec } of api.all<DaemonSet>(DAEMON_SETS)) {
    const pods = readyOf(api, metadata.uid);
    const nodes = pods.map((pod) => pod.spec.nodeName).sort();
    if (nodes.join() !== want.join()) yield `daemonset ${metadata.name} runs on ${nodes.join() || "no node"}`;
    if (pods.some((pod) => imageOf({ template: pod as never }) !== imageOf(spec)))
      yield `daemonset ${metadata.name} was not updated`;
  }
}

function* jobs(api: SimApi): Iterable<string> {
  for (const { metadata, spec, status } of api.all<Job>(JOBS)) {
    const isFinished = status?.conditions?.some(
      ({ type, status: is }) => is === "True" && /^(Complete|Failed)$/.test(type),
    );
    if (!isFinished) yield `job ${metadata.name} has not ended`;
    else if (spec.ttlSecondsAfterFinished !== undefined) yield `job ${metadata.name} has had its time`;
    const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
    if (succeeded.length > 0 || failed.length > 0) yield `job ${metadata.name} has pods that are not counted`;
  }
}

function* quotas(api: SimApi): Iterable<string> {
  for (const { metadata, status } of api.all<ResourceQuota>(RESOURCE_QUOTAS)) {
    const pods = api
      .all<Pod>(PODS)
      .filter((pod) => pod.metadata.namespace === metadata.namespace && !isPodTerminal(pod));
    if (Number(status?.used?.["pods"]) !== pods.length)
      yield `quota of ${metadata.namespace} tells of ${status?.used?.["pods"]} pods of ${pods.length}`;
  }
}

function* endpoints(api: SimApi): Iterable<string> {
  for (const { metadata, spec } of api.all<Service>(SERVICES)) {
    const app = spec?.selector?.["app"];
    if (app === undefined) continue;
    const pods = api
      .all<Pod>(PODS)
      .filter((pod) => pod.metadata.namespace === metadata.namespace && pod.metadata.labels?.["app"] === app)
      .filter((pod) => pod.status?.phase === "Running")
      .map((pod) => pod.metadata.name);
    const told = api
      .all<EndpointSlice>(ENDPOINT_SLICES)
      .filter((slice) => slice.metadata.labels?.["kubernetes.io/service-name"] === metadata.name)
      .flatMap((slice) => (slice.endpoints ?? []).map(({ targetRef }) => targetRef?.name ?? ""));
    if (told.sort().join() !== pods.sort().join())
      yield `service ${metadata.name} leads to ${told.join()}, not to ${pods.join()}`;
  }
}
