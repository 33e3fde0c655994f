import { PODS } from "../../../shared/api/refs.ts";
import type { PersistentVolumeClaim, Pod } from "../../../shared/api/types.ts";
import { controllerOf, newControllerRef } from "../../runtime/index.ts";

/** One ephemeral volume of a pod: the claim it lacks, or why it cannot have it. */
export type ClaimStep = { volume: string; create: PersistentVolumeClaim } | { volume: string; error: string };

/**
 * What a pod's ephemeral volumes lack.
 * @param pod whole: the caches hold no templates
 * @param claimOf the claim of a name in the pod's namespace
 */
export function decide(pod: Pod, claimOf: (name: string) => PersistentVolumeClaim | undefined): ClaimStep[] {
  if (pod.metadata.deletionTimestamp) return [];
  return (pod.spec.volumes ?? []).flatMap(({ name: volume, ephemeral }): ClaimStep[] => {
    if (!ephemeral) return [];
    const name = `${pod.metadata.name}-${volume}`;
    const present = claimOf(name);
    if (!present) return [{ volume, create: claimFor(pod, name, ephemeral.volumeClaimTemplate) }];
    if (controllerOf(present)?.uid === pod.metadata.uid) return [];
    const { namespace } = pod.metadata;
    const error = `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
    return [{ volume, error }];
  });
}

type Template = NonNullable<NonNullable<Pod["spec"]["volumes"]>[number]["ephemeral"]>["volumeClaimTemplate"];

function claimFor(pod: Pod, name: string, template: Template): PersistentVolumeClaim {
  const { labels, annotations } = template?.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: pod.metadata.namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ownerReferences: [newControllerRef(pod, PODS)],
    },
    spec: template?.spec ?? {},
  };
}
