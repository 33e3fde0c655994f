import {
  duplicate,
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain, checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { CSIDriver, CSINode, CSIStorageCapacity, VolumeAttachment } from "../../../../shared/api/types.ts";
import { checkNotNegative } from "../counts.ts";
import { isEqual } from "../equality.ts";
import { checkLabelSelector } from "../label-selector.ts";
import type { Strategy } from "../strategy.ts";

const MAX_DRIVER_NAME = 63;
const MAX_NODE_ID = 256;
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const MIN_UPDATE_SECONDS = 10;
const GROUP_POLICIES = ["File", "None", "ReadWriteOnceWithFSType"];
const LIFECYCLES = ["Persistent", "Ephemeral"];

function checkDriverName(name: string | undefined, field: string): StatusCause[] {
  if (!name) return [required(field)];
  return [
    ...(name.length > MAX_DRIVER_NAME ? [tooLong(field, MAX_DRIVER_NAME)] : []),
    ...checkDns1123Subdomain(name.toLowerCase()).map((message) => invalidValue(field, name, message)),
  ];
}

function checkTokens({ tokenRequests }: CSIDriver["spec"]): StatusCause[] {
  const seen = new Set<string>();
  return (tokenRequests ?? []).flatMap(({ audience = "", expirationSeconds: seconds }, i) => {
    const path = `spec.tokenRequests[${i}]`;
    const causes = seen.has(audience) ? [duplicate(`${path}.audience`, audience)] : [];
    seen.add(audience);
    if (seconds === undefined) return causes;
    const field = `${path}.expirationSeconds`;
    if (seconds < MIN_TOKEN_SECONDS) {
      causes.push(invalidValue(field, seconds, "may not specify a duration less than 10 minutes"));
    }
    if (seconds > MAX_TOKEN_SECONDS) {
      causes.push(invalidValue(field, seconds, "may not specify a duration larger than 2^32 seconds"));
    }
    return causes;
  });
}

function checkDriver({ spec }: CSIDriver): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const name of ["attachRequired", "podInfoOnMount", "storageCapacity"] as const) {
    if (spec[name] === undefined)
      causes.push(required(name === "attachRequired" ? "spec.attachedRequired" : `spec.${name}`));
  }
  if (spec.fsGroupPolicy !== undefined && !GROUP_POLICIES.includes(spec.fsGroupPolicy)) {
    causes.push(notSupported("spec.fsGroupPolicy", spec.fsGroupPolicy, GROUP_POLICIES));
  }
  causes.push(...checkTokens(spec));
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!LIFECYCLES.includes(mode)) causes.push(notSupported("spec.volumeLifecycleModes", mode, LIFECYCLES));
  }
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < MIN_UPDATE_SECONDS) {
    const detail = `must be greater than or equal to ${MIN_UPDATE_SECONDS} seconds`;
    causes.push(invalidValue("spec.nodeAllocatableUpdatePeriodSeconds", period, detail));
  }
  return causes;
}

