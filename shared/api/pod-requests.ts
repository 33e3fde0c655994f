import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "./quantity.ts";
import type { Container, PodSpec } from "./types.ts";

/** Amounts by resource name. The caller owns what the functions here return. */
export type ResourceAmounts = Map<string, Quantity>;

/** What of a pod says how much it needs. */
type Demands = Pick<PodSpec, "containers" | "initContainers" | "resources" | "overhead">;

type ResourceTexts = Record<string, string> | undefined;

/** Parses a resource list as it is on the wire. */
export function parseAmounts(texts: ResourceTexts): ResourceAmounts {
  const amounts: ResourceAmounts = new Map();
  for (const name in texts) amounts.set(name, parseQuantity(texts[name] ?? "0"));
  return amounts;
}

/** The wire form, canonical. */
export function printAmounts(amounts: ResourceAmounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, printQuantity(amount)]));
}

function add(total: ResourceAmounts, more: ResourceAmounts): void {
  for (const [name, amount] of more) total.set(name, addQuantities(total.get(name) ?? ZERO_QUANTITY, amount));
}

function raise(total: ResourceAmounts, floor: ResourceAmounts): void {
  for (const [name, amount] of floor) {
    const known = total.get(name);
    if (!known || compareQuantities(amount, known) > 0) total.set(name, amount);
  }
}

export const isSidecar = (container: { restartPolicy?: string }): boolean => container.restartPolicy === "Always";

/**
 * What all containers need together: the containers and sidecars that run side by side, or the most demanding init
 * container along with the sidecars started before it, whichever is more.
 * @see KEP-753
 */
function aggregate(spec: Demands, listOf: (container: Container) => ResourceTexts): ResourceAmounts {
  const total: ResourceAmounts = new Map();
  for (const container of spec.containers ?? []) add(total, parseAmounts(listOf(container)));
  const sidecars: ResourceAmounts = new Map();
  const initial: ResourceAmounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = parseAmounts(listOf(container));
    if (isSidecar(container)) {
      add(total, own);
      add(sidecars, own);
      raise(initial, sidecars);
    } else {
      add(own, sidecars);
      raise(initial, own);
    }
  }
  raise(total, initial);
  return total;
}

export const aggregateContainerRequests = (spec: Demands): ResourceAmounts =>
  aggregate(spec, ({ resources }) => resources?.requests);

export const aggregateContainerLimits = (spec: Demands): ResourceAmounts =>
  aggregate(spec, ({ resources }) => resources?.limits);

/** Resources that can be given to a pod as a whole (KEP-2837). */
export const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-");

/** What the scheduler and the kubelet count for a pod: pod-level requests win, overhead comes on top. */
export function effectiveRequests(spec: Demands): ResourceAmounts {
  const amounts = aggregateContainerRequests(spec);
  for (const [name, amount] of parseAmounts(spec.resources?.requests)) {
    if (isPodLevelResource(name)) amounts.set(name, amount);
  }
  add(amounts, parseAmounts(spec.overhead));
  return amounts;
}

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const QOS_RESOURCES = ["cpu", "memory"];

/**
 * The pod's quality of service class, from cpu and memory alone: of the pod if it has resources of its own, else of all
 * containers that are not ephemeral.
 */
export function qosClass(spec: Demands): QosClass {
  const parts = spec.resources
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {});
  const requests: ResourceAmounts = new Map();
  const limits: ResourceAmounts = new Map();
  let guaranteed = true;
  for (const part of parts) {
    add(requests, positiveQosAmounts(part.requests));
    const partLimits = positiveQosAmounts(part.limits);
    add(limits, partLimits);
    if (partLimits.size < QOS_RESOURCES.length) guaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  if (!guaranteed || requests.size !== limits.size) return "Burstable";
  for (const [name, amount] of requests) {
    const limit = limits.get(name);
    if (!limit || compareQuantities(limit, amount) !== 0) return "Burstable";
  }
  return "Guaranteed";
}

function positiveQosAmounts(texts: ResourceTexts): ResourceAmounts {
  const amounts: ResourceAmounts = new Map();
  for (const name of QOS_RESOURCES) {
    const text = texts?.[name];
    if (text === undefined) continue;
    const amount = parseQuantity(text);
    if (compareQuantities(amount, ZERO_QUANTITY) > 0) amounts.set(name, amount);
  }
  return amounts;
}
