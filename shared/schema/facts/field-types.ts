import type { Definitions } from "../model.ts";

/*
 * Types that the client library flattens: quantities are strings to it, and free-form values anything. By Go package,
 * a line is a definition and its fields.
 */

/** Quantities, or maps or lists of them. */
export const QUANTITY_FIELDS: Record<string, string> = {
  "io.k8s.api.autoscaling.v2": `
    HPAScalingRules tolerance
    MetricTarget averageValue value
    MetricValueStatus averageValue value
  `,
  "io.k8s.api.core.v1": `
    ContainerStatus allocatedResources
    EmptyDirVolumeSource sizeLimit
    LimitRangeItem default defaultRequest max maxLimitRequestRatio min
    NodeAllocatableResourceClaimStatus resources
    NodeStatus allocatable capacity
    PersistentVolumeClaimStatus allocatedResources capacity
    PersistentVolumeSpec capacity
    PodSpec overhead
    PodStatus allocatedResources
    ResourceFieldSelector divisor
    ResourceQuotaSpec hard
    ResourceQuotaStatus hard used
    ResourceRequirements limits requests
    VolumeResourceRequirements limits requests
  `,
  "io.k8s.api.node.v1": `
    Overhead podFixed
  `,
  "io.k8s.api.resource.v1": `
    CapacityRequestPolicy default validValues
    CapacityRequestPolicyRange max min step
    CapacityRequirements requests
    Counter value
    DeviceCapacity value
    DeviceRequestAllocationResult consumedCapacity
    NodeAllocatableResourceMapping allocationMultiplier
  `,
  "io.k8s.api.storage.v1": `
    CSIStorageCapacity capacity maximumVolumeSize
  `,
};

/** `field=<definition of OPAQUE_DEFINITIONS, by its last word>`; maps and lists of them too. */
export const OPAQUE_FIELDS: Record<string, string> = {
  "io.k8s.api.apps.v1": `
    ControllerRevision data=RawExtension
  `,
  "io.k8s.api.resource.v1": `
    AllocatedDeviceStatus data=RawExtension
    OpaqueDeviceConfiguration parameters=RawExtension
  `,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1": `
    CustomResourceSubresources status=CustomResourceSubresourceStatus
    JSONSchemaProps additionalItems=JSONSchemaPropsOrBool additionalProperties=JSONSchemaPropsOrBool default=JSON dependencies=JSONSchemaPropsOrStringArray enum=JSON example=JSON items=JSONSchemaPropsOrArray
  `,
  "io.k8s.apimachinery.pkg.apis.meta.v1": `
    ManagedFieldsEntry fieldsV1=FieldsV1
    WatchEvent object=RawExtension
  `,
};

const FREE_FORM = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Definitions that are no structs: they read and print themselves. */
export const OPAQUE_DEFINITIONS: Definitions = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "string", format: "quantity" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: "string", format: "int-or-string" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object", preserveUnknownFields: true },
  [`${META}.Time`]: { type: "string", format: "date-time" },
  [`${META}.MicroTime`]: { type: "string", format: "micro-time" },
  [`${META}.FieldsV1`]: { type: "object", preserveUnknownFields: true },
  [`${META}.Patch`]: { type: "object", preserveUnknownFields: true },
  [`${FREE_FORM}.CustomResourceSubresourceStatus`]: { type: "object", preserveUnknownFields: true },
  [`${FREE_FORM}.JSON`]: { preserveUnknownFields: true },
  [`${FREE_FORM}.JSONSchemaPropsOrArray`]: { preserveUnknownFields: true },
  [`${FREE_FORM}.JSONSchemaPropsOrBool`]: { preserveUnknownFields: true },
  [`${FREE_FORM}.JSONSchemaPropsOrStringArray`]: { preserveUnknownFields: true },
};
