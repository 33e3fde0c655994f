import type { KubeObject, OwnerReference } from "../../../shared/api/object.ts";
import type { Deployment, Pod, ReplicaSet, ReplicationController, StatefulSet } from "../../../shared/api/types.ts";
import { findKind } from "../../../shared/schema/index.ts";
import { controllerOf, type Informer } from "../../runtime/index.ts";
import type { ExpectedScale } from "./decide.ts";

/** The kinds that control pods and have a scale. */
export interface ScaledKinds {
  replicaSets: Informer<ReplicaSet>;
  deployments: Informer<Deployment>;
  statefulSets: Informer<StatefulSet>;
  replicationControllers: Informer<ReplicationController>;
}

interface Scaled extends KubeObject {
  spec: { replicas?: number };
}

/**
 * How many pods the controllers of these pods want in all; each controller counts once. A ReplicaSet's count is that of
 * its Deployment, which keeps still while one rolls out.
 * @throws Error for a pod whose controller is not there, or has no scale
 */
export function expectedScale(pods: Pod[], kinds: ScaledKinds): ExpectedScale {
  const replicasByUid = new Map<string, number>();
  const seen = new Set<string>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (!owner) unmanaged.push(pod.metadata.name);
    if (!owner || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const controller = scaledOwner(owner, pod.metadata.namespace, kinds);
    if (!controller) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
    replicasByUid.set(controller.metadata.uid ?? "", controller.spec.replicas ?? 1);
  }
  let replicas = 0;
  for (const count of replicasByUid.values()) replicas += count;
  return { replicas, unmanaged };
}

function scaledOwner(owner: OwnerReference, namespace: string | undefined, kinds: ScaledKinds): Scaled | undefined {
  const key = `${namespace}/${owner.name}`;
  const owned = <T extends Scaled>(found: T | undefined) => (found?.metadata.uid === owner.uid ? found : undefined);
  switch (`${owner.kind}.${owner.apiVersion}`) {
    case "ReplicationController.v1":
      return owned(kinds.replicationControllers.get(key));
    case "StatefulSet.apps/v1":
      return owned(kinds.statefulSets.get(key));
    case "Deployment.apps/v1":
      return owned(kinds.deployments.get(key));
    case "ReplicaSet.apps/v1": {
      const replicaSet = owned(kinds.replicaSets.get(key));
      const above = replicaSet && controllerOf(replicaSet);
      if (above?.kind !== "Deployment") return replicaSet;
      const deployment = kinds.deployments.get(`${namespace}/${above.name}`);
      // Upstream's last resort is the ReplicaSet's own scale.
      return deployment?.metadata.uid === above.uid ? deployment : replicaSet;
    }
    default:
      throw new Error(whyWithoutScale(owner));
  }
}

function whyWithoutScale({ apiVersion, kind }: OwnerReference): string {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const facts = findKind({ group, version, kind });
  if (!facts) return `no matches for kind "${kind}" in version "${apiVersion}"`;
  return `${facts.resource}${group === "" ? "" : `.${group}`} does not implement the scale subresource`;
}
