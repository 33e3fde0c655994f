import {
  duplicate,
  FIELD_IMMUTABLE,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain, checkQualifiedName } from "../../../../shared/api/names.ts";
import { parseQuantity } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { CSIDriver, CSINode, CSIStorageCapacity } from "../../../../shared/api/types.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { checkNotNegative } from "../counts.ts";
import { isEqual } from "../equality.ts";
import { checkLabelSelector } from "../label-selector.ts";
import { DEPRECATED_LABELS } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";

const MAX_DRIVER_NAME = 63;
const MAX_NODE_ID = 256;
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const MIN_UPDATE_SECONDS = 10;
const GROUP_POLICIES = ["File", "None", "ReadWriteOnceWithFSType"];
const LIFECYCLES = ["Persistent", "Ephemeral"];

export function checkDriverName(name: string | undefined, field: string): StatusCause[] {
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
    if (seen.has(audience)) return [duplicate(`${path}.audience`, audience)];
    seen.add(audience);
    const causes: StatusCause[] = [];
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
  if (spec.serviceAccountTokenInSecrets !== undefined && (spec.tokenRequests ?? []).length === 0) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    causes.push(invalidValue("spec.serviceAccountTokenInSecrets", spec.serviceAccountTokenInSecrets, detail));
  }
  return causes;
}

const TOKEN_WARNING =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

/** Behind the feature gate VolumeLimitScaling, which is off. */
const dropScaling = (spec: CSIDriver["spec"] | undefined) => delete spec?.preventPodSchedulingIfMissing;

export const CSI_DRIVER_STRATEGY: Strategy<CSIDriver> = {
  requiresResourceVersion: true,
  // Counted from the first change on; before that it is what the client says.
  tracksGeneration: false,
  prepareForCreate: ({ spec }) => dropScaling(spec),
  prepareForUpdate: ({ metadata, spec }, old) => {
    if (old.spec.preventPodSchedulingIfMissing === undefined) dropScaling(spec);
    if (!isEqual(spec, old.spec)) metadata.generation = (old.metadata.generation ?? 0) + 1;
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
  validateUpdate: ({ spec, ...driver }, old) => [
    ...checkDriver({ ...driver, spec }),
    ...(spec.attachRequired === old.spec.attachRequired
      ? []
      : [invalidValue("spec.attachedRequired", spec.attachRequired, FIELD_IMMUTABLE)]),
    ...(isEqual(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes)
      ? []
      : [invalidValue("spec.volumeLifecycleModes", spec.volumeLifecycleModes, FIELD_IMMUTABLE)]),
  ],
  warnings: ({ spec }, old) => {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
    if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return [];
    return old && isEqual(old.spec.tokenRequests, tokenRequests) ? [] : [TOKEN_WARNING];
  },
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
    if (key === "") causes.push(required(path));
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
  checksMetaAgain: true,
  checksMetaUpdateOnce: true,
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

const checkCapacity = ({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): StatusCause[] => [
  ...checkLabelSelector(nodeTopology, "nodeTopology"),
  ...checkDns1123Subdomain(storageClassName ?? "").map((message) =>
    invalidValue("storageClassName", storageClassName ?? "", message),
  ),
  ...(capacity === undefined ? [] : checkAmountNotNegative(capacity, "capacity")),
];

/** A claim's storage, or a driver's: no less than none. */
function checkAmountNotNegative(amount: string, field: string): StatusCause[] {
  return parseQuantity(amount).nanos < 0n ? [invalidValue(field, amount, "must be greater than or equal to 0")] : [];
}

export const CSI_STORAGE_CAPACITY_STRATEGY: Strategy<CSIStorageCapacity> = {
  checksMetaAgain: true,
  requiresResourceVersion: true,
  validate: checkCapacity,
  warnings: ({ nodeTopology }) => [
    ...(nodeTopology?.matchExpressions ?? []).flatMap(({ key }, index) => {
      const text = ownMember(DEPRECATED_LABELS, key);
      return text ? [`nodeTopology.matchExpressions[${index}].key: ${key} is ${text}`] : [];
    }),
    ...Object.keys(nodeTopology?.matchLabels ?? {}).flatMap((label) => {
      const text = ownMember(DEPRECATED_LABELS, label);
      return text ? [`nodeTopology.matchLabels.${label}: ${text}`] : [];
    }),
  ],
  validateUpdate: (capacity, old) => [
    ...checkCapacity(capacity),
    ...(isEqual(capacity.nodeTopology, old.nodeTopology)
      ? []
      : [invalidValue("nodeTopology", capacity.nodeTopology ?? null, FIELD_IMMUTABLE)]),
    ...(capacity.storageClassName === old.storageClassName
      ? []
      : [invalidValue("storageClassName", capacity.storageClassName ?? "", FIELD_IMMUTABLE)]),
  ],
};
