import {
  fieldForbidden,
  inclusiveRange,
  invalidEach,
  invalidValue,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  PersistentVolumeSpec,
} from "../../../../shared/api/types.ts";
import { checkNoBacksteps } from "../pod-spec/paths.ts";
import {
  checkAzureDisk,
  checkCsiDriverName,
  checkFibreChannel,
  checkFlex,
  checkFlocker,
  checkHostPath,
  checkInitiator,
  checkNfs,
  checkPartitionedDisk,
  checkQuobyte,
  checkStorageOs,
  requireFields,
} from "../pod-spec/volume-sources.ts";

/** `path` is the source's own; `volumeName` the name of the PersistentVolume. */
type SourceCheck<Name extends keyof PersistentVolumeSpec> = (
  source: NonNullable<PersistentVolumeSpec[Name]>,
  path: string,
  volumeName: string,
) => StatusCause[];

/** Secrets of volumes that belong to no namespace name one. */
const requireSecret = (secret: object | undefined, path: string): StatusCause[] =>
  secret ? requireFields(secret, `${path}.secretRef`, "name", "namespace") : [];

function checkGlusterfs(source: GlusterfsPersistentVolumeSource, path: string): StatusCause[] {
  const causes = requireFields(source, path, "endpoints", "path");
  const { endpointsNamespace: namespace } = source;
  const field = `${path}.endpointsNamespace`;
  if (namespace === "") {
    const rule = "if the endpointnamespace is set, it must be a valid namespace name";
    causes.push(invalidValue(field, namespace, rule));
  } else if (namespace !== undefined) causes.push(...invalidEach(field, namespace, checkDns1123Label(namespace)));
  return causes;
}

const MAX_PORTAL_LENGTH = 64;
const INITIATOR = "must be valid format";

function checkIscsi(source: ISCSIPersistentVolumeSource, path: string, volumeName: string): StatusCause[] {
  const causes = requireFields(source, path, "targetPortal");
  const { initiatorName, targetPortal = "", iqn, lun = 0, secretRef } = source;
  if (initiatorName !== undefined && `${volumeName}:${targetPortal}`.length > MAX_PORTAL_LENGTH) {
    const rule = `Total length of <volume name>:<iscsi.targetPortal> must be under ${MAX_PORTAL_LENGTH} characters if iscsi.initiatorName is specified.`;
    causes.push(invalidValue(`${path}.targetportal`, targetPortal, rule));
  }
  if (!iqn) causes.push(required(`${path}.iqn`));
  else causes.push(...checkInitiator(iqn, `${path}.iqn`, INITIATOR));
  if (lun < 0 || lun > 255) causes.push(invalidValue(`${path}.lun`, lun, inclusiveRange(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !secretRef) causes.push(required(`${path}.secretRef`));
  if (secretRef) causes.push(...requireFields(secretRef, `${path}.secretRef`, "name"));
  if (initiatorName !== undefined) causes.push(...checkInitiator(initiatorName, `${path}.initiatorname`, INITIATOR));
  return causes;
}

function checkCsi(source: CSIPersistentVolumeSource, path: string): StatusCause[] {
  const causes = [
    ...checkCsiDriverName(source.driver, `${path}.driver`),
    ...requireFields(source, path, "volumeHandle"),
  ];
  // The one of staging is left unchecked upstream.
  for (const name of [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const) {
    const secret = source[name];
    if (!secret) continue;
    const check = (field: "name" | "namespace", rule: (text: string) => string[]) => {
      const value = secret[field];
      const at = `${path}.${name}.${field}`;
      causes.push(...(value ? invalidEach(at, value, rule(value)) : [required(at)]));
    };
    check("name", checkDns1123Subdomain);
    check("namespace", checkDns1123Label);
  }
  return causes;
}

/** The source is set by any value but null; upstream's order, in which the first that is set is checked. */
const SOURCES: { [Name in keyof PersistentVolumeSpec]?: SourceCheck<Name> } = {
  hostPath: checkHostPath,
  gcePersistentDisk: (source, path) => checkPartitionedDisk(source, path.replace("gceP", "p"), "pdName"),
  awsElasticBlockStore: (source, path) => checkPartitionedDisk(source, path, "volumeID"),
  glusterfs: checkGlusterfs,
  flocker: checkFlocker,
  nfs: checkNfs,
  rbd: (source, path) => requireFields(source, path, "monitors", "image"),
  quobyte: checkQuobyte,
  cephfs: (source, path) => requireFields(source, path, "monitors"),
  iscsi: checkIscsi,
  cinder: (source, path) => [...requireFields(source, path, "volumeID"), ...requireSecret(source.secretRef, path)],
  fc: checkFibreChannel,
  flexVolume: checkFlex,
  azureFile: (source, path) => [
    ...requireFields(source, path, "secretName", "shareName"),
    ...(source.secretNamespace === "" ? [required(`${path}.secretNamespace`)] : []),
  ],
  vsphereVolume: (source, path) => requireFields(source, path, "volumePath"),
  photonPersistentDisk: (source, path) => requireFields(source, path, "pdID"),
  portworxVolume: (source, path) => requireFields(source, path, "volumeID"),
  azureDisk: checkAzureDisk,
  scaleIO: (source, path) => requireFields(source, path, "gateway", "system", "volumeName"),
  local: (source, path) => (source.path ? checkNoBacksteps(source.path, `${path}.path`) : [required(`${path}.path`)]),
  storageos: (source, path) => [
    ...checkStorageOs(source, path),
    ...(source.secretRef ? requireFields(source.secretRef, `${path}.secretRef`, "namespace") : []),
  ],
  csi: checkCsi,
};

export const SOURCE_NAMES = Object.keys(SOURCES) as (keyof PersistentVolumeSpec)[];

/** There must be exactly one source, and it must be valid. */
export function checkVolumeSource(spec: PersistentVolumeSpec, path: string, volumeName: string): StatusCause[] {
  const causes: StatusCause[] = [];
  let count = 0;
  for (const name of SOURCE_NAMES) {
    if (spec[name] === undefined) continue;
    // Upstream looks at a flexVolume whatever else there is.
    if (count > 0 && name !== "flexVolume") {
      const field = name === "cephfs" ? "cephFS" : name;
      causes.push(fieldForbidden(`${path}.${field}`, "may not specify more than 1 volume type"));
      continue;
    }
    count++;
    const check = SOURCES[name] as SourceCheck<typeof name>;
    causes.push(...check(spec[name] as never, `${path}.${name}`, volumeName));
    if (name === "local" && !spec.nodeAffinity) {
      causes.push(required(`${path}.nodeAffinity`, "Local volume requires node affinity"));
    }
  }
  return count > 0 ? causes : [required(path, "must specify a volume type")];
}
