import type { KubeObject } from "./object.ts";

interface Source {
  secret?: { secretName?: string; name?: string };
  configMap?: { name?: string };
  projected?: { sources?: Source[] };
  persistentVolumeClaim?: { claimName?: string };
  azureFile?: { secretName?: string };
  ephemeral?: object;
  name?: string;
  [kind: string]: unknown;
}

interface Container {
  env?: { valueFrom?: { secretKeyRef?: { name?: string }; configMapKeyRef?: { name?: string } } }[];
  envFrom?: { secretRef?: { name?: string }; configMapRef?: { name?: string } }[];
}

interface PodSpec {
  serviceAccountName?: string;
  imagePullSecrets?: { name?: string }[];
  volumes?: Source[];
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
}

/** Names of the secrets, config maps, claims and service accounts that a pod refers to. */
export function referencesOf(pod: KubeObject): Record<string, Set<string>> {
  const spec = (pod.spec ?? {}) as PodSpec;
  const secrets = new Set<string>();
  const configmaps = new Set<string>();
  const persistentvolumeclaims = new Set<string>();
  const add = (set: Set<string>, name: string | undefined) => name && set.add(name);
  const addSource = (source: Source) => {
    add(secrets, source.secret?.secretName ?? source.secret?.name);
    add(configmaps, source.configMap?.name);
    add(secrets, source.azureFile?.secretName);
    // Drivers of all kinds name their secret alike: csi.nodePublishSecretRef, rbd.secretRef …
    for (const driver of Object.values(source)) {
      for (const field of ["secretRef", "nodePublishSecretRef"]) {
        const reference = (driver as Record<string, { name?: string }> | null)?.[field];
        add(secrets, reference?.name);
      }
    }
    for (const part of source.projected?.sources ?? []) addSource(part);
  };
  for (const volume of spec.volumes ?? []) {
    addSource(volume);
    add(persistentvolumeclaims, volume.persistentVolumeClaim?.claimName);
    // The controller of ephemeral volumes names their claims so.
    if (volume.ephemeral) persistentvolumeclaims.add(`${pod.metadata.name}-${volume.name}`);
  }
  for (const { name } of spec.imagePullSecrets ?? []) add(secrets, name);
  const containers = [spec.containers, spec.initContainers, spec.ephemeralContainers].flatMap((list) => list ?? []);
  for (const { env = [], envFrom = [] } of containers) {
    for (const { valueFrom } of env) {
      add(secrets, valueFrom?.secretKeyRef?.name);
      add(configmaps, valueFrom?.configMapKeyRef?.name);
    }
    for (const { secretRef, configMapRef } of envFrom) {
      add(secrets, secretRef?.name);
      add(configmaps, configMapRef?.name);
    }
  }
  return {
    secrets,
    configmaps,
    persistentvolumeclaims,
    serviceaccounts: new Set([spec.serviceAccountName ?? "default"]),
  };
}
