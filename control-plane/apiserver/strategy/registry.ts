import { MUTATING_ADMISSION_POLICY_STRATEGY } from "./admissionregistration/mutating-admission-policy.ts";
import {
  MUTATING_ADMISSION_POLICY_BINDING_STRATEGY,
  VALIDATING_ADMISSION_POLICY_BINDING_STRATEGY,
} from "./admissionregistration/policy-binding.ts";
import { VALIDATING_ADMISSION_POLICY_STRATEGY } from "./admissionregistration/validating-admission-policy.ts";
import {
  MUTATING_WEBHOOK_CONFIGURATION_STRATEGY,
  VALIDATING_WEBHOOK_CONFIGURATION_STRATEGY,
} from "./admissionregistration/webhook-configuration.ts";
import { API_SERVICE_STRATEGY } from "./apiregistration/api-service.ts";
import { CONTROLLER_REVISION_STRATEGY } from "./apps/controller-revision.ts";
import { DAEMON_SET_STRATEGY } from "./apps/daemon-set.ts";
import { DEPLOYMENT_STRATEGY } from "./apps/deployment.ts";
import { REPLICA_SET_STRATEGY, REPLICATION_CONTROLLER_STRATEGY } from "./apps/replica-set.ts";
import { STATEFUL_SET_STRATEGY } from "./apps/stateful-set.ts";
import { HORIZONTAL_POD_AUTOSCALER_STRATEGY } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { CRON_JOB_STRATEGY } from "./batch/cron-job.ts";
import { JOB_STRATEGY } from "./batch/job.ts";
import { CERTIFICATE_SIGNING_REQUEST_STRATEGY } from "./cluster/certificate-signing-request.ts";
import { PRIORITY_CLASS_STRATEGY, RUNTIME_CLASS_STRATEGY } from "./cluster/classes.ts";
import { CONFIG_MAP_STRATEGY, SECRET_STRATEGY } from "./core/config.ts";
import { ENDPOINTS_STRATEGY } from "./core/endpoints.ts";
import { EVENT_STRATEGY, NEW_EVENT_STRATEGY } from "./core/event.ts";
import { LEASE_STRATEGY } from "./core/lease.ts";
import { LIMIT_RANGE_STRATEGY } from "./core/limit-range.ts";
import { NAMESPACE_STRATEGY } from "./core/namespace.ts";
import { NODE_STRATEGY } from "./core/node.ts";
import { PERSISTENT_VOLUME_STRATEGY } from "./core/persistent-volume.ts";
import { PERSISTENT_VOLUME_CLAIM_STRATEGY } from "./core/persistent-volume-claim.ts";
import { POD_STRATEGY } from "./core/pod.ts";
import { POD_TEMPLATE_STRATEGY } from "./core/pod-template.ts";
import { RESOURCE_QUOTA_STRATEGY } from "./core/resource-quota.ts";
import { SERVICE_STRATEGY } from "./core/service.ts";
import { SERVICE_ACCOUNT_STRATEGY } from "./core/service-account.ts";
import { ENDPOINT_SLICE_STRATEGY } from "./discovery/endpoint-slice.ts";
import { FLOW_SCHEMA_STRATEGY } from "./flowcontrol/flow-schema.ts";
import { PRIORITY_LEVEL_CONFIGURATION_STRATEGY } from "./flowcontrol/priority-level-configuration.ts";
import { INGRESS_STRATEGY } from "./networking/ingress.ts";
import { INGRESS_CLASS_STRATEGY } from "./networking/ingress-class.ts";
import { NETWORK_POLICY_STRATEGY } from "./networking/network-policy.ts";
import { IP_ADDRESS_STRATEGY, SERVICE_CIDR_STRATEGY } from "./networking/service-cidr.ts";
import { POD_DISRUPTION_BUDGET_STRATEGY } from "./policy/pod-disruption-budget.ts";
import {
  CLUSTER_ROLE_BINDING_STRATEGY,
  CLUSTER_ROLE_STRATEGY,
  ROLE_BINDING_STRATEGY,
  ROLE_STRATEGY,
} from "./rbac/rules.ts";
import { DEVICE_CLASS_STRATEGY } from "./resource/device-class.ts";
import { RESOURCE_CLAIM_STRATEGY, RESOURCE_CLAIM_TEMPLATE_STRATEGY } from "./resource/resource-claim.ts";
import { RESOURCE_SLICE_STRATEGY } from "./resource/resource-slice.ts";
import { CSI_DRIVER_STRATEGY, CSI_NODE_STRATEGY, CSI_STORAGE_CAPACITY_STRATEGY } from "./storage/csi.ts";
import { STORAGE_CLASS_STRATEGY, VOLUME_ATTRIBUTES_CLASS_STRATEGY } from "./storage/storage-class.ts";
import { VOLUME_ATTACHMENT_STRATEGY } from "./storage/volume-attachment.ts";
import type { Strategy } from "./strategy.ts";

/** Kept apart from `Record` so that each row's own kind is checked where it is defined. */
const erase = (strategy: unknown) => strategy as Strategy;

