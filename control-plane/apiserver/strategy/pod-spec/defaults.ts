import {
  aggregateContainerLimits,
  aggregateContainerRequests,
  isPodLevelResource,
  printAmounts,
} from "../../../../shared/api/pod-requests.ts";
import type { Container, EphemeralContainer, PodSpec, Probe, Volume } from "../../../../shared/api/types.ts";
import { isLatest } from "./image-tag.ts";

const pullPolicy = (image: string | undefined) => (isLatest(image ?? "") ? "Always" : "IfNotPresent");

function defaultProbe(probe: Probe | undefined): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function defaultHttpGet(action: { path?: string; scheme?: string } | undefined): void {
  if (!action) return;
  action.path ||= "/";
  action.scheme ||= "HTTP";
}

function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= pullPolicy(container.image);
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.resources ??= {};
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const variable of container.env ?? []) {
    if (variable.valueFrom?.fieldRef) variable.valueFrom.fieldRef.apiVersion ||= "v1";
    if (variable.valueFrom?.resourceFieldRef) variable.valueFrom.resourceFieldRef.divisor ??= "0";
    if (variable.valueFrom?.fileKeyRef) variable.valueFrom.fileKeyRef.optional ??= false;
  }
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  defaultHttpGet(container.lifecycle?.postStart?.httpGet);
  defaultHttpGet(container.lifecycle?.preStop?.httpGet);
}

/** A volume without a source is an emptyDir (upstream keeps this for very old clients). */
function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === "name" || volume[field as keyof Volume] == null)) {
    volume.emptyDir = {};
  }
  if (volume.image && !volume.image.pullPolicy) volume.image.pullPolicy = pullPolicy(volume.image.reference);
}

/**
 * Defaults of a pod's spec, in a pod and in a template alike, that depend on other fields or that the schema's engine
 * may have been told already; setting them twice changes nothing.
 */
export function applyPodSpecDefaults(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of spec.containers ?? []) defaultContainer(container);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
}

/** Defaults that pods get and templates do not: requests from limits, service links, host ports. */
export function applyPodOnlyDefaults(spec: PodSpec): void {
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
