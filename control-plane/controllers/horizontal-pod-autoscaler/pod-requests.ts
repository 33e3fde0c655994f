import { milliUnits, parseQuantity } from "../../../shared/api/quantity.ts";
import type { Container, Pod } from "../../../shared/api/types.ts";

/**
 * What each pod requests of a resource, in thousandths, by pod name.
 * @param container only this one's; "" for the whole pod
 * @throws Error when a container has no request of it: there is nothing to measure usage by
 */
export function requestsMilli(pods: readonly Pod[], container: string, resource: string): Map<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, container, resource)]));
}

function requestOf(pod: Pod, container: string, resource: string): number {
  const { name } = pod.metadata;
  const podLevel = pod.spec.resources?.requests;
  if (container === "" && podLevel && Object.keys(podLevel).length > 0) {
    const own = podLevel[resource];
    if (own !== undefined) return milliUnits(parseQuantity(own));
  }
  let sum = 0;
  for (const each of runningTogether(pod)) {
    if (container !== "" && each.name !== container) continue;
    const request = each.resources?.requests?.[resource];
    if (request === undefined)
      throw new Error(`missing request for ${resource} in container ${each.name} of Pod ${name}`);
    sum += milliUnits(parseQuantity(request));
    if (container !== "") return sum;
  }
  if (container !== "") throw new Error(`container ${container} not found in Pod ${name}`);
  return sum;
}

const runningTogether = ({ spec }: Pod): Container[] => [
  ...spec.containers,
  ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
];
