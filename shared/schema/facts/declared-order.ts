/*
 * Structs that upstream declares in another order than that of their numbers in protobuf, by Go package: a line is a
 * struct and its fields as they are declared.
 */
export const DECLARED_ORDER: Record<string, string> = {
  "io.k8s.api.admissionregistration.v1": `
    MutatingWebhook name clientConfig rules failurePolicy matchPolicy namespaceSelector objectSelector sideEffects timeoutSeconds admissionReviewVersions reinvocationPolicy matchConditions
    ValidatingWebhook name clientConfig rules failurePolicy matchPolicy namespaceSelector objectSelector sideEffects timeoutSeconds admissionReviewVersions matchConditions
    WebhookClientConfig url service caBundle
  `,
  "io.k8s.api.apps.v1": `
    DeploymentCondition type status lastUpdateTime lastTransitionTime reason message
    DeploymentStatus observedGeneration replicas updatedReplicas readyReplicas availableReplicas unavailableReplicas terminatingReplicas conditions collisionCount
    ReplicaSetSpec replicas minReadySeconds selector template
    ReplicaSetStatus replicas fullyLabeledReplicas readyReplicas availableReplicas terminatingReplicas observedGeneration conditions
  `,
  "io.k8s.api.autoscaling.v2": `
    HPAScalingRules stabilizationWindowSeconds selectPolicy policies tolerance
    MetricSpec type object pods resource containerResource external
    MetricStatus type object pods resource containerResource external
  `,
  "io.k8s.api.batch.v1": `
    CronJobSpec schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend jobTemplate successfulJobsHistoryLimit failedJobsHistoryLimit
    JobSpec parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes selector manualSelector template ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy
    JobStatus conditions startTime completionTime active succeeded failed terminating completedIndexes failedIndexes uncountedTerminatedPods ready
  `,
  "io.k8s.api.certificates.v1": `
    CertificateSigningRequestCondition type status reason message lastUpdateTime lastTransitionTime
    CertificateSigningRequestSpec request signerName expirationSeconds usages username uid groups extra
  `,
  "io.k8s.api.core.v1": `
    ClusterTrustBundleProjection name signerName labelSelector optional path
    ConfigMap metadata immutable data binaryData
    Container name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty
    EndpointAddress ip hostname nodeName targetRef
    EphemeralContainerCommon name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty
    ISCSIPersistentVolumeSource targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery chapAuthSession secretRef initiatorName
    ISCSIVolumeSource targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery chapAuthSession secretRef initiatorName
    NodeSpec podCIDR podCIDRs providerID unschedulable taints configSource externalID
    PersistentVolumeClaimSpec accessModes selector resources volumeName storageClassName volumeMode dataSource dataSourceRef volumeAttributesClassName
    PodCondition type observedGeneration status lastProbeTime lastTransitionTime reason message
    PodSecurityContext seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup sysctls fsGroupChangePolicy seccompProfile appArmorProfile seLinuxChangePolicy
    PodSpec volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace securityContext imagePullSecrets hostname subdomain affinity schedulerName tolerations hostAliases priorityClassName priority dnsConfig readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints setHostnameAsFQDN os hostUsers schedulingGates resourceClaims resources hostnameOverride schedulingGroup
    PodStatus observedGeneration phase conditions message reason nominatedNodeName hostIP hostIPs podIP podIPs startTime initContainerStatuses containerStatuses qosClass ephemeralContainerStatuses resize resourceClaimStatuses extendedResourceClaimStatus allocatedResources resources nodeAllocatableResourceClaimStatuses
    ReplicationControllerSpec replicas minReadySeconds selector template
    ReplicationControllerStatus replicas fullyLabeledReplicas readyReplicas availableReplicas observedGeneration conditions
    Secret metadata immutable data stringData type
    SecurityContext capabilities privileged seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation procMount seccompProfile appArmorProfile
    ServicePort name protocol appProtocol port targetPort nodePort
    ServiceSpec ports selector clusterIP clusterIPs type externalIPs sessionAffinity loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses sessionAffinityConfig ipFamilies ipFamilyPolicy allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution
    VolumeMount name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr
    VolumeSource hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume quobyte azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image
  `,
  "io.k8s.api.discovery.v1": `
    EndpointSlice metadata addressType endpoints ports
  `,
  "io.k8s.api.networking.v1": `
    HTTPIngressPath path pathType backend
    IngressBackend service resource
    IngressSpec ingressClassName defaultBackend tls rules
  `,
  "io.k8s.api.resource.v1": `
    AllocatedDeviceStatus driver pool device shareID conditions data networkData
  `,
  "io.k8s.apimachinery.pkg.apis.meta.v1": `
    OwnerReference apiVersion kind name uid controller blockOwnerDeletion
  `,
};
