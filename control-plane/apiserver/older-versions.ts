import type { GroupVersionKind } from "../../shared/api/group-resource.ts";

/*
 * Versions that are no longer served, but that upstream's scheme still knows, and the kinds of each: a body that claims
 * to be one of them is told so instead of being unknown. Every kind has a list too.
 */
const OLDER: Record<string, string> = {
  "admissionregistration.k8s.io/v1alpha1":
    "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/v1beta1":
    "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
  "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition",
  "apiregistration.k8s.io/v1beta1": "APIService",
  "apps/v1beta1": "ControllerRevision Deployment Scale StatefulSet",
  "apps/v1beta2": "ControllerRevision DaemonSet Deployment ReplicaSet Scale StatefulSet",
  "authentication.k8s.io/v1alpha1": "SelfSubjectReview",
  "authentication.k8s.io/v1beta1": "SelfSubjectReview TokenReview",
  "authorization.k8s.io/v1beta1":
    "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  "batch/v1beta1": "CronJob",
  "certificates.k8s.io/v1beta1": "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
  "coordination.k8s.io/v1beta1": "Lease LeaseCandidate",
  "discovery.k8s.io/v1beta1": "EndpointSlice",
  "events.k8s.io/v1beta1": "Event",
  "extensions/v1beta1": "DaemonSet Deployment Ingress NetworkPolicy ReplicaSet Scale",
  "flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration",
  "flowcontrol.apiserver.k8s.io/v1beta2": "FlowSchema PriorityLevelConfiguration",
  "flowcontrol.apiserver.k8s.io/v1beta3": "FlowSchema PriorityLevelConfiguration",
  "networking.k8s.io/v1beta1": "IPAddress Ingress IngressClass ServiceCIDR",
  "node.k8s.io/v1alpha1": "RuntimeClass",
  "node.k8s.io/v1beta1": "RuntimeClass",
  "policy/v1beta1": "Eviction PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1alpha1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "rbac.authorization.k8s.io/v1beta1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "resource.k8s.io/v1beta1": "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
  "resource.k8s.io/v1beta2": "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice",
  "scheduling.k8s.io/v1beta1": "PriorityClass",
  "storage.k8s.io/v1alpha1": "CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
  "storage.k8s.io/v1beta1": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
};

/** Whether a kind, or its list, is one of a version that is known though it is not served. */
export function isOlderKind({ group, version, kind }: GroupVersionKind): boolean {
  return (OLDER[`${group}/${version}`] ?? "").split(" ").includes(kind.replace(/List$/, ""));
}
