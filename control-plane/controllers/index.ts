/**
 * The controllers of a cluster: each turns what is wanted into the next small step, and talks only through the API
 * client. `ControllerManager` is the Durable Object that runs them all. Scheduling pods is not done here.
 */
import type { ClusterNetwork } from "../../shared/api/cluster-network.ts";
import type { ControllerDefinition } from "../runtime/index.ts";
import { attachDetachController } from "./attach-detach/index.ts";
import { bootstrapSigner } from "./bootstrap-signer/index.ts";
import { clusterRoleAggregationController } from "./clusterrole-aggregation/index.ts";
import { cronJobController } from "./cronjob/index.ts";
import { csrApprovingController } from "./csr-approving/index.ts";
import { csrCleaner } from "./csr-cleaner/index.ts";
import { csrSigningController, type IssueCertificate } from "./csr-signing/index.ts";
import { daemonSetController } from "./daemonset/index.ts";
import { defaultServiceCidrController } from "./default-service-cidr/index.ts";
import { deploymentController } from "./deployment/index.ts";
import { deviceTaintEvictionController } from "./device-taint-eviction/index.ts";
import { disruptionController } from "./disruption/index.ts";
import { endpointsController } from "./endpoints/index.ts";
import { endpointSliceController } from "./endpointslice/index.ts";
import { endpointSliceMirroringController } from "./endpointslice-mirroring/index.ts";
import { ephemeralVolumeController } from "./ephemeral-volume/index.ts";
import { eventExpiry } from "./event-expiry/index.ts";
import { flowSchemaController } from "./flow-schema/index.ts";
import { garbageCollector } from "./garbage-collector/index.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/index.ts";
import { jobController } from "./job/index.ts";
import { kubeDnsServiceController } from "./kube-dns-service/index.ts";
import { kubernetesServiceController } from "./kubernetes-service/index.ts";
import { legacyTokenCleaner } from "./legacy-token-cleaner/index.ts";
import { namespaceController } from "./namespace/index.ts";
import { nodeIpamController } from "./node-ipam/index.ts";
import { nodeLifecycleController } from "./node-lifecycle/index.ts";
import { nodeTtlController } from "./node-ttl/index.ts";
import { persistentVolumeBinder } from "./persistent-volume-binder/index.ts";
import { podGcController } from "./pod-gc/index.ts";
import { pvProtectionController } from "./pv-protection/index.ts";
import { pvcProtectionController } from "./pvc-protection/index.ts";
import { replicaSetController } from "./replicaset/index.ts";
import { replicationController } from "./replicationcontroller/index.ts";
import { resourceClaimController } from "./resourceclaim/index.ts";
import { resourceQuotaController } from "./resourcequota/index.ts";
import { rootCaController } from "./root-ca/index.ts";
import { serviceAccountTokenController } from "./service-account-token/index.ts";
import { serviceCidrController } from "./service-cidr/index.ts";
import { serviceIpRepairController } from "./service-ip-repair/index.ts";
import { serviceLoadBalancerController } from "./service-lb/index.ts";
import { serviceAccountController } from "./serviceaccount/index.ts";
import { statefulSetController } from "./statefulset/index.ts";
import { taintEvictionController } from "./taint-eviction/index.ts";
import { tokenCleaner } from "./token-cleaner/index.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/index.ts";
import { vacProtectionController } from "./vac-protection/index.ts";
import { volumeExpandController } from "./volume-expand/index.ts";

/** What controllers must know of their cluster beside the API. */
export interface ClusterFacts {
  /** The certificate of the cluster's CA. */
  caCertificatePem(): Promise<string>;
  /** A certificate of the cluster's CA for an approved request. */
  issueCertificate: IssueCertificate;
  /** A compact JWT over the claims, with the cluster's key for service accounts. */
  signServiceAccountToken(claims: object): Promise<string>;
  /** Where nodes reach the front door; undefined where that is not known. */
  advertised(): Promise<{ ip: string; port: number } | undefined>;
  /** The ranges that addresses come from. */
  network(): Promise<ClusterNetwork>;
}

/** Every controller there is; nothing registers itself elsewhere. */
export const controllersOf = (cluster: ClusterFacts): ControllerDefinition[] => [
  namespaceController,
  serviceAccountController,
  serviceAccountTokenController(cluster),
  rootCaController(cluster.caCertificatePem),
  resourceQuotaController,
  clusterRoleAggregationController,
  flowSchemaController,
  csrApprovingController,
  csrSigningController(cluster.issueCertificate),
  csrCleaner,
  bootstrapSigner,
  tokenCleaner,
  legacyTokenCleaner,
  nodeIpamController(cluster.network),
  nodeLifecycleController,
  taintEvictionController,
  deviceTaintEvictionController,
  nodeTtlController,
  podGcController,
  persistentVolumeBinder,
  attachDetachController,
  ephemeralVolumeController,
  resourceClaimController,
  pvcProtectionController,
  pvProtectionController,
  vacProtectionController,
  volumeExpandController,
  deploymentController,
  replicaSetController,
  replicationController,
  statefulSetController,
  daemonSetController,
  jobController,
  cronJobController,
  ttlAfterFinishedController,
  horizontalPodAutoscalerController,
  disruptionController,
  endpointSliceController,
  endpointSliceMirroringController,
  endpointsController,
  kubernetesServiceController(cluster),
  kubeDnsServiceController(cluster.network),
  defaultServiceCidrController(cluster.network),
  serviceCidrController,
  serviceIpRepairController,
  serviceLoadBalancerController,
  garbageCollector,
  eventExpiry,
];
