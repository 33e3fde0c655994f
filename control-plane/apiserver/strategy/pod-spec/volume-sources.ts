import {
  inclusiveRange,
  invalidEach,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  AzureDiskVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from "../../../../shared/api/types.ts";
import { checkDescendingPath, checkNoBacksteps } from "./paths.ts";

/*
 * Sources of volumes that pods and PersistentVolumes share, or that have their own rules. `path` is the source's own.
 */

/** Fields that must not be empty, one cause each, in order. */
export const requireFields = (source: object, path: string, ...names: string[]): StatusCause[] =>
  names.flatMap((name) => {
    const value = (source as Record<string, unknown>)[name];
    const missing =
      value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
    return missing ? [required(`${path}.${name}`)] : [];
  });

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export function checkHostPath(source: HostPathVolumeSource, path: string): StatusCause[] {
  if (!source.path) return [required(`${path}.path`)];
  const causes = checkNoBacksteps(source.path, `${path}.path`);
  if (source.type !== undefined && !HOST_PATH_TYPES.includes(source.type)) {
    causes.push(notSupported(`${path}.type`, source.type, HOST_PATH_TYPES));
  }
  return causes;
}

export const checkGitRepo = (source: { repository?: string; directory?: string }, path: string): StatusCause[] => [
  ...requireFields(source, path, "repository"),
  ...checkDescendingPath(source.directory ?? "", `${path}.directory`),
];

export function checkNfs(source: NFSVolumeSource, path: string): StatusCause[] {
  const causes = requireFields(source, path, "server", "path");
  if (!(source.path ?? "").startsWith("/")) {
    causes.push(invalidValue(`${path}.path`, source.path ?? "", "must be an absolute path"));
  }
  return causes;
}

/** A GCE disk (`pdName`) or an AWS volume (`volumeID`). */
export function checkPartitionedDisk(
  source: { partition?: number },
  path: string,
  id: "pdName" | "volumeID",
): StatusCause[] {
  const causes = requireFields(source, path, id);
  const partition = source.partition ?? 0;
  if (partition < 0 || partition > 255) {
    causes.push(invalidValue(`${path}.partition`, partition, inclusiveRange(1, 255)));
  }
  return causes;
}

const IQN = /iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/;
const EUI = /^eui.[A-Za-z0-9]{16}$/;
const NAA = /^naa.[A-Za-z0-9]{32}$/;

export function checkInitiator(name: string, field: string, unknownPrefix: string): StatusCause[] {
  const pattern = name.startsWith("iqn")
    ? IQN
    : name.startsWith("eui")
      ? EUI
      : name.startsWith("naa")
        ? NAA
        : undefined;
  if (!pattern) return [invalidValue(field, name, unknownPrefix)];
  return pattern.test(name) ? [] : [invalidValue(field, name, "must be valid format")];
}

const INITIATOR_FORMATS = "must be valid format starting with iqn, eui, or naa";

export function checkIscsi(source: ISCSIVolumeSource, path: string): StatusCause[] {
  const causes = requireFields(source, path, "targetPortal");
  if (!source.iqn) causes.push(required(`${path}.iqn`));
  else causes.push(...checkInitiator(source.iqn, `${path}.iqn`, INITIATOR_FORMATS));
  const lun = source.lun ?? 0;
  if (lun < 0 || lun > 255) causes.push(invalidValue(`${path}.lun`, lun, inclusiveRange(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) {
    causes.push(required(`${path}.secretRef`));
  }
  if (source.initiatorName !== undefined) {
    causes.push(...checkInitiator(source.initiatorName, `${path}.initiatorname`, INITIATOR_FORMATS));
  }
  return causes;
}

export function checkFibreChannel(source: FCVolumeSource, path: string): StatusCause[] {
  const { targetWWNs = [], wwids = [], lun } = source;
  const field = `${path}.targetWWNs`;
  const causes: StatusCause[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) {
    causes.push(required(field, "must specify either targetWWNs or wwids, but not both"));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    causes.push(invalidValue(field, targetWWNs, "targetWWNs and wwids can not be specified simultaneously"));
  }
  if (targetWWNs.length > 0) {
    if (lun === undefined) causes.push(required(`${path}.lun`, "lun is required if targetWWNs is specified"));
    else if (lun < 0 || lun > 255) causes.push(invalidValue(`${path}.lun`, lun, inclusiveRange(0, 255)));
  }
  return causes;
}

export function checkQuobyte(source: QuobyteVolumeSource, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const rule = "must be a host:port pair or multiple pairs separated by commas";
  if (!source.registry) causes.push(required(`${path}.registry`, rule));
  else if ((source.tenant ?? "").length >= 65) {
    causes.push(required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    for (const pair of source.registry.split(",")) {
      if (!/^(\[[^\]]*\]|[^:]*):[^:]*$/.test(pair)) {
        causes.push(invalidValue(`${path}.registry`, source.registry, rule));
      }
    }
  }
  return [...causes, ...requireFields(source, path, "volume")];
}

export function checkFlocker(source: { datasetName?: string; datasetUUID?: string }, path: string): StatusCause[] {
  const { datasetName = "", datasetUUID = "" } = source;
  const causes: StatusCause[] = [];
  if (!datasetName && !datasetUUID) causes.push(required(path, "one of datasetName and datasetUUID is required"));
  if (datasetName && datasetUUID) {
    causes.push(invalidValue(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  }
  if (datasetName.includes("/")) {
    causes.push(invalidValue(`${path}.datasetName`, datasetName, "must not contain '/'"));
  }
  return causes;
}

export function checkFlex(source: Pick<FlexVolumeSource, "driver" | "options">, path: string): StatusCause[] {
  const causes = requireFields(source, path, "driver");
  for (const key of Object.keys(source.options ?? {})) {
    if (/\.(kubernetes|k8s)\.io$/.test(`.${(key.split("/", 2)[0] ?? "").toLowerCase()}`)) {
      causes.push(invalidValue(`${path}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved"));
    }
  }
  return causes;
}

export function checkAzureDisk(source: AzureDiskVolumeSource, path: string): StatusCause[] {
  const causes = requireFields(source, path, "diskName", "diskURI");
  const { cachingMode, kind, diskURI = "" } = source;
  const oneOf = (field: string, value: string | undefined, supported: string[]) => {
    if (value !== undefined && !supported.includes(value)) {
      causes.push(notSupported(`${path}.${field}`, value, supported));
    }
  };
  oneOf("cachingMode", cachingMode, ["None", "ReadOnly", "ReadWrite"]);
  oneOf("kind", kind, ["Dedicated", "Managed", "Shared"]);
  if (kind === "Managed" && !diskURI.startsWith("/subscriptions/")) {
    const form = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    causes.push(notSupported(`${path}.diskURI`, diskURI, [form]));
  }
  if (kind !== undefined && kind !== "Managed" && !diskURI.startsWith("https://")) {
    const form = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    causes.push(notSupported(`${path}.diskURI`, diskURI, [form]));
  }
  return causes;
}

export function checkStorageOs(
  source: Pick<StorageOSVolumeSource, "volumeName" | "volumeNamespace" | "secretRef">,
  path: string,
): StatusCause[] {
  const { volumeName, volumeNamespace, secretRef } = source;
  const causes = volumeName
    ? invalidEach(`${path}.volumeName`, volumeName, checkDns1123Label(volumeName))
    : [required(`${path}.volumeName`)];
  if (volumeNamespace) {
    causes.push(...invalidEach(`${path}.volumeNamespace`, volumeNamespace, checkDns1123Label(volumeNamespace)));
  }
  if (secretRef && !secretRef.name) causes.push(required(`${path}.secretRef.name`));
  return causes;
}

const MAX_DRIVER_NAME = 63;

/** Names of CSI drivers are compared without regard to case. */
export function checkCsiDriverName(name: string | undefined, field: string): StatusCause[] {
  if (!name) return [required(field)];
  const long = name.length > MAX_DRIVER_NAME ? [tooLong(field, MAX_DRIVER_NAME)] : [];
  return [...long, ...invalidEach(field, name, checkDns1123Subdomain(name.toLowerCase()))];
}

export function checkCsi(source: CSIVolumeSource, path: string): StatusCause[] {
  const causes = checkCsiDriverName(source.driver, `${path}.driver`);
  const secret = source.nodePublishSecretRef;
  if (secret && !secret.name) causes.push(required(`${path}.nodePublishSecretRef.name`));
  else if (secret?.name) causes.push(...invalidEach(`${path}.name`, secret.name, checkDns1123Subdomain(secret.name)));
  return causes;
}
