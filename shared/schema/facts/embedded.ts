/*
 * Structs that upstream's Go types embed in others: JSON does not show them, but the decoder's messages name them on the
 * way to a field (`spec.PersistentVolumeSource.nfs.server`).
 */
interface EmbeddedFacts {
  /** The embedded struct's name. */
  struct: string;
  /** Fields of the outer struct itself; all others are the embedded one's. */
  own: string[];
}

const LOCAL_OBJECT_REFERENCE = (...own: string[]): EmbeddedFacts => ({ struct: "LocalObjectReference", own });

/** By the outer struct, as messages call it. */
const EMBEDDED: Record<string, EmbeddedFacts> = {
  "v1.ConfigMapEnvSource": LOCAL_OBJECT_REFERENCE("optional"),
  "v1.ConfigMapKeySelector": LOCAL_OBJECT_REFERENCE("key", "optional"),
  "v1.ConfigMapProjection": LOCAL_OBJECT_REFERENCE("items", "optional"),
  "v1.ConfigMapVolumeSource": LOCAL_OBJECT_REFERENCE("items", "defaultMode", "optional"),
  "v1.DeviceAllocationConfiguration": { struct: "DeviceConfiguration", own: ["source", "requests"] },
  "v1.DeviceClaimConfiguration": { struct: "DeviceConfiguration", own: ["requests"] },
  "v1.DeviceClassConfiguration": { struct: "DeviceConfiguration", own: [] },
  "v1.EphemeralContainer": { struct: "EphemeralContainerCommon", own: ["targetContainerName"] },
  "v1.IngressRule": { struct: "IngressRuleValue", own: ["host"] },
  "v1.NamedRuleWithOperations": { struct: "RuleWithOperations", own: ["resourceNames"] },
  "v1.PersistentVolumeSpec": {
    struct: "PersistentVolumeSource",
    own: [
      "capacity",
      "accessModes",
      "claimRef",
      "persistentVolumeReclaimPolicy",
      "storageClassName",
      "mountOptions",
      "volumeMode",
      "nodeAffinity",
      "volumeAttributesClassName",
    ],
  },
  "v1.Probe": {
    struct: "ProbeHandler",
    own: [
      "initialDelaySeconds",
      "timeoutSeconds",
      "periodSeconds",
      "successThreshold",
      "failureThreshold",
      "terminationGracePeriodSeconds",
    ],
  },
  "v1.RuleWithOperations": { struct: "Rule", own: ["operations"] },
  "v1.SecretEnvSource": LOCAL_OBJECT_REFERENCE("optional"),
  "v1.SecretKeySelector": LOCAL_OBJECT_REFERENCE("key", "optional"),
  "v1.SecretProjection": LOCAL_OBJECT_REFERENCE("items", "optional"),
  "v1.Volume": { struct: "VolumeSource", own: ["name"] },
};

/** The embedded structs on the way from a struct to its field, outermost first; none for a field of its own. */
export function embeddedPath(goType: string, field: string): string[] {
  const facts = EMBEDDED[goType];
  if (!facts || facts.own.includes(field)) return [];
  return [facts.struct, ...embeddedPath(`v1.${facts.struct}`, field)];
}
