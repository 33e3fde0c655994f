/*
 * The definitions of the served groups, as upstream publishes them: Go package, then the names of its types. The
 * generator finds the model of each in the client library by group, version and name.
 */

export const DEFINITIONS: Record<string, string> = {
  "io.k8s.api.admissionregistration.v1": `
    ApplyConfiguration AuditAnnotation ExpressionWarning JSONPatch MatchCondition MatchResources
    MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingAdmissionPolicyBindingList
    MutatingAdmissionPolicyBindingSpec MutatingAdmissionPolicyList MutatingAdmissionPolicySpec MutatingWebhook
    MutatingWebhookConfiguration MutatingWebhookConfigurationList Mutation NamedRuleWithOperations ParamKind
    ParamRef RuleWithOperations ServiceReference TypeChecking ValidatingAdmissionPolicy
    ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyBindingSpec
    ValidatingAdmissionPolicyList ValidatingAdmissionPolicySpec ValidatingAdmissionPolicyStatus ValidatingWebhook
    ValidatingWebhookConfiguration ValidatingWebhookConfigurationList Validation Variable WebhookClientConfig
  `,
  "io.k8s.api.apps.v1": `
    ControllerRevision ControllerRevisionList DaemonSet DaemonSetCondition DaemonSetList DaemonSetSpec
    DaemonSetStatus DaemonSetUpdateStrategy Deployment DeploymentCondition DeploymentList DeploymentSpec
    DeploymentStatus DeploymentStrategy ReplicaSet ReplicaSetCondition ReplicaSetList ReplicaSetSpec
    ReplicaSetStatus RollingUpdateDaemonSet RollingUpdateDeployment RollingUpdateStatefulSetStrategy StatefulSet
    StatefulSetCondition StatefulSetList StatefulSetOrdinals StatefulSetPersistentVolumeClaimRetentionPolicy
    StatefulSetSpec StatefulSetStatus StatefulSetUpdateStrategy
  `,
  "io.k8s.api.authentication.v1": `
    BoundObjectReference SelfSubjectReview SelfSubjectReviewStatus TokenRequest TokenRequestSpec TokenRequestStatus
    TokenReview TokenReviewSpec TokenReviewStatus UserInfo
  `,
  "io.k8s.api.authorization.v1": `
    FieldSelectorAttributes LabelSelectorAttributes LocalSubjectAccessReview NonResourceAttributes NonResourceRule
    ResourceAttributes ResourceRule SelfSubjectAccessReview SelfSubjectAccessReviewSpec SelfSubjectRulesReview
    SelfSubjectRulesReviewSpec SubjectAccessReview SubjectAccessReviewSpec SubjectAccessReviewStatus
    SubjectRulesReviewStatus
  `,
  "io.k8s.api.autoscaling.v1": `
    CrossVersionObjectReference HorizontalPodAutoscaler HorizontalPodAutoscalerList HorizontalPodAutoscalerSpec
    HorizontalPodAutoscalerStatus Scale ScaleSpec ScaleStatus
  `,
  "io.k8s.api.autoscaling.v2": `
    ContainerResourceMetricSource ContainerResourceMetricStatus CrossVersionObjectReference ExternalMetricSource
    ExternalMetricStatus HPAScalingPolicy HPAScalingRules HorizontalPodAutoscaler HorizontalPodAutoscalerBehavior
    HorizontalPodAutoscalerCondition HorizontalPodAutoscalerList HorizontalPodAutoscalerSpec
    HorizontalPodAutoscalerStatus MetricIdentifier MetricSpec MetricStatus MetricTarget MetricValueStatus
    ObjectMetricSource ObjectMetricStatus PodsMetricSource PodsMetricStatus ResourceMetricSource
    ResourceMetricStatus
  `,
  "io.k8s.api.batch.v1": `
    CronJob CronJobList CronJobSpec CronJobStatus Job JobCondition JobList JobSpec JobStatus JobTemplateSpec
    PodFailurePolicy PodFailurePolicyOnExitCodesRequirement PodFailurePolicyOnPodConditionsPattern
    PodFailurePolicyRule SuccessPolicy SuccessPolicyRule UncountedTerminatedPods
  `,
  "io.k8s.api.certificates.v1": `
    CertificateSigningRequest CertificateSigningRequestCondition CertificateSigningRequestList
    CertificateSigningRequestSpec CertificateSigningRequestStatus
  `,
  "io.k8s.api.coordination.v1": `
    Lease LeaseList LeaseSpec
  `,
  "io.k8s.api.core.v1": `
    AWSElasticBlockStoreVolumeSource Affinity AppArmorProfile AttachedVolume AzureDiskVolumeSource
    AzureFilePersistentVolumeSource AzureFileVolumeSource Binding CSIPersistentVolumeSource CSIVolumeSource
    Capabilities CephFSPersistentVolumeSource CephFSVolumeSource CinderPersistentVolumeSource CinderVolumeSource
    ClientIPConfig ClusterTrustBundleProjection ComponentCondition ComponentStatus ComponentStatusList ConfigMap
    ConfigMapEnvSource ConfigMapKeySelector ConfigMapList ConfigMapNodeConfigSource ConfigMapProjection
    ConfigMapVolumeSource Container ContainerExtendedResourceRequest ContainerImage ContainerPort
    ContainerResizePolicy ContainerRestartRule ContainerRestartRuleOnExitCodes ContainerState ContainerStateRunning
    ContainerStateTerminated ContainerStateWaiting ContainerStatus ContainerUser DaemonEndpoint
    DownwardAPIProjection DownwardAPIVolumeFile DownwardAPIVolumeSource EmptyDirVolumeSource EndpointAddress
    EndpointPort EndpointSubset Endpoints EndpointsList EnvFromSource EnvVar EnvVarSource EphemeralContainer
    EphemeralVolumeSource Event EventList EventSeries EventSource ExecAction FCVolumeSource FileKeySelector
    FlexPersistentVolumeSource FlexVolumeSource FlockerVolumeSource GCEPersistentDiskVolumeSource GRPCAction
    GitRepoVolumeSource GlusterfsPersistentVolumeSource GlusterfsVolumeSource HTTPGetAction HTTPHeader HostAlias
    HostIP HostPathVolumeSource ISCSIPersistentVolumeSource ISCSIVolumeSource ImageVolumeSource ImageVolumeStatus
    KeyToPath Lifecycle LifecycleHandler LimitRange LimitRangeItem LimitRangeList LimitRangeSpec LinuxContainerUser
    LoadBalancerIngress LoadBalancerStatus LocalObjectReference LocalVolumeSource ModifyVolumeStatus NFSVolumeSource
    Namespace NamespaceCondition NamespaceList NamespaceSpec NamespaceStatus Node NodeAddress NodeAffinity
    NodeAllocatableResourceClaimStatus NodeCondition NodeConfigSource NodeConfigStatus NodeDaemonEndpoints
    NodeFeatures NodeList NodeRuntimeHandler NodeRuntimeHandlerFeatures NodeSelector NodeSelectorRequirement
    NodeSelectorTerm NodeSpec NodeStatus NodeSwapStatus NodeSystemInfo ObjectFieldSelector ObjectReference
    PersistentVolume PersistentVolumeClaim PersistentVolumeClaimCondition PersistentVolumeClaimList
    PersistentVolumeClaimSpec PersistentVolumeClaimStatus PersistentVolumeClaimTemplate
    PersistentVolumeClaimVolumeSource PersistentVolumeList PersistentVolumeSpec PersistentVolumeStatus
    PhotonPersistentDiskVolumeSource Pod PodAffinity PodAffinityTerm PodAntiAffinity PodCertificateProjection
    PodCondition PodDNSConfig PodDNSConfigOption PodExtendedResourceClaimStatus PodIP PodList PodOS PodReadinessGate
    PodResourceClaim PodResourceClaimStatus PodSchedulingGate PodSchedulingGroup PodSecurityContext PodSpec
    PodStatus PodTemplate PodTemplateList PodTemplateSpec PortStatus PortworxVolumeSource PreferredSchedulingTerm
    Probe ProjectedVolumeSource QuobyteVolumeSource RBDPersistentVolumeSource RBDVolumeSource ReplicationController
    ReplicationControllerCondition ReplicationControllerList ReplicationControllerSpec ReplicationControllerStatus
    ResourceClaim ResourceFieldSelector ResourceHealth ResourceQuota ResourceQuotaList ResourceQuotaSpec
    ResourceQuotaStatus ResourceRequirements ResourceStatus SELinuxOptions ScaleIOPersistentVolumeSource
    ScaleIOVolumeSource ScopeSelector ScopedResourceSelectorRequirement SeccompProfile Secret SecretEnvSource
    SecretKeySelector SecretList SecretProjection SecretReference SecretVolumeSource SecurityContext Service
    ServiceAccount ServiceAccountList ServiceAccountTokenProjection ServiceList ServicePort ServiceSpec
    ServiceStatus SessionAffinityConfig SleepAction StorageOSPersistentVolumeSource StorageOSVolumeSource Sysctl
    TCPSocketAction Taint Toleration TopologySelectorLabelRequirement TopologySelectorTerm TopologySpreadConstraint
    TypedLocalObjectReference TypedObjectReference Volume VolumeDevice VolumeMount VolumeMountStatus
    VolumeNodeAffinity VolumeProjection VolumeResourceRequirements VolumeStatus VsphereVirtualDiskVolumeSource
    WeightedPodAffinityTerm WindowsSecurityContextOptions
  `,
  "io.k8s.api.discovery.v1": `
    Endpoint EndpointConditions EndpointHints EndpointPort EndpointSlice EndpointSliceList ForNode ForZone
  `,
  "io.k8s.api.events.v1": `
    Event EventList EventSeries
  `,
  "io.k8s.api.flowcontrol.v1": `
    ExemptPriorityLevelConfiguration FlowDistinguisherMethod FlowSchema FlowSchemaCondition FlowSchemaList
    FlowSchemaSpec FlowSchemaStatus GroupSubject LimitResponse LimitedPriorityLevelConfiguration
    NonResourcePolicyRule PolicyRulesWithSubjects PriorityLevelConfiguration PriorityLevelConfigurationCondition
    PriorityLevelConfigurationList PriorityLevelConfigurationReference PriorityLevelConfigurationSpec
    PriorityLevelConfigurationStatus QueuingConfiguration ResourcePolicyRule ServiceAccountSubject Subject
    UserSubject
  `,
  "io.k8s.api.networking.v1": `
    HTTPIngressPath HTTPIngressRuleValue IPAddress IPAddressList IPAddressSpec IPBlock Ingress IngressBackend
    IngressClass IngressClassList IngressClassParametersReference IngressClassSpec IngressList
    IngressLoadBalancerIngress IngressLoadBalancerStatus IngressPortStatus IngressRule IngressServiceBackend
    IngressSpec IngressStatus IngressTLS NetworkPolicy NetworkPolicyEgressRule NetworkPolicyIngressRule
    NetworkPolicyList NetworkPolicyPeer NetworkPolicyPort NetworkPolicySpec ParentReference ServiceBackendPort
    ServiceCIDR ServiceCIDRList ServiceCIDRSpec ServiceCIDRStatus
  `,
  "io.k8s.api.node.v1": `
    Overhead RuntimeClass RuntimeClassList Scheduling
  `,
  "io.k8s.api.policy.v1": `
    Eviction PodDisruptionBudget PodDisruptionBudgetList PodDisruptionBudgetSpec PodDisruptionBudgetStatus
  `,
  "io.k8s.api.rbac.v1": `
    AggregationRule ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList PolicyRule Role
    RoleBinding RoleBindingList RoleList RoleRef Subject
  `,
  "io.k8s.api.resource.v1": `
    AllocatedDeviceStatus AllocationResult CELDeviceSelector CapacityRequestPolicy CapacityRequestPolicyRange
    CapacityRequirements Counter CounterSet Device DeviceAllocationConfiguration DeviceAllocationResult
    DeviceAttribute DeviceCapacity DeviceClaim DeviceClaimConfiguration DeviceClass DeviceClassConfiguration
    DeviceClassList DeviceClassSpec DeviceConstraint DeviceCounterConsumption DeviceRequest
    DeviceRequestAllocationResult DeviceSelector DeviceSubRequest DeviceTaint DeviceToleration ExactDeviceRequest
    NetworkDeviceData NodeAllocatableResourceMapping OpaqueDeviceConfiguration ResourceClaim
    ResourceClaimConsumerReference ResourceClaimList ResourceClaimSpec ResourceClaimStatus ResourceClaimTemplate
    ResourceClaimTemplateList ResourceClaimTemplateSpec ResourcePool ResourceSlice ResourceSliceList
    ResourceSliceSpec
  `,
  "io.k8s.api.scheduling.v1": `
    PriorityClass PriorityClassList
  `,
  "io.k8s.api.storage.v1": `
    CSIDriver CSIDriverList CSIDriverSpec CSINode CSINodeDriver CSINodeList CSINodeSpec CSIStorageCapacity
    CSIStorageCapacityList StorageClass StorageClassList TokenRequest VolumeAttachment VolumeAttachmentList
    VolumeAttachmentSource VolumeAttachmentSpec VolumeAttachmentStatus VolumeAttributesClass
    VolumeAttributesClassList VolumeError VolumeNodeResources
  `,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1": `
    CustomResourceColumnDefinition CustomResourceConversion CustomResourceDefinition
    CustomResourceDefinitionCondition CustomResourceDefinitionList CustomResourceDefinitionNames
    CustomResourceDefinitionSpec CustomResourceDefinitionStatus CustomResourceDefinitionVersion
    CustomResourceSubresourceScale CustomResourceSubresources CustomResourceValidation ExternalDocumentation
    JSONSchemaProps SelectableField ServiceReference ValidationRule WebhookClientConfig WebhookConversion
  `,
  "io.k8s.apimachinery.pkg.apis.meta.v1": `
    APIGroup APIGroupList APIResource APIResourceList APIVersions Condition DeleteOptions FieldSelectorRequirement
    GroupVersionForDiscovery LabelSelector LabelSelectorRequirement ListMeta ManagedFieldsEntry ObjectMeta
    OwnerReference Preconditions ServerAddressByClientCIDR ShardInfo Status StatusCause StatusDetails WatchEvent
  `,
  "io.k8s.apimachinery.pkg.version": `
    Info
  `,
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1": `
    APIService APIServiceCondition APIServiceList APIServiceSpec APIServiceStatus ServiceReference
  `,
};
