import type { Container, Pod } from "../api/index.ts";
import { objectKey } from "../state/index.ts";
import { volumeReferences } from "../volumes/index.ts";
import { environmentReferences } from "./environment.ts";

/** The ConfigMaps and Secrets that a pod names, by their keys in the agent's state: what it cannot be started without. */
export function podReferences({ spec, metadata: { namespace } }: Pod): Set<string> {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const all = [
    ...containers.map((container) => environmentReferences(container as Container)),
    ...(spec.volumes ?? []).map(volumeReferences),
    { configMaps: [], secrets: (spec.imagePullSecrets ?? []).map(({ name = "" }) => name) },
  ];
  return new Set(
    all.flatMap(({ configMaps, secrets }) => [
      ...configMaps.map((name) => objectKey("configmaps", namespace, name)),
      ...secrets.map((name) => objectKey("secrets", namespace, name)),
    ]),
  );
}
