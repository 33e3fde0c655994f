import type { ResourceFacts } from "../../shared/schema/index.ts";
import type { Strategy } from "./strategy/index.ts";

export const hasStatus = (facts: ResourceFacts): boolean => facts.subresources.some(({ name }) => name === "status");

/**
 * Kinds with a status whose generation upstream leaves alone, and kinds without one whose generation it keeps. A
 * strategy that says otherwise has the last word.
 */
const WITHOUT_GENERATION = new Set([
  "/namespaces",
  "/nodes",
  "/persistentvolumeclaims",
  "/persistentvolumes",
  "/resourcequotas",
  "/services",
  "apiregistration.k8s.io/apiservices",
  "autoscaling/horizontalpodautoscalers",
  "certificates.k8s.io/certificatesigningrequests",
  "networking.k8s.io/servicecidrs",
  "resource.k8s.io/resourceclaims",
  "storage.k8s.io/volumeattachments",
]);
const WITH_GENERATION = new Set([
  "/podtemplates",
  "admissionregistration.k8s.io/mutatingadmissionpolicies",
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingadmissionpolicies",
  "admissionregistration.k8s.io/validatingadmissionpolicybindings",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
  "discovery.k8s.io/endpointslices",
  "networking.k8s.io/ingressclasses",
  "networking.k8s.io/networkpolicies",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/resourceslices",
  "scheduling.k8s.io/priorityclasses",
]);

/** Kinds that upstream compares by Go's own equality: for them an empty list or map is a change from none. */
const TELLS_EMPTY_FROM_ABSENT = new Set([
  "configmaps",
  "mutatingwebhookconfigurations",
  "networkpolicies",
  "secrets",
  "validatingwebhookconfigurations",
  "volumeattributesclasses",
]);

/** Elsewhere an update's empty maps count as none when it is compared with what is stored, which has none. */
export const tellsEmptyFromAbsent = ({ resource }: ResourceFacts): boolean => TELLS_EMPTY_FROM_ABSENT.has(resource);

export function tracksGeneration(facts: ResourceFacts, strategy: Strategy): boolean {
  if (strategy.tracksGeneration !== undefined) return strategy.tracksGeneration;
  const name = `${facts.group}/${facts.resource}`;
  return WITH_GENERATION.has(name) || (hasStatus(facts) && !WITHOUT_GENERATION.has(name));
}

/** Kinds whose delete answers with the object instead of a Status (upstream's ReturnDeletedObject). */
const RETURNS_DELETED = new Set([
  "/namespaces",
  "/persistentvolumeclaims",
  "/persistentvolumes",
  "/pods",
  "/podtemplates",
  "/resourcequotas",
  "/serviceaccounts",
  "/services",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/resourceclaims",
  "resource.k8s.io/resourceclaimtemplates",
  "resource.k8s.io/resourceslices",
  "storage.k8s.io/csidrivers",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/storageclasses",
  "storage.k8s.io/volumeattachments",
  "storage.k8s.io/volumeattributesclasses",
]);

export const returnsDeletedObject = (facts: ResourceFacts): boolean =>
  RETURNS_DELETED.has(`${facts.group}/${facts.resource}`);

/** What a delete without a propagationPolicy does to dependents. */
export function defaultPropagation(facts: ResourceFacts): "Background" | "Orphan" | "Unsupported" {
  if (facts.resource === "events") return "Unsupported";
  const name = `${facts.group}/${facts.resource}`;
  return name === "/replicationcontrollers" || name === "batch/jobs" ? "Orphan" : "Background";
}
