import { FIELD_IMMUTABLE, fieldForbidden, invalidValue } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import { canonicalTime } from "../../../../shared/api/timestamp.ts";
import type { PersistentVolume, PersistentVolumeSpec } from "../../../../shared/api/types.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { isEqual } from "../equality.ts";
import { diffInternal, renderInternal } from "../internal-form/index.ts";
import { nodeTermWarnings } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";
import { SOURCE_NAMES } from "./volume-sources.ts";
import { checkVolumeSpec } from "./volume-spec.ts";

const MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options";
/** Sources whose drivers mount with the options of the annotation. */
const WITH_MOUNT_OPTIONS = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;

const checkSpec = ({ metadata, spec = {} }: PersistentVolume) => checkVolumeSpec(spec, "spec", metadata.name);

function validate(volume: PersistentVolume): StatusCause[] {
  const causes = checkSpec(volume);
  const mountsWithOptions = WITH_MOUNT_OPTIONS.some((name) => volume.spec?.[name] !== undefined);
  if (!mountsWithOptions && volume.metadata.annotations?.[MOUNT_OPTIONS] !== undefined) {
    const field = `metadata.annotations.${MOUNT_OPTIONS}`;
    causes.push(fieldForbidden(field, "may not specify mount options for this volume type"));
  }
  return causes;
}

function sourceOf(spec: PersistentVolumeSpec = {}) {
  return Object.fromEntries(SOURCE_NAMES.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}

/** A driver that is to resize a volume may be given the secret for it later on. */
function withoutNewExpandSecret(spec: PersistentVolumeSpec = {}, old: PersistentVolumeSpec = {}): PersistentVolumeSpec {
  if (!spec.csi?.controllerExpandSecretRef || !old.csi || old.csi.controllerExpandSecretRef) return spec;
  const { controllerExpandSecretRef: _new, ...csi } = spec.csi;
  return { ...spec, csi };
}

/** Labels of nodes that have got new names: an affinity may follow. */
const STABLE_LABELS: Record<string, string> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/**
 * The old affinity with every key renamed that `now` has renamed in its place. A label that has no new name may be left
 * empty: upstream looks its new name up and gets "".
 */
function withNewLabels(old: unknown, now: unknown): unknown {
  if (Array.isArray(old))
    return old.map((item, index) => withNewLabels(item, Array.isArray(now) ? now[index] : undefined));
  if (typeof old !== "object" || old === null) return old;
  const other = (now ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(old).map(([name, value]) => {
      if (name !== "key") return [name, withNewLabels(value, other[name])];
      return [name, (ownMember(STABLE_LABELS, value) ?? "") === (other[name] ?? "") ? other[name] : value];
    }),
  );
}

function validateUpdate(volume: PersistentVolume, old: PersistentVolume): StatusCause[] {
  const causes = [...validate(volume), ...checkSpec(volume)];
  const spec = withoutNewExpandSecret(volume.spec, old.spec);
  if (!isEqual(sourceOf(spec), sourceOf(old.spec))) {
    const diff = diffInternal(old.spec, spec, "PersistentVolumeSource");
    const why = `spec.persistentvolumesource is immutable after creation\n${diff}`;
    causes.push(fieldForbidden("spec.persistentvolumesource", why));
  }
  if (spec.volumeMode !== old.spec?.volumeMode) {
    causes.push(invalidValue("volumeMode", spec.volumeMode, FIELD_IMMUTABLE));
  }
  const { nodeAffinity } = spec;
  const oldAffinity = old.spec?.nodeAffinity;
  if (oldAffinity && !isEqual(nodeAffinity, withNewLabels(oldAffinity, nodeAffinity))) {
    const value = nodeAffinity ? renderInternal(nodeAffinity, "VolumeNodeAffinity") : null;
    causes.push(invalidValue("nodeAffinity", value, `${FIELD_IMMUTABLE}, except for updating from beta label to GA`));
  }
  if (old.spec?.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    const why = "update from non-nil value to nil is forbidden";
    causes.push(fieldForbidden("spec.volumeAttributesClassName", why));
  }
  return causes;
}

/** The moment of a change of phase is the server's, unless the client names another one. */
function prepareForStatusUpdate({ status = {}, ...volume }: PersistentVolume, old: PersistentVolume, nowMs: number) {
  const before = old.status?.lastPhaseTransitionTime;
  if ((status.phase ?? "") === (old.status?.phase ?? "")) status.lastPhaseTransitionTime ??= before;
  else if (status.lastPhaseTransitionTime === undefined || status.lastPhaseTransitionTime === before) {
    status.lastPhaseTransitionTime = canonicalTime(new Date(nowMs).toISOString());
  }
  return { ...volume, status };
}

const DEPRECATED_ANNOTATIONS = {
  "volume.beta.kubernetes.io/storage-class": 'deprecated since v1.8; use "storageClassName" attribute instead',
  [MOUNT_OPTIONS]: 'deprecated since v1.31; use "mountOptions" attribute instead',
};

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

function warnings({ metadata, spec }: PersistentVolume): string[] {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return [
    ...Object.entries(DEPRECATED_ANNOTATIONS).flatMap(([name, text]) =>
      metadata.annotations?.[name] === undefined ? [] : [`metadata.annotations[${name}]: ${text}`],
    ),
    ...(spec?.persistentVolumeReclaimPolicy === "Recycle" ? [RECYCLE_WARNING] : []),
    ...terms.flatMap((term, index) =>
      nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, false),
    ),
    ...GONE_SOURCES.flatMap(([source, name, since]) =>
      spec?.[source] === undefined ? [] : [`spec.${name}: ${since}`],
    ),
  ];
}

export const PERSISTENT_VOLUME_STRATEGY: Strategy<PersistentVolume> = {
  checksMetaAgain: 2,
  checksMetaUpdateOnce: true,
  // Not of every PersistentVolumeSpec: an attachment's inline volume has none of them.
  applyDefaults: (volume) => {
    volume.spec ??= {};
    volume.spec.persistentVolumeReclaimPolicy ||= "Retain";
    volume.spec.volumeMode ??= "Filesystem";
  },
  prepareForCreate: (volume) => {
    // Set by the caller just before: the moment of this request.
    volume.status = { phase: "Pending", lastPhaseTransitionTime: volume.metadata.creationTimestamp };
  },
  validate,
  validateUpdate,
  prepareForStatusUpdate: (volume, old, nowMs) => {
    Object.assign(volume, prepareForStatusUpdate(volume, old, nowMs));
  },
  warnings,
  fields: ({ metadata }) => ({ name: metadata.name }),
};
