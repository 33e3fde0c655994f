/**
 * The rules of a pod's spec, shared by pods and by every kind that holds a pod template. Checks come in upstream's
 * order, which clients see in the list of causes.
 */
import {
  duplicate,
  fieldForbidden,
  inclusiveRange,
  invalidEach,
  invalidValue,
  notSupported,
  required,
  tooLong,
  valueNotFound,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain, checkQualifiedName } from "../../../../shared/api/names.ts";
import { validateAnnotations, validateLabels } from "../../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PodSpec, PodTemplateSpec } from "../../../../shared/api/types.ts";
import { checkLegacyIp } from "../ip-rules.ts";
import { checkPodAnnotations, checkProfilesAgree, MIRROR_POD } from "./annotations.ts";
import { checkContainers, checkEphemeralContainers, checkImageSpaces, checkInitContainers } from "./containers.ts";
import { type PodCheck, visitContainers } from "./context.ts";
import { checkDnsConfig } from "./dns.ts";
import { checkOs } from "./operating-system.ts";
import { checkPodLevelResources, checkResourceRequirements } from "./resources.ts";
import { checkAffinity, checkTolerations, checkTopologySpread } from "./scheduling.ts";
import { checkHostUsers, checkPodSecurityContext } from "./security-context.ts";
import { checkVolumes } from "./volumes.ts";
import { checkHostProcess } from "./windows-options.ts";

export { checkPodAnnotations, checkPodAnnotationsUpdate, checkProfilesAgree, MIRROR_POD } from "./annotations.ts";
export { checkEphemeralContainers, checkImageSpaces } from "./containers.ts";
export type { PodCheck } from "./context.ts";
export { dropDisabledFields, dropDisabledTemplateFields } from "./disabled-fields.ts";
export { checkSignerName } from "./projected.ts";
export { checkContainerResourceName, checkResourceRequirements } from "./resources.ts";
export { checkNodeSelector, checkTaintEffect, checkTolerations } from "./scheduling.ts";
export { checkId } from "./security-context.ts";

const MAX_INT32 = 2_147_483_647;
const MAX_HOSTNAME_OVERRIDE = 64;

export interface PodSpecOptions {
  /** The pod's own metadata; a template has none. */
  pod?: { name?: string; annotations?: Record<string, string> };
  /** The object that is updated had such values already. */
  tolerate?: PodCheck["tolerate"];
}

