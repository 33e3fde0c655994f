import { quote } from "../../../../shared/api/field-error.ts";
import { checkLabelValue } from "../../../../shared/api/names.ts";
import { hasFraction, parseQuantity, printQuantity } from "../../../../shared/api/quantity.ts";
import type { ContainerPort, PodSpec, PodTemplateSpec } from "../../../../shared/api/types.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { isEqual } from "../equality.ts";
import { ipWarnings } from "../ip-rules.ts";
import { APP_ARMOR_ANNOTATION as APP_ARMOR, profileOfAnnotation } from "./app-armor.ts";
import { visitContainers } from "./context.ts";
import { overlappingPathWarnings } from "./path-overlaps.ts";

/** Labels of nodes that have got other names. */
export const DEPRECATED_LABELS: Record<string, string> = {
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

const DEPRECATED_ANNOTATIONS: [string, string][] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

const DEPRECATED_VOLUMES = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
} as const;

/** Where upstream names a volume otherwise than its field. */
const VOLUME_FIELD: Partial<Record<keyof typeof DEPRECATED_VOLUMES, string>> = { storageos: "storageOS" };

/**
 * What a client is told about a pod or template that is valid but unwise.
 * @param prefix where the template is (`spec.template`); empty for a pod
 */
export function podWarnings({ metadata, spec = { containers: [] } }: PodTemplateSpec, prefix: string): string[] {
  const base = prefix === "" ? "" : `${prefix}.`;
  const path = `${base}spec`;
  const annotations = metadata?.annotations ?? {};
  return [
    ...schedulingWarnings(spec, path),
    ...DEPRECATED_ANNOTATIONS.filter(([key]) => key in annotations).map(
      ([key, text]) => `${base}metadata.annotations[${key}]: ${text}`,
    ),
    ...volumeWarnings(spec, path),
    ...duplicateListWarnings(spec, path),
    ...fractionalBytes(spec.overhead, `${path}.overhead`),
    ...containerWarnings(spec, path, annotations, prefix),
    ...portWarnings(spec, path),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...affinityWarnings(spec, path),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((ip, index) =>
      ipWarnings(ip, `${path}.dnsConfig.nameservers[${index}]`),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `${path}.hostAliases[${index}].ip`)),
  ];
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

function schedulingWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const text = ownMember(DEPRECATED_LABELS, key);
    if (text) warnings.push(`${path}.nodeSelector[${key}]: ${text}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const field = `${path}.affinity.nodeAffinity`;
  for (const [index, term] of (affinity?.[REQUIRED]?.nodeSelectorTerms ?? []).entries()) {
    warnings.push(...nodeTermWarnings(term, `${field}.${REQUIRED}.nodeSelectorTerms[${index}]`, false));
  }
  for (const [index, { preference }] of (affinity?.[PREFERRED] ?? []).entries()) {
    warnings.push(...nodeTermWarnings(preference ?? {}, `${field}.${PREFERRED}[${index}].preference`, true));
  }
  for (const [index, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const constraint = `${path}.topologySpreadConstraints[${index}]`;
    const text = ownMember(DEPRECATED_LABELS, topologyKey);
    if (text) warnings.push(`${constraint}.topologyKey: ${topologyKey} is ${text}`);
    if (!labelSelector) warnings.push(`${constraint}.labelSelector: a null labelSelector results in matching no pod`);
  }
  return warnings;
}

interface NodeTerm {
  matchExpressions?: { key: string; operator?: string; values?: string[] }[];
}

/** Preferences are not validated, so a bad value is only warned of: `checkValues` is for them. */
export function nodeTermWarnings(term: NodeTerm, path: string, checkValues: boolean): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values = [] }, index) => {
    const text = ownMember(DEPRECATED_LABELS, key);
    const field = `${path}.matchExpressions[${index}]`;
    const deprecated = text ? [`${field}.key: ${key} is ${text}`] : [];
    if (!checkValues) return deprecated;
    const bad = values.flatMap((value, i) =>
      checkLabelValue(value).map((message) => `${field}.values[${i}]: ${value} is invalid, ${message}`),
    );
    return [...deprecated, ...bad];
  });
}

function volumeWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    for (const name of Object.keys(DEPRECATED_VOLUMES) as (keyof typeof DEPRECATED_VOLUMES)[]) {
      if (volume[name]) {
        warnings.push(`${path}.volumes[${index}].${VOLUME_FIELD[name] ?? name}: ${DEPRECATED_VOLUMES[name]}`);
      }
    }
    const storage = volume.ephemeral?.volumeClaimTemplate?.spec?.resources?.requests?.storage;
    if (storage !== undefined && isFractional(storage)) {
      const field = `${path}.volumes[${index}].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]`;
      warnings.push(`${field}: fractional byte value ${quote(storage)} is invalid, must be an integer`);
    }
  }
  return [...warnings, ...overlappingPathWarnings(spec.volumes ?? [])];
}

export const isFractional = (text: string): boolean => hasFraction(parseQuantity(text));

function fractionalBytes(amounts: Record<string, string> | undefined, path: string): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) => {
    const text = amounts?.[name];
    if (text === undefined || !isFractional(text)) return [];
    const printed = quote(printQuantity(parseQuantity(text)));
    return [`${path}[${name}]: fractional byte value ${printed} is invalid, must be an integer`];
  });
}

function duplicateListWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  const ips = new Set<string>();
  for (const [index, { ip = "" }] of (spec.hostAliases ?? []).entries()) {
    if (ips.has(ip)) warnings.push(`${path}.hostAliases[${index}].ip: duplicate ip ${quote(ip)}`);
    ips.add(ip);
  }
  const secrets = spec.imagePullSecrets ?? [];
  const names = new Set<string>();
  for (const [index, { name = "" }] of secrets.entries()) {
    if (names.has(name)) warnings.push(`${path}.imagePullSecrets[${index}].name: duplicate name ${quote(name)}`);
    names.add(name);
  }
  for (const [index, { name }] of secrets.entries()) {
    if (!name) warnings.push(`${path}.imagePullSecrets[${index}].name: invalid empty name ""`);
  }
  return warnings;
}

const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";

function containerWarnings(spec: PodSpec, path: string, annotations: Record<string, string>, prefix: string): string[] {
  const warnings: string[] = [];
  const atAnnotation = (key: string) => `${prefix === "" ? "" : `${prefix}.`}metadata.annotations[${key}]`;
  const seccompUnused = (key: string, hasField: boolean) => {
    if (!hasField && key in annotations) {
      warnings.push(`${atAnnotation(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
    }
  };
  seccompUnused(SECCOMP_POD, spec.securityContext?.seccompProfile !== undefined);
  for (const { container, path: field } of visitContainers(spec, path)) {
    seccompUnused(SECCOMP_CONTAINER + container.name, container.securityContext?.seccompProfile !== undefined);
    const appArmor = APP_ARMOR + container.name;
    const annotation = annotations[appArmor];
    const own = container.securityContext?.appArmorProfile;
    // A pod's annotation has become its container's field by now.
    const isCopied = prefix === "" && own && isEqual(own, profileOfAnnotation(annotation ?? ""));
    if (annotation !== undefined && (!own || isCopied) && !isSameProfile(annotation, spec)) {
      warnings.push(`${atAnnotation(appArmor)}: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
    const { limits, requests } = container.resources ?? {};
    for (const name of ["memory", "ephemeral-storage"]) {
      const only = (amounts: Record<string, string> | undefined) =>
        amounts?.[name] === undefined ? undefined : { [name]: amounts[name] };
      warnings.push(
        ...fractionalBytes(only(limits), `${field}.resources.limits`),
        ...fractionalBytes(only(requests), `${field}.resources.requests`),
      );
    }
    warnings.push(...hiddenVariables(container.env ?? [], `${field}.env`));
  }
  return warnings;
}

/** The pod's own profile says what the annotation says. */
const isSameProfile = (annotation: string, spec: PodSpec) =>
  isEqual(profileOfAnnotation(annotation) ?? null, spec.securityContext?.appArmorProfile ?? {});

function hiddenVariables(env: { name: string; value?: string; valueFrom?: unknown }[], path: string): string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value = "", valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    // A value that extends the earlier one is on purpose.
    const reference = `$(${name})`;
    if (!valueFrom && value !== reference && value.includes(reference)) return [];
    return [`${path}[${index}]: hides previous definition of ${quote(name)}, which may be dropped when using apply`];
  });
}

interface PlacedPort {
  field: string;
  port: ContainerPort;
}

function portWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  const byNumber = new Map<string, PlacedPort[]>();
  const placed: PlacedPort[] = [...visitContainers(spec, path)].flatMap(({ container, path: field }) =>
    (container.ports ?? []).map((port, index) => ({ field: `${field}.ports[${index}]`, port })),
  );
  for (const { field, port } of placed) {
    const { name = "", hostPort = 0, containerPort = 0, protocol = "", hostIP = "" } = port;
    if (hostIP && !hostPort) {
      warnings.push(
        `${field}: hostIP set without hostPort: {Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`,
      );
    }
    const key = `${containerPort}/${protocol}`;
    const others = byNumber.get(key) ?? [];
    for (const other of others) {
      const word = clash(port, other.port);
      if (word) warnings.push(`${field}: ${word} port definition with ${other.field}`);
    }
    byNumber.set(key, [...others, { field, port }]);
  }
  const byName = new Map<string, string>();
  for (const { field, port } of placed) {
    if (!port.name) continue;
    const other = byName.get(port.name);
    if (other === undefined) byName.set(port.name, field);
    else {
      warnings.push(
        `${field}: duplicate port name ${quote(port.name)} with ${other}, services and probes that select ports by name will use ${other}`,
      );
    }
  }
  return warnings;
}

function clash(a: ContainerPort, b: ContainerPort): string | undefined {
  const [hostA, hostB] = [a.hostPort ?? 0, b.hostPort ?? 0];
  const [ipA, ipB] = [a.hostIP ?? "", b.hostIP ?? ""];
  if (ipA === ipB && hostA === hostB) return "duplicate";
  if (hostA === 0 || hostB === 0) return "overlapping";
  return hostA === hostB && (ipA === "") !== (ipB === "") ? "dangerously ambiguous" : undefined;
}

function affinityWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  for (const name of ["podAffinity", "podAntiAffinity"] as const) {
    const affinity = spec.affinity?.[name];
    const field = `${path}.affinity.${name}`;
    const refuse = (at: string) =>
      warnings.push(`${at}.labelSelector: a null labelSelector results in matching no pod`);
    for (const [index, term] of (affinity?.[REQUIRED] ?? []).entries()) {
      if (!term.labelSelector) refuse(`${field}.${REQUIRED}[${index}]`);
    }
    for (const [index, { podAffinityTerm }] of (affinity?.[PREFERRED] ?? []).entries()) {
      if (!podAffinityTerm?.labelSelector) refuse(`${field}.${PREFERRED}[${index}].podAffinityTerm`);
    }
  }
  return warnings;
}
