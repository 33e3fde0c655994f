/*
 * Fields whose defaults upstream's types are marked with, so that its documents show them; a line is a definition of
 * that package and its fields. The values are those of the schema, or else zero.
 */
const MARKED: Record<string, string> = {
  "io.k8s.api.autoscaling.v1": "ScaleSpec replicas",
  "io.k8s.api.core.v1": `
    AzureDiskVolumeSource cachingMode fsType kind readOnly
    ConfigMapEnvSource name
    ConfigMapKeySelector name
    ConfigMapProjection name
    ConfigMapVolumeSource name
    ContainerPort protocol
    FileKeySelector optional
    GRPCAction service
    ISCSIPersistentVolumeSource iscsiInterface
    ISCSIVolumeSource iscsiInterface
    LocalObjectReference name
    RBDPersistentVolumeSource keyring pool user
    RBDVolumeSource keyring pool user
    ReplicationControllerSpec minReadySeconds replicas
    ScaleIOPersistentVolumeSource fsType storageMode
    ScaleIOVolumeSource fsType storageMode
    SecretEnvSource name
    SecretKeySelector name
    SecretProjection name
    ServicePort protocol
  `,
  "io.k8s.api.resource.v1": "DeviceToleration operator",
};

let marked: Set<string> | undefined;

/** Whether the default of a definition's field is shown though JSON does not always write the field. */
export function isMarkedDefault(definition: string, field: string): boolean {
  marked ??= new Set(
    Object.entries(MARKED).flatMap(([goPackage, text]) =>
      text.split("\n").flatMap((line) => {
        const [name, ...fields] = line.trim().split(" ");
        return fields.map((each) => `${goPackage}.${name} ${each}`);
      }),
    ),
  );
  return marked.has(`${definition} ${field}`);
}
