import type { KubeObject } from "../../shared/api/object.ts";
import {
  NAMESPACES,
  POD_DISRUPTION_BUDGETS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  SERVICES,
  STATEFUL_SETS,
} from "../../shared/api/refs.ts";
import type { Pod, PodDisruptionBudget, ReplicaSet, ReplicationController, Service } from "../../shared/api/types.ts";
import { type ControllerDeps, controllerOf, type Informer } from "../runtime/index.ts";
import { CachedDevices } from "./cached-devices.ts";
import { CachedStorage } from "./cached-storage.ts";
import { ClusterState } from "./cluster-state.ts";
import type { NodeInfo } from "./framework/node-info.ts";
import type { Cluster } from "./framework/plugin.ts";
import { type OwnerSelector, replicaSelectors } from "./replica-selectors.ts";

/** What plugins know of the cluster: nodes and their pods counted as they change, all else looked up in the caches. */
export class CachedCluster implements Cluster {
  readonly state = new ClusterState();
  readonly namespaces: Informer;
  readonly storage: CachedStorage;
  readonly devices: CachedDevices;
  readonly #services: Informer<Service>;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #owners: ReadonlyMap<string, (key: string) => OwnerSelector>;

  constructor(deps: Pick<ControllerDeps, "informer">) {
    const { informer } = deps;
    this.storage = new CachedStorage(deps);
    this.devices = new CachedDevices(deps);
    this.namespaces = informer<KubeObject>(NAMESPACES);
    this.#services = informer<Service>(SERVICES);
    this.#budgets = informer<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS);
    const controllers = informer<ReplicationController>(REPLICATION_CONTROLLERS);
    const replicaSets = informer<ReplicaSet>(REPLICA_SETS);
    const statefulSets = informer<ReplicaSet>(STATEFUL_SETS);
    this.#owners = new Map([
      ["v1/ReplicationController", (key) => mapSelector(controllers.get(key)?.spec?.selector)],
      ["apps/v1/ReplicaSet", (key) => replicaSets.get(key)?.spec?.selector],
      ["apps/v1/StatefulSet", (key) => statefulSets.get(key)?.spec?.selector],
    ]);
  }

  get nodes(): readonly NodeInfo[] {
    return this.state.nodes;
  }

  get nodesWithAffinity(): Iterable<NodeInfo> {
    return this.state.nodesWithAffinity;
  }

  /** A property, for it is handed on. */
  readonly namespaceLabels = (namespace: string): Record<string, string> | undefined => {
    const found = this.namespaces.get(namespace);
    return found && (found.metadata.labels ?? {});
  };

  replicaSelectors(pod: Pod) {
    const { namespace } = pod.metadata;
    const owner = controllerOf(pod);
    const selectorOf = owner && this.#owners.get(`${owner.apiVersion}/${owner.kind}`);
    return replicaSelectors(pod, this.#services.list(namespace), selectorOf?.(`${namespace}/${owner?.name}`));
  }

  budgets(): readonly PodDisruptionBudget[] {
    return this.#budgets.list();
  }
}

const mapSelector = (matchLabels: Record<string, string> | undefined): OwnerSelector =>
  matchLabels && Object.keys(matchLabels).length > 0 ? { matchLabels } : undefined;
