import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import { parseQuantity } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PersistentVolume, PersistentVolumeSpec } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { diffInternal, renderInternal } from "../internal-form/index.ts";
import { checkNodeSelector } from "../pod-spec/index.ts";
import type { Strategy } from "../strategy.ts";
import { checkAccessModes, VOLUME_MODES } from "./claim-spec.ts";

const RECLAIM_POLICIES = ["Delete", "Recycle", "Retain"];
/** In upstream's order. */
const SOURCES = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const;

function checkCapacity(given: Record<string, string> | undefined): StatusCause[] {
  const capacity = given ?? {};
  const names = Object.keys(capacity);
  const causes = names.length === 0 ? [required("spec.capacity")] : [];
  if (!("storage" in capacity) || names.length > 1) {
    causes.push(notSupported("spec.capacity", given ?? null, ["storage"]));
  }
  for (const [name, amount] of Object.entries(capacity)) {
    if (parseQuantity(amount).nanos <= 0n) {
      causes.push(invalidValue(`spec.capacity[${name}]`, amount, "must be greater than zero"));
    }
  }
  return causes;
}

/** Sources that only a path or a driver tells apart. */
function checkSource(spec: PersistentVolumeSpec, name: (typeof SOURCES)[number]): StatusCause[] {
  const path = `spec.${name}`;
  const { hostPath, local, nfs, csi } = spec;
  const goesUp = (text: string) => text.split("/").includes("..");
  const upwards = (text: string) => (goesUp(text) ? [invalidValue(`${path}.path`, text, "must not contain '..'")] : []);
  if (name === "hostPath" && hostPath) {
    if (!hostPath.path) return [required(`${path}.path`)];
    const types = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    const type = hostPath.type ?? "";
    return [...upwards(hostPath.path), ...(types.includes(type) ? [] : [notSupported(`${path}.type`, type, types)])];
  }
  if (name === "local" && local) {
    if (!local.path) return [required(`${path}.path`)];
    return [
      ...upwards(local.path),
      ...(spec.nodeAffinity ? [] : [required("spec.nodeAffinity", "Local volume requires node affinity")]),
    ];
  }
  if (name === "nfs" && nfs) {
    return [
      ...(nfs.server ? [] : [required(`${path}.server`)]),
      ...(nfs.path ? [] : [required(`${path}.path`)]),
      ...(nfs.path && !nfs.path.startsWith("/")
        ? [invalidValue(`${path}.path`, nfs.path, "must be an absolute path")]
        : []),
    ];
  }
  if (name === "csi" && csi) {
    return [
      ...(csi.driver ? [] : [required(`${path}.driver`)]),
      ...(csi.volumeHandle ? [] : [required(`${path}.volumeHandle`)]),
    ];
  }
  return [];
}

function checkSources(spec: PersistentVolumeSpec): StatusCause[] {
  const present = SOURCES.filter((name) => spec[name] !== undefined);
  const [first, ...more] = present;
  if (!first) return [required("spec", "must specify a volume type")];
  return [
    ...checkSource(spec, first),
    ...more.map((name) => fieldForbidden(`spec.${name}`, "may not specify more than 1 volume type")),
  ];
}

function validate({ spec = {} }: PersistentVolume): StatusCause[] {
  const modes: string[] = spec.accessModes ?? [];
  const { persistentVolumeReclaimPolicy: policy, storageClassName, volumeMode, nodeAffinity } = spec;
  const causes = modes.length === 0 ? [required("spec.accessModes")] : checkAccessModes(modes, "spec.accessModes");
  causes.push(...checkCapacity(spec.capacity));
  if (policy && !RECLAIM_POLICIES.includes(policy)) {
    causes.push(notSupported("spec.persistentVolumeReclaimPolicy", policy, RECLAIM_POLICIES));
  }
  if (nodeAffinity) {
    causes.push(
      ...(nodeAffinity.required
        ? checkNodeSelector(nodeAffinity.required, "spec.nodeAffinity.required")
        : [required("spec.nodeAffinity.required", "must specify required node constraints")]),
    );
  }
  causes.push(...checkSources(spec));
  if (spec.hostPath && /^\/+$/.test(spec.hostPath.path) && policy === "Recycle") {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    causes.push(fieldForbidden("spec.persistentVolumeReclaimPolicy", detail));
  }
  if (storageClassName) {
    const messages = checkDns1123Subdomain(storageClassName);
    causes.push(...messages.map((message) => invalidValue("spec.storageClassName", storageClassName, message)));
  }
  if (volumeMode !== undefined && !VOLUME_MODES.includes(volumeMode)) {
    causes.push(notSupported("spec.volumeMode", volumeMode, VOLUME_MODES));
  }
  return causes;
}

const sourceOf = (spec: PersistentVolumeSpec = {}) =>
  Object.fromEntries(SOURCES.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));

/** Labels of nodes that have got new names: an affinity may follow. */
const STABLE_LABELS: Record<string, string> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

const renameLabels = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (name, member) => (name === "key" ? (STABLE_LABELS[member] ?? member) : member));

function validateUpdate(volume: PersistentVolume, old: PersistentVolume): StatusCause[] {
  const causes = [...validate(volume), ...validate(volume)];
  if (!isEqual(sourceOf(volume.spec), sourceOf(old.spec))) {
    const diff = diffInternal(old.spec, volume.spec, "PersistentVolumeSource");
    const why = `spec.persistentvolumesource is immutable after creation\n${diff}`;
    causes.push(fieldForbidden("spec.persistentvolumesource", why));
  }
  if (volume.spec?.volumeMode !== old.spec?.volumeMode) {
    causes.push(invalidValue("volumeMode", volume.spec?.volumeMode, FIELD_IMMUTABLE));
  }
  const { nodeAffinity } = volume.spec ?? {};
  const oldAffinity = old.spec?.nodeAffinity;
  if (oldAffinity && !isEqual(nodeAffinity, oldAffinity) && !isEqual(nodeAffinity, renameLabels(oldAffinity))) {
    const value = nodeAffinity ? renderInternal(nodeAffinity, "VolumeNodeAffinity") : null;
    causes.push(invalidValue("nodeAffinity", value, `${FIELD_IMMUTABLE}, except for updating from beta label to GA`));
  }
  return causes;
}

const RECYCLE_WARNING =
  "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";

/** Sources whose drivers have left Kubernetes, and as messages name them. */
const GONE_SOURCES = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

export const PERSISTENT_VOLUME_STRATEGY: Strategy<PersistentVolume> = {
  prepareForCreate: (volume) => {
    // Set by the caller just before: the moment of this request.
    volume.status = { phase: "Pending", lastPhaseTransitionTime: volume.metadata.creationTimestamp };
  },
  validate,
  validateUpdate,
  warnings: ({ spec }) => [
    ...(spec?.persistentVolumeReclaimPolicy === "Recycle" ? [RECYCLE_WARNING] : []),
    ...GONE_SOURCES.flatMap(([source, name, since]) =>
      spec?.[source] === undefined ? [] : [`spec.${name}: ${since}`],
    ),
  ],
  fields: ({ metadata }) => ({ name: metadata.name }),
};
