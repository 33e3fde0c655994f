import { serviceKeyOf } from "../../../shared/api/endpoint-slice.ts";
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { EndpointSlice, Node, Pod, Service } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  type ControllerDeps,
  done,
  Expectations,
  type Informer,
  keyOf,
  type Requeue,
} from "../../runtime/index.ts";
import { BY_NODE, byNode } from "../by-node.ts";
import { EndpointTriggers } from "../endpoint-triggers.ts";
import { isNamespaceTerminating } from "../pod-control.ts";
import { isEndpointChanged, podsOf, selectsPods, servicesOf } from "../service-pods.ts";
import { decide, type Plan } from "./decide.ts";
import { CONTROLLER_NAME, MANAGED_BY } from "./labels.ts";
import { hasTopologyMode } from "./topology-hints.ts";
import { TopologyNotes } from "./topology-notes.ts";
import { isSameShare, ZONE, zoneShares } from "./zone-shares.ts";

const BY_SERVICE = "service";

interface Deps extends ControllerDeps {
  services: Informer<Service>;
  pods: Informer<Pod>;
  nodes: Informer<Node>;
  slices: Informer<EndpointSlice>;
  expectations: Expectations;
  triggers: EndpointTriggers;
  topology: TopologyNotes;
}

/**
 * Keeps the EndpointSlices of every Service with a selector. Slices of other makers (that of `kubernetes`, hand-made
 * ones) are left alone; a deleted Service's slices are the garbage collector's.
 */
export const endpointSliceController: ControllerDefinition = {
  name: "endpointslice",
  serviceAccount: "endpointslice-controller",
  eventSource: "endpoint-slice-controller",
  build(base) {
    const deps: Deps = {
      ...base,
      services: base.informer<Service>(SERVICES),
      pods: base.informer<Pod>(PODS),
      nodes: base.informer<Node>(NODES),
      slices: base.informer<EndpointSlice>(ENDPOINT_SLICES),
      expectations: new Expectations(base.clock),
      triggers: new EndpointTriggers(),
      topology: new TopologyNotes(),
    };
    deps.slices.addIndex(BY_SERVICE, ownServicesOf);
    deps.pods.addIndex(BY_NODE, byNode);
    return {
      concurrency: 5,
      start(enqueue) {
        deps.services.onEvent(({ type, object }) => {
          if (type !== "deleted") return enqueue(keyOf(object));
          deps.expectations.forget(keyOf(object));
          deps.triggers.forget(keyOf(object));
          deps.topology.ended(keyOf(object));
        });
        deps.slices.onEvent(({ type, object }) => {
          for (const key of ownServicesOf(object)) {
            if (type === "added") deps.expectations.creationObserved(key);
            enqueue(key);
          }
        });
        deps.pods.onEvent((event) => {
          const pod = event.object;
          const isRelabelled =
            event.type === "updated" &&
            JSON.stringify(event.old.metadata.labels) !== JSON.stringify(pod.metadata.labels);
          if (event.type === "updated" && !isRelabelled && !isEndpointChanged(event.old, pod)) return;
          for (const key of servicesOf(pod, deps.services)) enqueue(key);
          if (isRelabelled) for (const key of servicesOf(event.old, deps.services)) enqueue(key);
        });
        deps.nodes.onEvent((event) => {
          if (event.type !== "updated" || !isSameShare(event.old, event.object)) {
            for (const service of deps.services.list()) if (hasTopologyMode(service)) enqueue(keyOf(service));
          }
          const zone = event.object.metadata.labels?.[ZONE];
          if (event.type === "updated" && event.old.metadata.labels?.[ZONE] === zone) return;
          for (const pod of deps.pods.byIndex(BY_NODE, event.object.metadata.name))
            for (const key of servicesOf(pod, deps.services)) enqueue(key);
        });
      },
      reconcile: (key) => reconcile(key, deps),
    };
  },
};

function ownServicesOf(slice: EndpointSlice): string[] {
  const key = serviceKeyOf(slice);
  return key && slice.metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME ? [key] : [];
}

async function reconcile(key: string, deps: Deps): Promise<Requeue> {
  const { services, slices, pods, nodes, expectations, triggers, topology, log, events } = deps;
  const service = services.get(key);
  if (!service || service.metadata.deletionTimestamp || !selectsPods(service)) return done;
  // Slices made before and not seen yet would be made again; seeing them wakes this key.
  if (!expectations.areSatisfied(key)) return done;
  const selected = podsOf(service, pods);
  const own = slices.byIndex(BY_SERVICE, key).filter(({ metadata }) => !metadata.deletionTimestamp);
  const plan = decide({
    service,
    pods: selected,
    triggerTime: triggers.next(service, selected),
    slices: own,
    shares: () => zoneShares(nodes.list()),
    zoneOf: (name) => {
      const node = nodes.get(name);
      return node && (node.metadata.labels?.[ZONE] ?? "");
    },
  });
  const failed = (why: string) =>
    events.event(
      service,
      "Warning",
      "FailedToUpdateEndpointSlices",
      `Error updating Endpoint Slices for Service ${key}: ${why}`,
    );
  const isSettled = plan.create.length + plan.update.length + plan.remove.length === 0;
  if (!isSettled) log.info("endpointslice plan", { key, ...summary(plan) });
  try {
    if (!isSettled) await carryOut(key, plan, deps);
  } catch (error) {
    if (isNamespaceTerminating(error)) return done;
    failed(String(error));
    throw error;
  }
  for (const { type, reason, message } of plan.topology
    ? topology.eventsOf(key, plan.topology, own)
    : topology.ended(key))
    events.event(service, type, reason, message);
  // Their node will wake this key when it comes.
  const [first, ...others] = plan.skipped ?? [];
  if (first !== undefined) failed(others.length === 0 ? first : `[${plan.skipped?.join(", ")}]`);
  return done;
}

const summary = ({ create, update, remove }: Plan) => ({
  create: create.map((slice) => slice.endpoints?.length ?? 0),
  update: update.map((slice) => ({ name: slice.metadata.name, endpoints: slice.endpoints?.length ?? 0 })),
  remove: remove.map((slice) => slice.metadata.name),
});

async function carryOut(key: string, { create, update, remove }: Plan, deps: Deps): Promise<void> {
  const { api, expectations } = deps;
  if (create.length > 0) expectations.expectCreations(key, create.length);
  for (const [i, slice] of create.entries())
    try {
      await api.create<EndpointSlice>(ENDPOINT_SLICES, slice);
    } catch (error) {
      for (let rest = i; rest < create.length; rest++) expectations.creationObserved(key);
      throw error;
    }
  for (const slice of update) await api.update<EndpointSlice>(ENDPOINT_SLICES, slice);
  for (const { metadata } of remove)
    await api.delete(ENDPOINT_SLICES, metadata, { uid: metadata.uid }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}
