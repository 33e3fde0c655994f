import * as cluster from "./cluster.ts";
import type { TableKind } from "./column.ts";
import * as core from "./core.ts";
import * as networking from "./networking.ts";
import { POD_TABLE } from "./pod.ts";
import * as workloads from "./workloads.ts";

/** Kept apart from `Record` so that each row's own kind is checked where it is defined. */
const erase = (table: unknown) => table as TableKind;

/** By `<kind>` and group: subresources (Scale) are printed by their own kind. */
export const TABLES: Record<string, TableKind> = {
  ComponentStatus: erase(cluster.COMPONENT_STATUS_TABLE),
  ConfigMap: erase(core.CONFIG_MAP_TABLE),
  Endpoints: erase(core.ENDPOINTS_TABLE),
  Event: erase(core.EVENT_TABLE),
  Namespace: erase(core.NAMESPACE_TABLE),
  Node: erase(core.NODE_TABLE),
  PersistentVolume: erase(core.PERSISTENT_VOLUME_TABLE),
  PersistentVolumeClaim: erase(core.PERSISTENT_VOLUME_CLAIM_TABLE),
  Pod: erase(POD_TABLE),
  PodTemplate: erase(core.POD_TEMPLATE_TABLE),
  ReplicationController: erase(core.REPLICATION_CONTROLLER_TABLE),
  ResourceQuota: erase(core.RESOURCE_QUOTA_TABLE),
  Secret: erase(core.SECRET_TABLE),
  Service: erase(core.SERVICE_TABLE),
  ServiceAccount: erase(core.SERVICE_ACCOUNT_TABLE),
  "APIService.apiregistration.k8s.io": erase(cluster.API_SERVICE_TABLE),
  "ControllerRevision.apps": erase(workloads.CONTROLLER_REVISION_TABLE),
  "CronJob.batch": erase(workloads.CRON_JOB_TABLE),
  "DaemonSet.apps": erase(workloads.DAEMON_SET_TABLE),
  "Deployment.apps": erase(workloads.DEPLOYMENT_TABLE),
  "HorizontalPodAutoscaler.autoscaling": erase(workloads.HORIZONTAL_POD_AUTOSCALER_TABLE),
  "Job.batch": erase(workloads.JOB_TABLE),
  "PodDisruptionBudget.policy": erase(workloads.POD_DISRUPTION_BUDGET_TABLE),
  "ReplicaSet.apps": erase(workloads.REPLICA_SET_TABLE),
  "Scale.autoscaling": erase(workloads.SCALE_TABLE),
  "StatefulSet.apps": erase(workloads.STATEFUL_SET_TABLE),
  "EndpointSlice.discovery.k8s.io": erase(networking.ENDPOINT_SLICE_TABLE),
  "IPAddress.networking.k8s.io": erase(networking.IP_ADDRESS_TABLE),
  "Ingress.networking.k8s.io": erase(networking.INGRESS_TABLE),
  "IngressClass.networking.k8s.io": erase(networking.INGRESS_CLASS_TABLE),
  "NetworkPolicy.networking.k8s.io": erase(networking.NETWORK_POLICY_TABLE),
  "ServiceCIDR.networking.k8s.io": erase(networking.SERVICE_CIDR_TABLE),
  "CSIDriver.storage.k8s.io": erase(cluster.CSI_DRIVER_TABLE),
  "CSINode.storage.k8s.io": erase(cluster.CSI_NODE_TABLE),
  "CertificateSigningRequest.certificates.k8s.io": erase(cluster.CERTIFICATE_SIGNING_REQUEST_TABLE),
  "ClusterRoleBinding.rbac.authorization.k8s.io": erase(cluster.CLUSTER_ROLE_BINDING_TABLE),
  "DeviceClass.resource.k8s.io": erase(cluster.NAME_AND_AGE_TABLE),
  "Event.events.k8s.io": erase(core.EVENT_TABLE),
  "FlowSchema.flowcontrol.apiserver.k8s.io": erase(cluster.FLOW_SCHEMA_TABLE),
  "Lease.coordination.k8s.io": erase(cluster.LEASE_TABLE),
  "MutatingAdmissionPolicy.admissionregistration.k8s.io": erase(cluster.MUTATING_ADMISSION_POLICY_TABLE),
  "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io": erase(cluster.ADMISSION_POLICY_BINDING_TABLE),
  "MutatingWebhookConfiguration.admissionregistration.k8s.io": erase(cluster.WEBHOOK_TABLE),
  "PriorityClass.scheduling.k8s.io": erase(cluster.PRIORITY_CLASS_TABLE),
  "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": erase(cluster.PRIORITY_LEVEL_TABLE),
  "ResourceClaim.resource.k8s.io": erase(cluster.RESOURCE_CLAIM_TABLE),
  "ResourceClaimTemplate.resource.k8s.io": erase(cluster.NAME_AND_AGE_TABLE),
  "ResourceSlice.resource.k8s.io": erase(cluster.RESOURCE_SLICE_TABLE),
  "RoleBinding.rbac.authorization.k8s.io": erase(cluster.ROLE_BINDING_TABLE),
  "RuntimeClass.node.k8s.io": erase(cluster.RUNTIME_CLASS_TABLE),
  "StorageClass.storage.k8s.io": erase(cluster.STORAGE_CLASS_TABLE),
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io": erase(cluster.VALIDATING_ADMISSION_POLICY_TABLE),
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": erase(cluster.ADMISSION_POLICY_BINDING_TABLE),
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io": erase(cluster.WEBHOOK_TABLE),
  "VolumeAttachment.storage.k8s.io": erase(cluster.VOLUME_ATTACHMENT_TABLE),
  "VolumeAttributesClass.storage.k8s.io": erase(cluster.VOLUME_ATTRIBUTES_CLASS_TABLE),
};

/** The table of a kind; undefined when it has none of its own. */
export const tableOf = ({ group, kind }: { group: string; kind: string }): TableKind | undefined =>
  TABLES[group === "" ? kind : `${kind}.${group}`];