/** Checks a pod spec at `path` (`spec`, `spec.template.spec`). Defaults have been set. */
export function validatePodSpec(
  spec: PodSpec,
  path: string,
  { pod, tolerate = {} }: PodSpecOptions = {},
): StatusCause[] {
  const check: PodCheck = {
    causes: [],
    spec,
    isPod: pod !== undefined,
    podName: pod?.name,
    annotations: pod?.annotations,
    volumes: new Map(),
    claimNames: new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter(Boolean)),
    hostUsers: spec.hostUsers ?? true,
    tolerate,
  };
  const { causes } = check;
  if (spec.terminationGracePeriodSeconds === undefined) causes.push(required(`${path}.terminationGracePeriodSeconds`));
  checkVolumes(check, `${path}.volumes`);
  checkResourceClaims(check, `${path}.resourceClaims`);
  checkContainers(check, `${path}.containers`);
  checkInitContainers(check, `${path}.initContainers`);
  checkEphemeralContainers(check, `${path}.ephemeralContainers`);
  checkPodLevelResources(check, path);
  checkHostNetworkPorts(check, path);
  checkOneOf(check, `${path}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]);
  checkOneOf(check, `${path}.dnsPolicy`, spec.dnsPolicy, [
    "ClusterFirstWithHostNet",
    "ClusterFirst",
    "Default",
    "None",
  ]);
  causes.push(...validateLabels(spec.nodeSelector, `${path}.nodeSelector`));
  checkPodSecurityContext(check, `${path}.securityContext`);
  checkAffinity(check, `${path}.affinity`);
  causes.push(...checkDnsConfig(spec, `${path}.dnsConfig`));
  checkGates(check, path);
  causes.push(...checkTopologySpread(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`));
  checkHostProcess(check, path);
  checkHostUsers(check, path);
  checkHostnameOverride(check, path);
  checkNames(check, path);
  causes.push(...checkTolerations(spec.tolerations, `${path}.tolerations`));
  for (const [index, { ip = "", hostnames = [] }] of (spec.hostAliases ?? []).entries()) {
    const field = `${path}.hostAliases[${index}]`;
    causes.push(...checkLegacyIp(ip, `${field}.ip`));
    for (const [i, name] of hostnames.entries()) {
      causes.push(...invalidEach(`${field}.hostnames[${i}]`, name, checkDns1123Subdomain(name)));
    }
  }
  checkSubdomain(check, `${path}.priorityClassName`, spec.priorityClassName || undefined);
  checkSubdomain(check, `${path}.runtimeClassName`, spec.runtimeClassName);
  if (spec.preemptionPolicy !== undefined) {
    checkOneOf(check, `${path}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
  if (spec.overhead) checkResourceRequirements(check, { limits: spec.overhead }, `${path}.overhead`);
  checkOs(check, path);
  if (spec.schedulingGroup) checkSchedulingGroup(check, `${path}.schedulingGroup`);
  checkFileKeyVolumes(check, path);
  return causes;
}

function checkOneOf({ causes }: PodCheck, field: string, value: string | undefined, supported: string[]): void {
  if (!value) causes.push(required(field));
  else if (!supported.includes(value)) causes.push(notSupported(field, value, supported));
}

function checkSubdomain({ causes }: PodCheck, field: string, value: string | undefined): void {
  if (value !== undefined) causes.push(...invalidEach(field, value, checkDns1123Subdomain(value)));
}

function checkResourceClaims({ causes, spec, annotations }: PodCheck, path: string): void {
  const names = new Set<string>();
  for (const [index, claim] of (spec.resourceClaims ?? []).entries()) {
    if (annotations && MIRROR_POD in annotations) {
      causes.push(fieldForbidden("", "static pods do not support resource claims"));
      continue;
    }
    const field = `${path}[${index}]`;
    const { name, resourceClaimName: claimName, resourceClaimTemplateName: templateName } = claim;
    if (!name) causes.push(required(`${field}.name`));
    else if (names.has(name)) causes.push(duplicate(`${field}.name`, name));
    else {
      causes.push(...invalidEach(`${field}.name`, name, checkDns1123Label(name)));
      names.add(name);
    }
    const printed = {
      Name: name ?? "",
      ResourceClaimName: claimName ?? null,
      ResourceClaimTemplateName: templateName ?? null,
    };
    if (claimName !== undefined && templateName !== undefined) {
      const rule = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      causes.push(invalidValue(field, printed, rule));
    }
    if (claimName === undefined && templateName === undefined) {
      const rule = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
      causes.push(invalidValue(field, printed, rule));
    }
    if (claimName !== undefined) {
      causes.push(...invalidEach(`${field}.resourceClaimName`, claimName, checkDns1123Subdomain(claimName)));
    }
    if (templateName !== undefined) {
      causes.push(
        ...invalidEach(`${field}.resourceClaimTemplateName`, templateName, checkDns1123Subdomain(templateName)),
      );
    }
  }
}

function checkHostNetworkPorts({ causes, spec, isPod }: PodCheck, path: string): void {
  if (!spec.hostNetwork) return;
  for (const [index, container] of (spec.containers ?? []).entries()) {
    for (const [portIndex, { hostPort = 0, containerPort }] of (container.ports ?? []).entries()) {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) continue;
      causes.push(
        invalidValue(
          `${path}.containers[${index}].ports[${portIndex}].hostPort`,
          hostPort,
          "must match `containerPort` when `hostNetwork` is true",
        ),
      );
    }
  }
}

function checkGates({ causes, spec }: PodCheck, path: string): void {
  for (const [index, { conditionType = "" }] of (spec.readinessGates ?? []).entries()) {
    causes.push(
      ...invalidEach(
        `${path}.readinessGates[${index}].conditionType`,
        conditionType,
        checkQualifiedName(conditionType),
      ),
    );
  }
  const seen = new Set<string>();
  for (const [index, { name = "" }] of (spec.schedulingGates ?? []).entries()) {
    const field = `${path}.schedulingGates[${index}]`;
    causes.push(...invalidEach(field, name, checkQualifiedName(name)));
    if (seen.has(name)) causes.push(duplicate(field, name));
    seen.add(name);
  }
}

function checkHostnameOverride({ causes, spec }: PodCheck, path: string): void {
  const { hostnameOverride } = spec;
  if (hostnameOverride === undefined) return;
  const field = `${path}.hostnameOverride`;
  if (spec.setHostnameAsFQDN) {
    causes.push(fieldForbidden(field, "may not be specified when setHostnameAsFQDN is true"));
  }
  if (spec.hostNetwork) causes.push(fieldForbidden(field, "may not be specified when hostNetwork is true"));
  if (hostnameOverride.length > MAX_HOSTNAME_OVERRIDE) causes.push(tooLong(field, MAX_HOSTNAME_OVERRIDE));
  causes.push(...invalidEach(field, hostnameOverride, checkDns1123Subdomain(hostnameOverride)));
}

function checkNames(check: PodCheck, path: string): void {
  const { causes, spec } = check;
  checkSubdomain(check, `${path}.serviceAccountName`, spec.serviceAccountName || undefined);
  checkSubdomain(check, `${path}.nodeName`, spec.nodeName || undefined);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    causes.push(invalidValue(`${path}.activeDeadlineSeconds`, deadline, inclusiveRange(1, MAX_INT32)));
  }
  for (const name of ["hostname", "subdomain"] as const) {
    const value = spec[name];
    if (value) causes.push(...invalidEach(`${path}.${name}`, value, checkDns1123Label(value)));
  }
}

function checkSchedulingGroup({ causes, spec }: PodCheck, path: string): void {
  const name = spec.schedulingGroup?.podGroupName;
  const field = `${path}.podGroupName`;
  if (name === undefined) causes.push(invalidValue(field, null, "must specify one of: `podGroupName`"));
  else causes.push(...invalidEach(field, name, checkDns1123Subdomain(name)));
}

function checkFileKeyVolumes({ causes, spec }: PodCheck, path: string): void {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  for (const { container, path: containerPath } of visitContainers(spec, path)) {
    for (const [index, { valueFrom }] of (container.env ?? []).entries()) {
      if (!valueFrom?.fileKeyRef) continue;
      const name = valueFrom.fileKeyRef.volumeName ?? "";
      const field = `${containerPath}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (!volume) causes.push(valueNotFound(field, name));
      else if (!volume.emptyDir) causes.push(invalidValue(field, name, "referenced volume must be of type emptyDir"));
    }
  }
}

/** Checks a pod template at `path` (`spec.template`). */
export function validatePodTemplate(
  template: PodTemplateSpec | undefined,
  path: string,
  options: Pick<PodSpecOptions, "tolerate"> = {},
): StatusCause[] {
  const { labels, annotations } = template?.metadata ?? {};
  const spec: PodSpec = template?.spec ?? { containers: [] };
  const causes = [
    ...validateLabels(labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...checkPodAnnotations(annotations, spec, `${path}.annotations`),
    ...validatePodSpec(spec, `${path}.spec`, options),
    ...checkProfilesAgree(annotations, spec, `${path}.spec`),
  ];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    causes.push(fieldForbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  }
  return causes;
}

/** What pods are checked for beyond their spec. */
export function checkPodImages(spec: PodSpec, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const name of ["containers", "initContainers"] as const) {
    for (const [index, container] of (spec[name] ?? []).entries()) {
      causes.push(...checkImageSpaces(container, `${path}.${name}[${index}]`));
    }
  }
  return causes;
}
