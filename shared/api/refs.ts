import type { ResourceRef } from "../client/api-client.ts";

/*
 * One constant a built-in resource, for calls of the API client: `api.list(PODS, { namespace })`. The words are those
 * of the resource's kind, in the plural. Facts about the resources (verbs, short names …) are in shared/schema.
 */

function ref(groupVersion: string, resource: string, kind: string, namespaced: boolean): ResourceRef {
  const slash = groupVersion.indexOf("/");
  return {
    group: groupVersion.slice(0, Math.max(slash, 0)),
    version: groupVersion.slice(slash + 1),
    resource,
    kind,
    namespaced,
  };
}

const namespaced = (groupVersion: string, resource: string, kind: string) => ref(groupVersion, resource, kind, true);
const clusterScoped = (groupVersion: string, resource: string, kind: string) =>
  ref(groupVersion, resource, kind, false);

export const BINDINGS = namespaced("v1", "bindings", "Binding");
export const COMPONENT_STATUSES = clusterScoped("v1", "componentstatuses", "ComponentStatus");
export const CONFIG_MAPS = namespaced("v1", "configmaps", "ConfigMap");
export const ENDPOINTS = namespaced("v1", "endpoints", "Endpoints");
export const EVENTS = namespaced("v1", "events", "Event");
export const LIMIT_RANGES = namespaced("v1", "limitranges", "LimitRange");
export const NAMESPACES = clusterScoped("v1", "namespaces", "Namespace");
export const NODES = clusterScoped("v1", "nodes", "Node");
export const PERSISTENT_VOLUME_CLAIMS = namespaced("v1", "persistentvolumeclaims", "PersistentVolumeClaim");
export const PERSISTENT_VOLUMES = clusterScoped("v1", "persistentvolumes", "PersistentVolume");
export const PODS = namespaced("v1", "pods", "Pod");
export const POD_TEMPLATES = namespaced("v1", "podtemplates", "PodTemplate");
export const REPLICATION_CONTROLLERS = namespaced("v1", "replicationcontrollers", "ReplicationController");
export const RESOURCE_QUOTAS = namespaced("v1", "resourcequotas", "ResourceQuota");
export const SECRETS = namespaced("v1", "secrets", "Secret");
export const SERVICE_ACCOUNTS = namespaced("v1", "serviceaccounts", "ServiceAccount");
export const SERVICES = namespaced("v1", "services", "Service");
export const API_SERVICES = clusterScoped("apiregistration.k8s.io/v1", "apiservices", "APIService");
export const CONTROLLER_REVISIONS = namespaced("apps/v1", "controllerrevisions", "ControllerRevision");
export const DAEMON_SETS = namespaced("apps/v1", "daemonsets", "DaemonSet");
export const DEPLOYMENTS = namespaced("apps/v1", "deployments", "Deployment");
export const REPLICA_SETS = namespaced("apps/v1", "replicasets", "ReplicaSet");
export const STATEFUL_SETS = namespaced("apps/v1", "statefulsets", "StatefulSet");
export const EVENTS_V1 = namespaced("events.k8s.io/v1", "events", "Event");
export const SELF_SUBJECT_REVIEWS = clusterScoped(
  "authentication.k8s.io/v1",
  "selfsubjectreviews",
  "SelfSubjectReview",
);
export const TOKEN_REVIEWS = clusterScoped("authentication.k8s.io/v1", "tokenreviews", "TokenReview");
export const LOCAL_SUBJECT_ACCESS_REVIEWS = namespaced(
  "authorization.k8s.io/v1",
  "localsubjectaccessreviews",
  "LocalSubjectAccessReview",
);
export const SELF_SUBJECT_ACCESS_REVIEWS = clusterScoped(
  "authorization.k8s.io/v1",
  "selfsubjectaccessreviews",
  "SelfSubjectAccessReview",
);
export const SELF_SUBJECT_RULES_REVIEWS = clusterScoped(
  "authorization.k8s.io/v1",
  "selfsubjectrulesreviews",
  "SelfSubjectRulesReview",
);
export const SUBJECT_ACCESS_REVIEWS = clusterScoped(
  "authorization.k8s.io/v1",
  "subjectaccessreviews",
  "SubjectAccessReview",
);
export const HORIZONTAL_POD_AUTOSCALERS = namespaced(
  "autoscaling/v2",
  "horizontalpodautoscalers",
  "HorizontalPodAutoscaler",
);
export const HORIZONTAL_POD_AUTOSCALERS_V1 = namespaced(
  "autoscaling/v1",
  "horizontalpodautoscalers",
  "HorizontalPodAutoscaler",
);
export const CRON_JOBS = namespaced("batch/v1", "cronjobs", "CronJob");
export const JOBS = namespaced("batch/v1", "jobs", "Job");
export const CERTIFICATE_SIGNING_REQUESTS = clusterScoped(
  "certificates.k8s.io/v1",
  "certificatesigningrequests",
  "CertificateSigningRequest",
);
export const INGRESS_CLASSES = clusterScoped("networking.k8s.io/v1", "ingressclasses", "IngressClass");
export const INGRESSES = namespaced("networking.k8s.io/v1", "ingresses", "Ingress");
export const IP_ADDRESSES = clusterScoped("networking.k8s.io/v1", "ipaddresses", "IPAddress");
export const NETWORK_POLICIES = namespaced("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy");
export const SERVICE_CIDRS = clusterScoped("networking.k8s.io/v1", "servicecidrs", "ServiceCIDR");
export const POD_DISRUPTION_BUDGETS = namespaced("policy/v1", "poddisruptionbudgets", "PodDisruptionBudget");
export const CLUSTER_ROLE_BINDINGS = clusterScoped(
  "rbac.authorization.k8s.io/v1",
  "clusterrolebindings",
  "ClusterRoleBinding",
);
export const CLUSTER_ROLES = clusterScoped("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole");
export const ROLE_BINDINGS = namespaced("rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding");
export const ROLES = namespaced("rbac.authorization.k8s.io/v1", "roles", "Role");
export const CSI_DRIVERS = clusterScoped("storage.k8s.io/v1", "csidrivers", "CSIDriver");
export const CSI_NODES = clusterScoped("storage.k8s.io/v1", "csinodes", "CSINode");
export const CSI_STORAGE_CAPACITIES = namespaced("storage.k8s.io/v1", "csistoragecapacities", "CSIStorageCapacity");
export const STORAGE_CLASSES = clusterScoped("storage.k8s.io/v1", "storageclasses", "StorageClass");
export const VOLUME_ATTACHMENTS = clusterScoped("storage.k8s.io/v1", "volumeattachments", "VolumeAttachment");
export const VOLUME_ATTRIBUTES_CLASSES = clusterScoped(
  "storage.k8s.io/v1",
  "volumeattributesclasses",
  "VolumeAttributesClass",
);
export const MUTATING_ADMISSION_POLICIES = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "mutatingadmissionpolicies",
  "MutatingAdmissionPolicy",
);
export const MUTATING_ADMISSION_POLICY_BINDINGS = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "mutatingadmissionpolicybindings",
  "MutatingAdmissionPolicyBinding",
);
export const MUTATING_WEBHOOK_CONFIGURATIONS = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "mutatingwebhookconfigurations",
  "MutatingWebhookConfiguration",
);
export const VALIDATING_ADMISSION_POLICIES = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "validatingadmissionpolicies",
  "ValidatingAdmissionPolicy",
);
export const VALIDATING_ADMISSION_POLICY_BINDINGS = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "validatingadmissionpolicybindings",
  "ValidatingAdmissionPolicyBinding",
);
export const VALIDATING_WEBHOOK_CONFIGURATIONS = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "validatingwebhookconfigurations",
  "ValidatingWebhookConfiguration",
);
export const CUSTOM_RESOURCE_DEFINITIONS = clusterScoped(
  "apiextensions.k8s.io/v1",
  "customresourcedefinitions",
  "CustomResourceDefinition",
);
export const PRIORITY_CLASSES = clusterScoped("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass");
export const LEASES = namespaced("coordination.k8s.io/v1", "leases", "Lease");
export const RUNTIME_CLASSES = clusterScoped("node.k8s.io/v1", "runtimeclasses", "RuntimeClass");
export const ENDPOINT_SLICES = namespaced("discovery.k8s.io/v1", "endpointslices", "EndpointSlice");
export const DEVICE_CLASSES = clusterScoped("resource.k8s.io/v1", "deviceclasses", "DeviceClass");
export const RESOURCE_CLAIMS = namespaced("resource.k8s.io/v1", "resourceclaims", "ResourceClaim");
export const RESOURCE_CLAIM_TEMPLATES = namespaced(
  "resource.k8s.io/v1",
  "resourceclaimtemplates",
  "ResourceClaimTemplate",
);
export const RESOURCE_SLICES = clusterScoped("resource.k8s.io/v1", "resourceslices", "ResourceSlice");
export const FLOW_SCHEMAS = clusterScoped("flowcontrol.apiserver.k8s.io/v1", "flowschemas", "FlowSchema");
export const PRIORITY_LEVEL_CONFIGURATIONS = clusterScoped(
  "flowcontrol.apiserver.k8s.io/v1",
  "prioritylevelconfigurations",
  "PriorityLevelConfiguration",
);
