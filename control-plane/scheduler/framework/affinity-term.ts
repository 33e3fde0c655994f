import { isEmptySelector, type LabelSelectorObject, matchesLabelSelector } from "../../../shared/api/selector.ts";
import type { Pod } from "../../../shared/api/types.ts";

type Affinity = NonNullable<Pod["spec"]["affinity"]>;
type Spec = NonNullable<Affinity["podAffinity"]>;
type WireTerm = NonNullable<Spec["requiredDuringSchedulingIgnoredDuringExecution"]>[number];

/** A PodAffinityTerm with its defaults filled in. */
export interface AffinityTerm {
  namespaces: readonly string[];
  /** Adds the namespaces whose labels it selects; an empty one adds all. */
  namespaceSelector: LabelSelectorObject | undefined;
  selector: LabelSelectorObject | undefined;
  topologyKey: string;
  /** 1 to 100 of a preferred term; 1 of a required one. */
  weight: number;
}

/** What a pod asks of the pods around it (or of those to stay away from). */
export interface AffinityTerms {
  required: readonly AffinityTerm[];
  preferred: readonly AffinityTerm[];
}

export const NO_TERMS: AffinityTerms = { required: [], preferred: [] };

/** The terms of `spec.affinity.podAffinity` or `podAntiAffinity` of a pod in `namespace`. */
export function affinityTermsOf(namespace: string, affinity: Spec | undefined): AffinityTerms {
  if (!affinity) return NO_TERMS;
  const termOf = (term: WireTerm, weight: number): AffinityTerm => {
    const named = term.namespaces ?? [];
    return {
      // Only a term that names no namespaces in either way means the pod's own.
      namespaces: named.length > 0 || term.namespaceSelector ? named : [namespace],
      namespaceSelector: term.namespaceSelector,
      selector: term.labelSelector,
      topologyKey: term.topologyKey,
      weight,
    };
  };
  return {
    required: (affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => termOf(term, 1)),
    preferred: (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm, weight }) =>
      termOf(podAffinityTerm, weight),
    ),
  };
}

/** What of a pod a term looks at. */
export interface Labelled {
  namespace: string;
  labels: Record<string, string> | undefined;
}

/** Whether a term means a pod with these labels. */
export function termMatches(
  { namespaces, namespaceSelector, selector }: AffinityTerm,
  { namespace, labels }: Labelled,
  namespaceLabels: (namespace: string) => Record<string, string> | undefined,
): boolean {
  const inNamespace =
    namespaces.includes(namespace) ||
    (namespaceSelector !== undefined &&
      (isEmptySelector(namespaceSelector) || matchesLabelSelector(namespaceSelector, namespaceLabels(namespace))));
  return inNamespace && matchesLabelSelector(selector, labels);
}
