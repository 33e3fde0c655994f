import { COMPUTE_QUOTAS, COMPUTE_RESOURCES } from "../../shared/api/compute-resources.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import {
  aggregateContainerLimits,
  effectiveRequests,
  isPodLevelResource,
  parseAmounts,
  qosClass,
  type ResourceAmounts,
} from "../../shared/api/pod-requests.ts";
import { addQuantities, compareQuantities, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import type { Pod, PodAffinityTerm, PodSpec } from "../../shared/api/types.ts";
import { count, type Evaluator, isSelected, type ScopeRequirement } from "./evaluator.ts";

const COUNT = "count/pods";
const NAMES = new Set([COUNT, ...COMPUTE_QUOTAS, "pods"]);
/** Containers must say them if a quota counts them. */
const MANDATORY = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const HUGE_PAGES = "hugepages-";
const REQUESTS = "requests.";
/** Requests of device classes by their own name (KEP-5004). */
const DEVICE_CLASS = "requests.deviceclass.resource.kubernetes.io/";

const podOf = (object: unknown) => object as Pod;

const isNative = (name: string) => !name.includes("/") || name.includes("kubernetes.io/");

const isExtended = (name: string) => name.startsWith(REQUESTS) && (!isNative(name) || name.startsWith(DEVICE_CLASS));

/** A quota's names for requests and limits. */
function namesOf(requests: ResourceAmounts, limits: ResourceAmounts): ResourceAmounts {
  const used: ResourceAmounts = new Map();
  for (const [name, amount] of requests) {
    const isStandard = COMPUTE_RESOURCES.includes(name);
    if (isStandard || name.startsWith(HUGE_PAGES)) used.set(name, amount);
    if (isStandard || name.startsWith(HUGE_PAGES) || !isNative(name)) used.set(`${REQUESTS}${name}`, amount);
  }
  for (const name of COMPUTE_RESOURCES) {
    const amount = limits.get(name);
    if (amount) used.set(`limits.${name}`, amount);
  }
  return used;
}

/** What the pod as a whole may use: its own limits win, overhead comes on top of what is limited. */
function limitsOf(spec: PodSpec): ResourceAmounts {
  const limits = aggregateContainerLimits(spec);
  for (const [name, amount] of parseAmounts(spec.resources?.limits)) {
    if (isPodLevelResource(name)) limits.set(name, amount);
  }
  for (const [name, amount] of parseAmounts(spec.overhead)) {
    const limit = limits.get(name);
    if (limit && compareQuantities(limit, ZERO_QUANTITY) !== 0) limits.set(name, addQuantities(limit, amount));
  }
  return limits;
}

const hasOwnResources = ({ resources }: PodSpec): boolean =>
  [resources?.requests, resources?.limits].some((amounts) => Object.keys(amounts ?? {}).some(isPodLevelResource));

const isTerminating = ({ spec }: Pod): boolean => (spec.activeDeadlineSeconds ?? -1) >= 0;

/** It has ended, or should have by now. */
function isOver(pod: Pod, nowMs: number): boolean {
  if (isPodTerminal(pod)) return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > Date.parse(String(deletionTimestamp)) + deletionGracePeriodSeconds * 1000;
}

function looksBeyondNamespace({ affinity }: PodSpec): boolean {
  const terms: PodAffinityTerm[] = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector);
}

function isInScope(requirement: ScopeRequirement, pod: Pod): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return qosClass(pod.spec) === "BestEffort";
    case "NotBestEffort":
      return qosClass(pod.spec) !== "BestEffort";
    case "PriorityClass":
      return isSelected(requirement, pod.spec.priorityClassName || undefined);
    case "CrossNamespacePodAffinity":
      return looksBeyondNamespace(pod.spec);
    default:
      return false;
  }
}

/** `must specify limits.cpu for: a,b; requests.cpu for: a` */
function missing(names: string[], { spec }: Pod): string | undefined {
  if (hasOwnResources(spec)) return undefined;
  const texts = MANDATORY.filter((name) => names.includes(name))
    .sort()
    .flatMap((name) => {
      const silent = [...spec.containers, ...(spec.initContainers ?? [])].filter(
        ({ resources }) => !namesOf(parseAmounts(resources?.requests), parseAmounts(resources?.limits)).has(name),
      );
      const containers = [...new Set(silent.map((container) => container.name))].sort();
      return containers.length > 0 ? [`${name} for: ${containers.join(",")}`] : [];
    });
  return texts.length === 0 ? undefined : `must specify ${texts.join("; ")}`;
}

/** Pods use themselves, and what they request until they end (upstream's pod evaluator). */
export const podEvaluator: Evaluator = {
  handles({ operation, subresource, object, old }) {
    if (subresource === "resize") return operation === "UPDATE";
    if (subresource) return false;
    if (operation === "CREATE") return true;
    return old !== undefined && isTerminating(podOf(old)) !== isTerminating(podOf(object));
  },
  matching: (names) =>
    names.filter(
      (name) =>
        NAMES.has(name) || name.startsWith(HUGE_PAGES) || name.startsWith(REQUESTS + HUGE_PAGES) || isExtended(name),
    ),
  missing: (names, object) => missing(names, podOf(object)),
  isInScope: (requirement, object) => isInScope(requirement, podOf(object)),
  usage(object, nowMs) {
    const pod = podOf(object);
    const used: ResourceAmounts = new Map([[COUNT, count(1)]]);
    if (isOver(pod, nowMs)) return used;
    used.set("pods", count(1));
    for (const [name, amount] of namesOf(effectiveRequests(pod.spec), limitsOf(pod.spec))) used.set(name, amount);
    return used;
  },
  isFreed(object, old) {
    const [now, before] = [podOf(object), podOf(old)];
    return (!isPodTerminal(before) && isPodTerminal(now)) || isTerminating(now) !== isTerminating(before);
  },
};
