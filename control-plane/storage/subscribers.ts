import type { Env } from "../env.ts";
import type { ChangeSubscriber } from "./interface.ts";
import type { StoreName } from "./store-name.ts";

/** A Durable Object that is fed with the changes of some resources of its cluster. */
export interface Subscriber {
  name: string;
  wants(store: StoreName): boolean;
  /** Undefined where the environment has no such object (tests of parts). */
  stub(env: Env, cluster: string): ChangeSubscriber | undefined;
}

/** Nobody acts on them, and they are written all the time: leases every 10 s by each node, events in bursts. */
const NOT_FOR_CONTROLLERS = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io"]);

/** What filters and scores look at. */
const FOR_SCHEDULER = new Set([
  "pods",
  // Its own configuration is one of them.
  "configmaps",
  "nodes",
  "namespaces",
  "services",
  "replicationcontrollers",
  "replicasets.apps",
  "statefulsets.apps",
  "persistentvolumeclaims",
  "persistentvolumes",
  "storageclasses.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
  "priorityclasses.scheduling.k8s.io",
  "poddisruptionbudgets.policy",
  "resourceclaims.resource.k8s.io",
  "resourceslices.resource.k8s.io",
  "deviceclasses.resource.k8s.io",
]);

const groupResource = ({ group, resource }: StoreName) => (group === "" ? resource : `${resource}.${group}`);

/** Everyone who is fed. */
export const SUBSCRIBERS: readonly Subscriber[] = [
  {
    name: "controllers",
    // All other kinds, custom ones too: the garbage collector follows owners of any kind.
    wants: (store) => !NOT_FOR_CONTROLLERS.has(groupResource(store)),
    stub: (env, cluster) => env.CONTROLLERS?.getByName(cluster) as unknown as ChangeSubscriber | undefined,
  },
  {
    name: "scheduler",
    wants: (store) => FOR_SCHEDULER.has(groupResource(store)),
    stub: (env, cluster) => env.SCHEDULERS?.getByName(cluster) as unknown as ChangeSubscriber | undefined,
  },
];