/** Every kind with rules of its own, by `<resource>.<group>`. */
export const strategies: Record<string, Strategy> = {
  configmaps: erase(CONFIG_MAP_STRATEGY),
  events: erase(EVENT_STRATEGY),
  namespaces: erase(NAMESPACE_STRATEGY),
  nodes: erase(NODE_STRATEGY),
  pods: erase(POD_STRATEGY),
  replicationcontrollers: erase(REPLICATION_CONTROLLER_STRATEGY),
  secrets: erase(SECRET_STRATEGY),
  serviceaccounts: erase(SERVICE_ACCOUNT_STRATEGY),
  services: erase(SERVICE_STRATEGY),
  "mutatingadmissionpolicies.admissionregistration.k8s.io": erase(MUTATING_ADMISSION_POLICY_STRATEGY),
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": erase(MUTATING_ADMISSION_POLICY_BINDING_STRATEGY),
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": erase(MUTATING_WEBHOOK_CONFIGURATION_STRATEGY),
  "validatingadmissionpolicies.admissionregistration.k8s.io": erase(VALIDATING_ADMISSION_POLICY_STRATEGY),
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": erase(VALIDATING_ADMISSION_POLICY_BINDING_STRATEGY),
  "validatingwebhookconfigurations.admissionregistration.k8s.io": erase(VALIDATING_WEBHOOK_CONFIGURATION_STRATEGY),
  "flowschemas.flowcontrol.apiserver.k8s.io": erase(FLOW_SCHEMA_STRATEGY),
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": erase(PRIORITY_LEVEL_CONFIGURATION_STRATEGY),
  "deviceclasses.resource.k8s.io": erase(DEVICE_CLASS_STRATEGY),
  "resourceclaims.resource.k8s.io": erase(RESOURCE_CLAIM_STRATEGY),
  "resourceclaimtemplates.resource.k8s.io": erase(RESOURCE_CLAIM_TEMPLATE_STRATEGY),
  "resourceslices.resource.k8s.io": erase(RESOURCE_SLICE_STRATEGY),
  "apiservices.apiregistration.k8s.io": erase(API_SERVICE_STRATEGY),
  "horizontalpodautoscalers.autoscaling": erase(HORIZONTAL_POD_AUTOSCALER_STRATEGY),
  "ingresses.networking.k8s.io": erase(INGRESS_STRATEGY),
  "ingressclasses.networking.k8s.io": erase(INGRESS_CLASS_STRATEGY),
  "ipaddresses.networking.k8s.io": erase(IP_ADDRESS_STRATEGY),
  "networkpolicies.networking.k8s.io": erase(NETWORK_POLICY_STRATEGY),
  "servicecidrs.networking.k8s.io": erase(SERVICE_CIDR_STRATEGY),
  "poddisruptionbudgets.policy": erase(POD_DISRUPTION_BUDGET_STRATEGY),
  "endpointslices.discovery.k8s.io": erase(ENDPOINT_SLICE_STRATEGY),
  endpoints: erase(ENDPOINTS_STRATEGY),
  persistentvolumes: erase(PERSISTENT_VOLUME_STRATEGY),
  persistentvolumeclaims: erase(PERSISTENT_VOLUME_CLAIM_STRATEGY),
  "priorityclasses.scheduling.k8s.io": erase(PRIORITY_CLASS_STRATEGY),
  "runtimeclasses.node.k8s.io": erase(RUNTIME_CLASS_STRATEGY),
  limitranges: erase(LIMIT_RANGE_STRATEGY),
  podtemplates: erase(POD_TEMPLATE_STRATEGY),
  resourcequotas: erase(RESOURCE_QUOTA_STRATEGY),
  "clusterrolebindings.rbac.authorization.k8s.io": erase(CLUSTER_ROLE_BINDING_STRATEGY),
  "clusterroles.rbac.authorization.k8s.io": erase(CLUSTER_ROLE_STRATEGY),
  "rolebindings.rbac.authorization.k8s.io": erase(ROLE_BINDING_STRATEGY),
  "roles.rbac.authorization.k8s.io": erase(ROLE_STRATEGY),
  "csidrivers.storage.k8s.io": erase(CSI_DRIVER_STRATEGY),
  "csinodes.storage.k8s.io": erase(CSI_NODE_STRATEGY),
  "csistoragecapacities.storage.k8s.io": erase(CSI_STORAGE_CAPACITY_STRATEGY),
  "volumeattachments.storage.k8s.io": erase(VOLUME_ATTACHMENT_STRATEGY),
  "storageclasses.storage.k8s.io": erase(STORAGE_CLASS_STRATEGY),
  "volumeattributesclasses.storage.k8s.io": erase(VOLUME_ATTRIBUTES_CLASS_STRATEGY),
  "certificatesigningrequests.certificates.k8s.io": erase(CERTIFICATE_SIGNING_REQUEST_STRATEGY),
  "cronjobs.batch": erase(CRON_JOB_STRATEGY),
  "jobs.batch": erase(JOB_STRATEGY),
  "controllerrevisions.apps": erase(CONTROLLER_REVISION_STRATEGY),
  "daemonsets.apps": erase(DAEMON_SET_STRATEGY),
  "statefulsets.apps": erase(STATEFUL_SET_STRATEGY),
  "deployments.apps": erase(DEPLOYMENT_STRATEGY),
  "events.events.k8s.io": erase(NEW_EVENT_STRATEGY),
  "leases.coordination.k8s.io": erase(LEASE_STRATEGY),
  "replicasets.apps": erase(REPLICA_SET_STRATEGY),
};