export const CSI_DRIVER_STRATEGY: Strategy<CSIDriver> = {
  requiresResourceVersion: true,
  tracksGeneration: true,
  // Counted from the first change on.
  prepareForCreate: ({ metadata }) => {
    delete metadata.generation;
  },
  applyDefaults: ({ spec }) => {
    if (!spec) return;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  validate: checkDriver,
  validateUpdate: ({ spec }, old) => [
    ...(spec.attachRequired === old.spec.attachRequired
      ? []
      : [invalidValue("spec.attachedRequired", spec.attachRequired, FIELD_IMMUTABLE)]),
    ...(isEqual(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes)
      ? []
      : [invalidValue("spec.volumeLifecycleModes", spec.volumeLifecycleModes, FIELD_IMMUTABLE)]),
    ...checkTokens(spec),
  ],
};

type NodeDriver = CSINode["spec"]["drivers"][number];

function checkNodeDriver(driver: NodeDriver, path: string, seen: Set<string>): StatusCause[] {
  const causes = checkDriverName(driver.name, `${path}.name`);
  if (!driver.nodeID) causes.push(required(`${path}.nodeID`));
  else if (driver.nodeID.length > MAX_NODE_ID) {
    causes.push(invalidValue(`${path}.nodeID`, driver.nodeID, `must be ${MAX_NODE_ID} characters or less`));
  }
  causes.push(...checkNotNegative(driver.allocatable?.count, `${path}.allocatable.count`));
  if (seen.has(driver.name)) causes.push(duplicate(`${path}.name`, driver.name));
  seen.add(driver.name);
  const keys = new Set<string>();
  for (const key of driver.topologyKeys ?? []) {
    if (keys.has(key)) causes.push(duplicate(path, key));
    keys.add(key);
    causes.push(...checkQualifiedName(key).map((message) => invalidValue(path, key, message)));
  }
  return causes;
}

function checkNodeDrivers({ spec }: CSINode): StatusCause[] {
  const seen = new Set<string>();
  return (spec?.drivers ?? []).flatMap((driver, i) => checkNodeDriver(driver, `spec.drivers[${i}]`, seen));
}

/** The internal type, as upstream prints it; how much a driver can take may change. */
const printNodeDriver = ({ name, nodeID, topologyKeys }: NodeDriver) => ({
  Name: name,
  NodeID: nodeID,
  TopologyKeys: topologyKeys ?? null,
  Allocatable: null,
});

export const CSI_NODE_STRATEGY: Strategy<CSINode> = {
  requiresResourceVersion: true,
  validate: checkNodeDrivers,
  validateUpdate: (node, old) => {
    const causes = checkNodeDrivers(node);
    for (const before of old.spec?.drivers ?? []) {
      for (const driver of (node.spec?.drivers ?? []).filter(({ name }) => name === before.name)) {
        if (isEqual(printNodeDriver(driver), printNodeDriver(before))) continue;
        causes.push(invalidValue("spec.drivers", printNodeDriver(driver), FIELD_IMMUTABLE));
      }
    }
    return causes;
  },
};

function checkAttachment({ spec }: VolumeAttachment): StatusCause[] {
  const { attacher, nodeName = "", source = {} } = spec ?? {};
  const { persistentVolumeName: volume, inlineVolumeSpec: inline } = source;
  const causes = checkDriverName(attacher, "spec.attacher");
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (volume === undefined && inline === undefined) causes.push(required("spec.source", one));
  else if (volume !== undefined && inline !== undefined) causes.push(fieldForbidden("spec.source", one));
  else if (volume === "") {
    causes.push(required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName"));
  }
  causes.push(...checkDns1123Subdomain(nodeName).map((message) => invalidValue("spec.nodeName", nodeName, message)));
  if (volume !== undefined) {
    const messages = checkDns1123Subdomain(volume);
    causes.push(...messages.map((message) => invalidValue("spec.source.persistentVolumeName", volume, message)));
  }
  return causes;
}

export const VOLUME_ATTACHMENT_STRATEGY: Strategy<VolumeAttachment> = {
  requiresResourceVersion: true,
  prepareForCreate: (attachment) => {
    attachment.status = { attached: false };
  },
  validate: checkAttachment,
  validateUpdate: (attachment, old) => [
    ...checkAttachment(attachment),
    ...(isEqual(attachment.spec, old.spec) ? [] : [invalidValue("spec", attachment.spec, FIELD_IMMUTABLE)]),
  ],
};

const checkCapacity = ({ nodeTopology, storageClassName }: CSIStorageCapacity): StatusCause[] => [
  ...checkLabelSelector(nodeTopology, "nodeTopology"),
  ...(storageClassName
    ? checkDns1123Subdomain(storageClassName).map((message) =>
        invalidValue("storageClassName", storageClassName, message),
      )
    : [required("storageClassName")]),
];

export const CSI_STORAGE_CAPACITY_STRATEGY: Strategy<CSIStorageCapacity> = {
  requiresResourceVersion: true,
  validate: checkCapacity,
  validateUpdate: (capacity, old) => [
    ...checkCapacity(capacity),
    ...(isEqual(capacity.nodeTopology, old.nodeTopology)
      ? []
      : [invalidValue("nodeTopology", capacity.nodeTopology ?? null, FIELD_IMMUTABLE)]),
    ...(capacity.storageClassName === old.storageClassName
      ? []
      : [invalidValue("storageClassName", capacity.storageClassName, FIELD_IMMUTABLE)]),
  ],
};
