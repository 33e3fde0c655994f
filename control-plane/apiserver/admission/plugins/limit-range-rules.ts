import {
  aggregateContainerLimits,
  aggregateContainerRequests,
  parseAmounts,
  type ResourceAmounts,
} from "../../../../shared/api/pod-requests.ts";
import { milliUnits, parseQuantity, printQuantity } from "../../../../shared/api/quantity.ts";
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from "../../../../shared/api/types.ts";

type Texts = Record<string, string>;

/** Tells what a LimitRange gave a pod. */
const ANNOTATION = "kubernetes.io/limit-ranger";
/** Of the resources that a pod may have as a whole, these are counted for it (KEP-2837). */
const POD_LEVEL = ["cpu", "memory"];

/** What a pod, a container or a claim asks for and is held to. */
interface Usage {
  requests: ResourceAmounts;
  limits: ResourceAmounts;
}

/** Completes the containers' resources in place with the range's defaults, and notes in an annotation which. */
export function applyLimitRange(range: LimitRange, pod: Pod): void {
  const limits: Texts = {};
  const requests: Texts = {};
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== "Container") continue;
    Object.assign(limits, item.default);
    Object.assign(requests, item.defaultRequest);
  }
  const notes: string[] = [];
  for (const container of pod.spec.containers ?? []) complete(container, "container", { limits, requests }, notes);
  for (const container of pod.spec.initContainers ?? [])
    complete(container, "init container", { limits, requests }, notes);
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [ANNOTATION]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

function complete(
  container: Container,
  what: string,
  defaults: { limits: Texts; requests: Texts },
  notes: string[],
): void {
  const fill = (list: "requests" | "limits") => {
    const present = container.resources?.[list] ?? {};
    const missing = Object.keys(defaults[list]).filter((name) => present[name] === undefined);
    if (missing.length === 0) return [];
    container.resources = { ...container.resources, [list]: { ...defaults[list], ...present } };
    return missing.sort();
  };
  const [limits, requests] = [fill("limits"), fill("requests")];
  if (requests.length > 0) notes.push(`${requests.join(", ")} request for ${what} ${container.name}`);
  if (limits.length > 0) notes.push(`${limits.join(", ")} limit for ${what} ${container.name}`);
}

/** What a pod breaks of a range, in upstream's words; empty: nothing. */
export function checkPodAgainst(range: LimitRange, { spec }: Pod): string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return (range.spec?.limits ?? []).flatMap((item) => {
    if (item.type === "Container") {
      return containers.flatMap(({ resources }) =>
        checkUsage(item, { requests: parseAmounts(resources?.requests), limits: parseAmounts(resources?.limits) }),
      );
    }
    return item.type === "Pod" ? checkUsage(item, podUsage(spec)) : [];
  });
}

function podUsage(spec: Pod["spec"]): Usage {
  const requests = aggregateContainerRequests(spec);
  const limits = aggregateContainerLimits(spec);
  for (const name of POD_LEVEL) {
    const [request, limit] = [spec.resources?.requests?.[name], spec.resources?.limits?.[name]];
    if (request !== undefined) requests.set(name, parseQuantity(request));
    if (limit !== undefined) limits.set(name, parseQuantity(limit));
  }
  return { requests, limits };
}

function checkUsage(item: LimitRangeItem, usage: Usage): string[] {
  return [
    ...each(item.min, (name, bound) => checkMin(item.type, name, bound, usage)),
    ...each(item.max, (name, bound) => checkMax(item.type, name, bound, usage)),
    ...each(item.maxLimitRequestRatio, (name, bound) => checkRatio(item.type, name, bound, usage)),
  ];
}

/** What a claim breaks of a range. Only its requests count: it has no limits to be held to. */
export function checkClaimAgainst(range: LimitRange, { spec }: PersistentVolumeClaim): string[] {
  const requests = parseAmounts(spec?.resources?.requests);
  return (range.spec?.limits ?? []).flatMap((item) => {
    if (item.type !== "PersistentVolumeClaim") return [];
    return [
      ...each(item.min, (name, bound) => checkMin(item.type, name, bound, { requests, limits: new Map() })),
      ...each(item.max, (name, bound) => {
        const rule = `maximum ${name} usage per ${item.type} is ${bound}`;
        const request = requests.get(name);
        if (!request) return `${rule}.  No request is specified`;
        return milliUnits(request) > milli(bound) ? `${rule}, but request is ${printQuantity(request)}` : undefined;
      }),
    ];
  });
}

/** By name: upstream's order is that of a Go map, which is none. */
function each(bounds: Texts | undefined, check: (name: string, bound: string) => string | undefined): string[] {
  return Object.entries(bounds ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, bound]) => check(name, bound) ?? []);
}

const milli = (text: string) => milliUnits(parseQuantity(text));

function checkMin(type: string, name: string, bound: string, { requests, limits }: Usage): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (!request) return `${rule}.  No request is specified`;
  if (milliUnits(request) < milli(bound)) return `${rule}, but request is ${printQuantity(request)}`;
  if (limit && milliUnits(limit) < milli(bound)) return `${rule}, but limit is ${printQuantity(limit)}`;
  return undefined;
}

function checkMax(type: string, name: string, bound: string, { requests, limits }: Usage): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (!limit) return `${rule}.  No limit is specified`;
  if (milliUnits(limit) > milli(bound)) return `${rule}, but limit is ${printQuantity(limit)}`;
  if (request && milliUnits(request) > milli(bound)) return `${rule}, but request is ${printQuantity(request)}`;
  return undefined;
}

function checkRatio(type: string, name: string, bound: string, { requests, limits }: Usage): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  const [request, limit] = [requests.get(name), limits.get(name)].map((amount) => (amount ? milliUnits(amount) : 0));
  if (!request) return `${rule}, but no request is specified or request is 0`;
  if (!limit) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = limit / request;
  return ratio * 1000 > milli(bound) ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
