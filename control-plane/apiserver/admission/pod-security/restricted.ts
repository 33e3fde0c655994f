import type { Container, Volume } from "../../../../shared/api/types.ts";
import { isUnconfined, seccompProfile } from "./baseline.ts";
import {
  type Check,
  containersOf,
  distinct,
  hasUserNamespace,
  isWindows,
  namesWhere,
  plural,
  printContainers,
  printSetters,
  quoteAll,
} from "./check.ts";

/*
 * The rules that the level `restricted` adds: pods hardened as is best practice. See
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */

export const allowPrivilegeEscalation: Check = ({ spec }) => {
  const names = namesWhere(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  const detail = `${printContainers(names)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: "allowPrivilegeEscalation != false", detail };
};

export const capabilities: Check = ({ spec }) => {
  const added = ({ securityContext }: Container) =>
    (securityContext?.capabilities?.add ?? []).filter((name) => name !== "NET_BIND_SERVICE");
  const keeping = namesWhere(spec, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"));
  const adding = containersOf(spec).filter((container) => added(container).length > 0);
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${printContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const names = printContainers(adding.map(({ name }) => name));
    const forbidden = quoteAll(distinct(adding.flatMap(added)));
    details.push(`${names} must not include ${forbidden} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

/** Volumes that are on the node or the network. */
const RESTRICTED_VOLUMES = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
] as const satisfies (keyof Volume)[];

const ALLOWED_VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const satisfies (keyof Volume)[];

export const volumeTypes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !ALLOWED_VOLUMES.some((type) => volume[type]));
  if (bad.length === 0) return undefined;
  const typeOf = (volume: Volume) => RESTRICTED_VOLUMES.find((type) => volume[type]) ?? "unknown";
  const types = distinct(bad.map(typeOf));
  const names = `${plural(bad.length, "volume")} ${quoteAll(bad.map(({ name }) => name))}`;
  const detail = `${names} ${plural(bad.length, "uses", "use")} ${plural(types.length, "restricted volume type")} ${quoteAll(types)}`;
  return { reason: "restricted volume types", detail };
};

export const runAsNonRoot: Check = ({ spec }) => {
  const reason = "runAsNonRoot != true";
  const ofPod = spec.securityContext?.runAsNonRoot;
  const rooted = namesWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const setters = printSetters(ofPod === false, rooted);
  if (setters !== "") return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const silent = namesWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${printContainers(silent)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: Check = ({ spec }) => {
  const names = namesWhere(spec, ({ securityContext }) => securityContext?.runAsUser === 0);
  const setters = printSetters(spec.securityContext?.runAsUser === 0, names);
  return setters === "" ? undefined : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
};

export const seccompProfileSet: Check = (pod) => {
  const { spec } = pod;
  const violation = seccompProfile(pod);
  if (violation) return violation;
  const podType = spec.securityContext?.seccompProfile?.type;
  if (podType !== undefined && !isUnconfined(podType)) return undefined;
  const silent = namesWhere(spec, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  const detail = `pod or ${printContainers(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: "seccompProfile", detail };
};

/** Windows has neither capabilities nor seccomp, so that its pods cannot set them. */
export const exceptOnWindows =
  (check: Check): Check =>
  (pod) =>
    isWindows(pod.spec) ? undefined : check(pod);

export const outsideUserNamespaces =
  (check: Check): Check =>
  (pod) =>
    hasUserNamespace(pod.spec) ? undefined : check(pod);
