import type { LabelSelectorObject } from "../../shared/api/selector.ts";
import type { Pod, Service } from "../../shared/api/types.ts";
import { matchesLabels } from "../runtime/index.ts";

/** The selector of an owner, whichever form its kind has. */
export type OwnerSelector = LabelSelectorObject | undefined;

/**
 * What tells a pod's replicas: the labels that the Services selecting it ask for, taken together, and the selector of
 * its ReplicaSet, ReplicationController or StatefulSet (SCH-15).
 * @param services of the pod's namespace
 * @returns selectors that all have to match; none if neither a Service nor such an owner selects the pod
 */
export function replicaSelectors(pod: Pod, services: readonly Service[], owner: OwnerSelector): LabelSelectorObject[] {
  const matchLabels: Record<string, string> = {};
  for (const { spec } of services) {
    const selector = spec?.selector ?? {};
    if (Object.keys(selector).length > 0 && matchesLabels(selector, pod.metadata.labels)) {
      Object.assign(matchLabels, selector);
    }
  }
  const selectors: LabelSelectorObject[] = Object.keys(matchLabels).length > 0 ? [{ matchLabels }] : [];
  return owner ? [...selectors, owner] : selectors;
}
