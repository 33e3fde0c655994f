import { isLatest } from "./image-tag.ts";
import {
  aggregateContainerLimits,
  aggregateContainerRequests,
  isPodLevelResource,
  printAmounts,
} from "./pod-requests.ts";
import { parseQuantity, printQuantity } from "./quantity.ts";
import type { Container, EphemeralContainer, PodSpec, Volume } from "./types.ts";

const NANOS_PER_MILLI = 1_000_000n;

const pullPolicy = (image: string | undefined) => (isLatest(image ?? "") ? "Always" : "IfNotPresent");

function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= pullPolicy(container.image);
  roundToMilli(container.resources?.limits);
  roundToMilli(container.resources?.requests);
}

/** A volume without a source is an emptyDir (upstream keeps this for very old clients). */
function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === "name" || volume[field as keyof Volume] == null)) {
    volume.emptyDir = {};
  }
  if (volume.image && !volume.image.pullPolicy) volume.image.pullPolicy = pullPolicy(volume.image.reference);
}

/** Amounts are kept to a thousandth, rounded up. */
export function roundToMilli(amounts: Record<string, string> | undefined): void {
  for (const name in amounts) {
    const text = amounts[name] ?? "0";
    // Canonical texts are finer only with these suffixes, or as an exponent.
    if (!/[nue]/.test(text)) continue;
    const { nanos, format } = parseQuantity(text);
    const rest = nanos % NANOS_PER_MILLI;
    if (rest === 0n) continue;
    amounts[name] = printQuantity({ nanos: nanos - rest + (nanos > 0n ? NANOS_PER_MILLI : -NANOS_PER_MILLI), format });
  }
}

/**
 * Defaults of a pod's spec, in a pod and in a template alike, that depend on other fields; the schema's constants have
 * been set.
 */
export function applyPodSpecDefaults(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of spec.containers ?? []) defaultContainer(container);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  roundToMilli(spec.overhead);
  roundToMilli(spec.resources?.limits);
  roundToMilli(spec.resources?.requests);
}

/** Defaults that pods get and templates do not: a grace period, requests from limits, service links, host ports. */
export function applyPodOnlyDefaults(spec: PodSpec): void {
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  spec.enableServiceLinks ??= true;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const limits = container.resources?.limits;
    if (!limits || !container.resources) continue;
    container.resources.requests = { ...limits, ...container.resources.requests };
  }
  applyPodLevelDefaults(spec);
  if (spec.hostNetwork) {
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
    }
  }
}

function applyPodLevelDefaults(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources || (isEmpty(resources.limits) && isEmpty(resources.requests))) return;
  const limits = { ...resources.limits };
  for (const [name, text] of Object.entries(printAmounts(aggregateContainerLimits(spec)))) {
    if (name.startsWith("hugepages-") && resources.requests?.[name] === undefined) limits[name] ??= text;
  }
  if (!isEmpty(limits)) resources.limits = limits;
  if (isEmpty(resources.limits)) return;
  const requests = { ...resources.requests };
  for (const [name, text] of Object.entries(printAmounts(aggregateContainerRequests(spec)))) {
    // Huge pages cannot be overcommitted: their requests follow the limits below.
    if (name === "cpu" || name === "memory") requests[name] ??= text;
  }
  for (const [name, text] of Object.entries(resources.limits ?? {})) {
    if (isPodLevelResource(name)) requests[name] ??= text;
  }
  if (!isEmpty(requests)) resources.requests = requests;
}

const isEmpty = (map: Record<string, string> | undefined) => !map || Object.keys(map).length === 0;
