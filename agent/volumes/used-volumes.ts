import type { Container, Pod, Volume } from "../api/index.ts";

/** The volumes that a container mounts: a kubelet does not wait for the others, nor makes them. */
export function usedVolumes({ spec }: Pod): Volume[] {
  const containers = [
    ...(spec.initContainers ?? []),
    ...spec.containers,
    ...((spec.ephemeralContainers ?? []) as Container[]),
  ];
  const used = new Set(
    containers.flatMap(({ volumeMounts = [], volumeDevices = [] }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name),
    ),
  );
  return (spec.volumes ?? []).filter(({ name }) => used.has(name));
}
