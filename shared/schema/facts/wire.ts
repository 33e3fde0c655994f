/*
 * What a schema does not say of how upstream's Go types read and print, by Go package. A line is a definition and its
 * fields:
 *
 *   field    an optional field vanishes when it is empty: zero, "", false, no items
 *   field*   it is behind a pointer, so that zero is a value; absent, it is null where it must be written
 *   field!   it is written even when it is empty (a struct by value is `{}`)
 *   field?   it is required, but vanishes when it is empty all the same
 *   :Type    the type's name in messages of the decoder, where it is not the plain one of the schema
 *
 * Required fields are written even when they are empty, and so are metadata, spec and status. A field that is not
 * named here follows these rules alone.
 */
export const WIRE_FACTS: Record<string, string> = {
  "io.k8s.api.admissionregistration.v1": `
    MatchResources matchPolicy*:v1.MatchPolicyType
    MutatingAdmissionPolicySpec failurePolicy*:v1.FailurePolicyType reinvocationPolicy:v1.ReinvocationPolicyType
    MutatingWebhook failurePolicy*:v1.FailurePolicyType matchPolicy*:v1.MatchPolicyType sideEffects*:v1.SideEffectClass timeoutSeconds* reinvocationPolicy*:v1.ReinvocationPolicyType
    Mutation patchType:v1.PatchType
    NamedRuleWithOperations operations:[]v1.OperationType scope*:v1.ScopeType
    ParamRef parameterNotFoundAction*:v1.ParameterNotFoundActionType
    RuleWithOperations operations:[]v1.OperationType scope*:v1.ScopeType
    ServiceReference path* port*
    ValidatingAdmissionPolicyBindingSpec policyName? validationActions?:[]v1.ValidationAction
    ValidatingAdmissionPolicySpec failurePolicy*:v1.FailurePolicyType
    ValidatingWebhook failurePolicy*:v1.FailurePolicyType matchPolicy*:v1.MatchPolicyType sideEffects*:v1.SideEffectClass timeoutSeconds*
    Validation reason*:v1.StatusReason
    WebhookClientConfig url*
  `,
  "io.k8s.api.apps.v1": `
    ControllerRevision data!
    DaemonSetCondition type:v1.DaemonSetConditionType status:v1.ConditionStatus lastTransitionTime!
    DaemonSetSpec selector* updateStrategy! revisionHistoryLimit*
    DaemonSetStatus collisionCount*
    DaemonSetUpdateStrategy type:v1.DaemonSetUpdateStrategyType
    DeploymentCondition type:v1.DeploymentConditionType status:v1.ConditionStatus lastUpdateTime! lastTransitionTime!
    DeploymentSpec replicas* selector* strategy! revisionHistoryLimit* progressDeadlineSeconds*
    DeploymentStatus terminatingReplicas* collisionCount*
    DeploymentStrategy type:v1.DeploymentStrategyType
    ReplicaSetCondition type:v1.ReplicaSetConditionType status:v1.ConditionStatus lastTransitionTime!
    ReplicaSetSpec replicas* selector* template!
    ReplicaSetStatus terminatingReplicas*
    RollingUpdateDaemonSet maxUnavailable* maxSurge*
    RollingUpdateDeployment maxUnavailable* maxSurge*
    RollingUpdateStatefulSetStrategy partition* maxUnavailable*
    StatefulSetCondition type:v1.StatefulSetConditionType status:v1.ConditionStatus lastTransitionTime!
    StatefulSetOrdinals start!
    StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:v1.PersistentVolumeClaimRetentionPolicyType whenScaled:v1.PersistentVolumeClaimRetentionPolicyType
    StatefulSetSpec replicas* selector* serviceName! podManagementPolicy:v1.PodManagementPolicyType updateStrategy! revisionHistoryLimit*
    StatefulSetStatus collisionCount* availableReplicas!
    StatefulSetUpdateStrategy type:v1.StatefulSetUpdateStrategyType
  `,
  "io.k8s.api.authentication.v1": `
    BoundObjectReference uid:types.UID
    SelfSubjectReviewStatus userInfo!
    TokenRequestSpec audiences! expirationSeconds*! boundObjectRef*!
    TokenRequestStatus token! expirationTimestamp!
    TokenReviewSpec token?
    TokenReviewStatus user!
    UserInfo extra:map[string]v1.ExtraValue
  `,
  "io.k8s.api.authorization.v1": `
    SubjectAccessReviewSpec extra:map[string]v1.ExtraValue
  `,
  "io.k8s.api.autoscaling.v1": `
    HorizontalPodAutoscalerSpec minReplicas* targetCPUUtilizationPercentage*
    HorizontalPodAutoscalerStatus observedGeneration* currentCPUUtilizationPercentage*
  `,
  "io.k8s.api.autoscaling.v2": `
    ContainerResourceMetricSource name:v1.ResourceName
    ContainerResourceMetricStatus name:v1.ResourceName
    HPAScalingPolicy type:v2.HPAScalingPolicyType
    HPAScalingRules stabilizationWindowSeconds* selectPolicy*:v2.ScalingPolicySelect
    HorizontalPodAutoscalerCondition type:v2.HorizontalPodAutoscalerConditionType status:v1.ConditionStatus lastTransitionTime!
    HorizontalPodAutoscalerSpec minReplicas*
    HorizontalPodAutoscalerStatus observedGeneration* currentMetrics!
    MetricSpec type:v2.MetricSourceType
    MetricStatus type:v2.MetricSourceType
    MetricTarget type:v2.MetricTargetType averageUtilization*
    MetricValueStatus averageUtilization*
    ResourceMetricSource name:v1.ResourceName
    ResourceMetricStatus name:v1.ResourceName
  `,
  "io.k8s.api.batch.v1": `
    CronJobSpec timeZone* startingDeadlineSeconds* concurrencyPolicy:v1.ConcurrencyPolicy suspend* successfulJobsHistoryLimit* failedJobsHistoryLimit*
    JobCondition type:v1.JobConditionType status:v1.ConditionStatus lastProbeTime! lastTransitionTime!
    JobSpec parallelism* completions* activeDeadlineSeconds* backoffLimit* backoffLimitPerIndex* maxFailedIndexes* manualSelector* ttlSecondsAfterFinished* completionMode*:v1.CompletionMode suspend* podReplacementPolicy*:v1.PodReplacementPolicy managedBy*
    JobStatus terminating* failedIndexes* ready*
    PodFailurePolicyOnExitCodesRequirement containerName* operator:v1.PodFailurePolicyOnExitCodesOperator
    PodFailurePolicyOnPodConditionsPattern type:v1.PodConditionType status!:v1.ConditionStatus
    PodFailurePolicyRule action:v1.PodFailurePolicyAction
    SuccessPolicyRule succeededIndexes* succeededCount*
    UncountedTerminatedPods succeeded:[]types.UID failed:[]types.UID
  `,
  "io.k8s.api.certificates.v1": `
    CertificateSigningRequestCondition type:v1.RequestConditionType status:v1.ConditionStatus lastUpdateTime! lastTransitionTime!
    CertificateSigningRequestSpec expirationSeconds* usages:[]v1.KeyUsage extra:map[string]v1.ExtraValue
  `,
  "io.k8s.api.coordination.v1": `
    LeaseSpec holderIdentity* leaseDurationSeconds* leaseTransitions* strategy*:v1.CoordinatedLeaseStrategy preferredHolder*
  `,
  "io.k8s.api.core.v1": `
    AppArmorProfile type:v1.AppArmorProfileType localhostProfile*
    AttachedVolume name:v1.UniqueVolumeName
    AzureDiskVolumeSource cachingMode*:v1.AzureDataDiskCachingMode fsType* readOnly* kind*:v1.AzureDataDiskKind
    AzureFilePersistentVolumeSource secretNamespace*!
    CSIVolumeSource readOnly* fsType*
    Capabilities add:[]v1.Capability drop:[]v1.Capability
    ClientIPConfig timeoutSeconds*
    ClusterTrustBundleProjection name* signerName* optional*
    ComponentCondition type:v1.ComponentConditionType status:v1.ConditionStatus
    ConfigMap immutable*
    ConfigMapEnvSource optional*
    ConfigMapKeySelector optional*
    ConfigMapNodeConfigSource uid:types.UID
    ConfigMapProjection optional*
    ConfigMapVolumeSource defaultMode* optional*
    Container resources! restartPolicy*:v1.ContainerRestartPolicy terminationMessagePolicy:v1.TerminationMessagePolicy imagePullPolicy:v1.PullPolicy
    ContainerImage names!
    ContainerPort protocol:v1.Protocol
    ContainerResizePolicy resourceName:v1.ResourceName restartPolicy:v1.ResourceResizeRestartPolicy
    ContainerRestartRule action?:v1.ContainerRestartRuleAction
    ContainerRestartRuleOnExitCodes operator?:v1.ContainerRestartRuleOnExitCodesOperator
    ContainerStateRunning startedAt!
    ContainerStateTerminated startedAt! finishedAt!
    ContainerStatus state! lastState! started* allocatedResources:v1.ResourceList stopSignal*:v1.Signal
    DownwardAPIVolumeFile mode*
    DownwardAPIVolumeSource defaultMode*
    EmptyDirVolumeSource medium:v1.StorageMedium
    EndpointAddress nodeName*
    EndpointPort protocol:v1.Protocol appProtocol*
    EphemeralContainer resources! restartPolicy*:v1.ContainerRestartPolicy terminationMessagePolicy:v1.TerminationMessagePolicy imagePullPolicy:v1.PullPolicy
    Event source! firstTimestamp! lastTimestamp! eventTime! reportingComponent! reportingInstance!
    EventSeries lastObservedTime!
    FCVolumeSource lun*
    FileKeySelector optional*
    GRPCAction service*!
    GlusterfsPersistentVolumeSource endpointsNamespace*
    HTTPGetAction scheme:v1.URIScheme
    HostPathVolumeSource type*:v1.HostPathType
    ISCSIPersistentVolumeSource initiatorName*
    ISCSIVolumeSource initiatorName*
    ImageVolumeSource pullPolicy:v1.PullPolicy
    ImageVolumeStatus imageRef?
    KeyToPath mode*
    Lifecycle stopSignal*:v1.Signal
    LimitRangeItem type:v1.LimitType max:v1.ResourceList min:v1.ResourceList default:v1.ResourceList defaultRequest:v1.ResourceList maxLimitRequestRatio:v1.ResourceList
    LoadBalancerIngress ipMode*:v1.LoadBalancerIPMode
    LocalVolumeSource fsType*
    ModifyVolumeStatus status:v1.PersistentVolumeClaimModifyVolumeStatus
    NamespaceCondition type:v1.NamespaceConditionType status:v1.ConditionStatus lastTransitionTime!
    NamespaceSpec finalizers:[]v1.FinalizerName
    NamespaceStatus phase:v1.NamespacePhase
    NodeAddress type:v1.NodeAddressType
    NodeAllocatableResourceClaimStatus resources:map[v1.ResourceName]resource.Quantity
    NodeCondition type:v1.NodeConditionType status:v1.ConditionStatus lastHeartbeatTime! lastTransitionTime!
    NodeDaemonEndpoints kubeletEndpoint!
    NodeFeatures supplementalGroupsPolicy*
    NodeRuntimeHandler name!
    NodeRuntimeHandlerFeatures recursiveReadOnlyMounts* userNamespaces*
    NodeSelectorRequirement operator:v1.NodeSelectorOperator
    NodeStatus capacity:v1.ResourceList allocatable:v1.ResourceList phase:v1.NodePhase daemonEndpoints! nodeInfo! volumesInUse:[]v1.UniqueVolumeName
    NodeSwapStatus capacity*
    ObjectReference uid:types.UID
    PersistentVolumeClaimCondition type:v1.PersistentVolumeClaimConditionType status:v1.ConditionStatus lastProbeTime! lastTransitionTime!
    PersistentVolumeClaimSpec accessModes:[]v1.PersistentVolumeAccessMode resources! storageClassName* volumeMode*:v1.PersistentVolumeMode volumeAttributesClassName*
    PersistentVolumeClaimStatus phase:v1.PersistentVolumeClaimPhase accessModes:[]v1.PersistentVolumeAccessMode capacity:v1.ResourceList allocatedResources:v1.ResourceList allocatedResourceStatuses:map[v1.ResourceName]v1.ClaimResourceStatus currentVolumeAttributesClassName*
    PersistentVolumeSpec capacity:v1.ResourceList accessModes:[]v1.PersistentVolumeAccessMode persistentVolumeReclaimPolicy:v1.PersistentVolumeReclaimPolicy volumeMode*:v1.PersistentVolumeMode volumeAttributesClassName*
    PersistentVolumeStatus phase:v1.PersistentVolumePhase
    PodCertificateProjection signerName? keyType? maxExpirationSeconds*
    PodCondition type:v1.PodConditionType status:v1.ConditionStatus lastProbeTime! lastTransitionTime!
    PodDNSConfigOption value*
    PodOS name:v1.OSName
    PodReadinessGate conditionType:v1.PodConditionType
    PodResourceClaim resourceClaimName* resourceClaimTemplateName*
    PodResourceClaimStatus resourceClaimName*
    PodSchedulingGroup podGroupName*
    PodSecurityContext runAsUser* runAsGroup* runAsNonRoot* supplementalGroupsPolicy*:v1.SupplementalGroupsPolicy fsGroup* fsGroupChangePolicy*:v1.PodFSGroupChangePolicy seLinuxChangePolicy*:v1.PodSELinuxChangePolicy
    PodSpec restartPolicy:v1.RestartPolicy terminationGracePeriodSeconds* activeDeadlineSeconds* dnsPolicy:v1.DNSPolicy automountServiceAccountToken* shareProcessNamespace* priority* runtimeClassName* enableServiceLinks* preemptionPolicy*:v1.PreemptionPolicy overhead:v1.ResourceList setHostnameAsFQDN* hostUsers* hostnameOverride*
    PodStatus phase:v1.PodPhase qosClass:v1.PodQOSClass resize:v1.PodResizeStatus allocatedResources:v1.ResourceList
    PodTemplate template!
    PortStatus protocol:v1.Protocol error*
    Probe terminationGracePeriodSeconds*
    ProjectedVolumeSource sources! defaultMode*
    ReplicationControllerCondition type:v1.ReplicationControllerConditionType status:v1.ConditionStatus lastTransitionTime!
    ReplicationControllerSpec replicas*
    ResourceFieldSelector divisor!
    ResourceHealth resourceID:v1.ResourceID health:v1.ResourceHealthStatus message*
    ResourceQuotaSpec hard:v1.ResourceList scopes:[]v1.ResourceQuotaScope
    ResourceQuotaStatus hard:v1.ResourceList used:v1.ResourceList
    ResourceRequirements limits:v1.ResourceList requests:v1.ResourceList
    ResourceStatus name:v1.ResourceName
    ScaleIOPersistentVolumeSource secretRef*
    ScaleIOVolumeSource secretRef*
    ScopedResourceSelectorRequirement scopeName:v1.ResourceQuotaScope operator:v1.ScopeSelectorOperator
    SeccompProfile type:v1.SeccompProfileType localhostProfile*
    Secret immutable* type:v1.SecretType
    SecretEnvSource optional*
    SecretKeySelector optional*
    SecretProjection optional*
    SecretVolumeSource defaultMode* optional*
    SecurityContext privileged* runAsUser* runAsGroup* runAsNonRoot* readOnlyRootFilesystem* allowPrivilegeEscalation* procMount*:v1.ProcMountType
    ServiceAccount automountServiceAccountToken*
    ServiceAccountTokenProjection expirationSeconds*
    ServicePort protocol:v1.Protocol appProtocol* targetPort!
    ServiceSpec type:v1.ServiceType sessionAffinity:v1.ServiceAffinity externalTrafficPolicy:v1.ServiceExternalTrafficPolicy ipFamilies:[]v1.IPFamily ipFamilyPolicy*:v1.IPFamilyPolicy allocateLoadBalancerNodePorts* loadBalancerClass* internalTrafficPolicy*:v1.ServiceInternalTrafficPolicy trafficDistribution*
    ServiceStatus loadBalancer!
    Taint effect:v1.TaintEffect
    Toleration operator:v1.TolerationOperator effect:v1.TaintEffect tolerationSeconds*
    TopologySpreadConstraint whenUnsatisfiable:v1.UnsatisfiableConstraintAction minDomains* nodeAffinityPolicy*:v1.NodeInclusionPolicy nodeTaintsPolicy*:v1.NodeInclusionPolicy
    TypedLocalObjectReference apiGroup*!
    TypedObjectReference apiGroup*! namespace*
    VolumeMount recursiveReadOnly*:v1.RecursiveReadOnlyMode mountPropagation*:v1.MountPropagationMode
    VolumeMountStatus recursiveReadOnly*:v1.RecursiveReadOnlyMode
    VolumeResourceRequirements limits:v1.ResourceList requests:v1.ResourceList
    WindowsSecurityContextOptions gmsaCredentialSpecName* gmsaCredentialSpec* runAsUserName* hostProcess*
  `,
  "io.k8s.api.discovery.v1": `
    Endpoint conditions! hostname* nodeName* zone*
    EndpointConditions ready* serving* terminating*
    EndpointPort name* protocol*:v1.Protocol port* appProtocol*
    EndpointSlice addressType:v1.AddressType endpoints! ports!
  `,
  "io.k8s.api.events.v1": `
    Event regarding! deprecatedSource! deprecatedFirstTimestamp! deprecatedLastTimestamp!
  `,
  "io.k8s.api.flowcontrol.v1": `
    ExemptPriorityLevelConfiguration nominalConcurrencyShares* lendablePercent*
    FlowDistinguisherMethod type:v1.FlowDistinguisherMethodType
    FlowSchemaCondition type:v1.FlowSchemaConditionType status:v1.ConditionStatus lastTransitionTime!
    FlowSchemaSpec matchingPrecedence!
    LimitResponse type:v1.LimitResponseType
    LimitedPriorityLevelConfiguration nominalConcurrencyShares*! limitResponse! lendablePercent* borrowingLimitPercent*
    PriorityLevelConfigurationCondition type:v1.PriorityLevelConfigurationConditionType status:v1.ConditionStatus lastTransitionTime!
    PriorityLevelConfigurationSpec type:v1.PriorityLevelEnablement
    QueuingConfiguration queues! handSize! queueLengthLimit!
    ResourcePolicyRule namespaces!
    Subject kind:v1.SubjectKind
  `,
  "io.k8s.api.networking.v1": `
    HTTPIngressPath pathType*:v1.PathType
    IPAddressSpec parentRef?*
    IngressClassParametersReference apiGroup* scope*! namespace*
    IngressPortStatus protocol:v1.Protocol error*
    IngressServiceBackend port!
    IngressSpec ingressClassName*
    IngressStatus loadBalancer!
    NetworkPolicyPort port* protocol*:v1.Protocol endPort*
    NetworkPolicySpec podSelector! policyTypes:[]v1.PolicyType
    ParentReference resource? name?
  `,
  "io.k8s.api.node.v1": `
    Overhead podFixed:v1.ResourceList
  `,
  "io.k8s.api.policy.v1": `
    PodDisruptionBudgetSpec minAvailable* maxUnavailable* unhealthyPodEvictionPolicy*:v1.UnhealthyPodEvictionPolicyType
    PodDisruptionBudgetStatus disruptionsAllowed! currentHealthy! desiredHealthy! expectedPods!
  `,
  "io.k8s.api.rbac.v1": `
    ClusterRole rules!
    Role rules!
    RoleRef apiGroup!
  `,
  "io.k8s.api.resource.v1": `
    AllocatedDeviceStatus shareID* conditions!
    AllocationResult devices!
    CapacityRequestPolicy default*!
    CapacityRequestPolicyRange min?*
    CapacityRequirements requests:map[v1.QualifiedName]resource.Quantity
    CounterSet counters?
    Device attributes:map[v1.QualifiedName]v1.DeviceAttribute capacity:map[v1.QualifiedName]v1.DeviceCapacity nodeName* allNodes* bindsToNode* allowMultipleAllocations* nodeAllocatableResourceMappings:map[v1.ResourceName]v1.NodeAllocatableResourceMapping
    DeviceAllocationConfiguration source:v1.AllocationConfigSource
    DeviceAttribute int* bool* string* version*
    DeviceClaim requests!
    DeviceClassSpec extendedResourceName*
    DeviceConstraint matchAttribute*:v1.FullyQualifiedName distinctAttribute*:v1.FullyQualifiedName
    DeviceCounterConsumption counters?
    DeviceRequestAllocationResult adminAccess* shareID*:types.UID consumedCapacity:map[v1.QualifiedName]resource.Quantity
    DeviceSubRequest allocationMode:v1.DeviceAllocationMode
    DeviceTaint effect:v1.DeviceTaintEffect
    DeviceToleration operator:v1.DeviceTolerationOperator effect:v1.DeviceTaintEffect tolerationSeconds*
    ExactDeviceRequest allocationMode:v1.DeviceAllocationMode adminAccess*
    NodeAllocatableResourceMapping capacityKey*:v1.QualifiedName
    ResourceClaimConsumerReference uid:types.UID
    ResourceClaimSpec devices!
    ResourceSliceSpec nodeName* allNodes* perDeviceNodeSelection*
  `,
  "io.k8s.api.scheduling.v1": `
    PriorityClass value! preemptionPolicy*:v1.PreemptionPolicy
  `,
  "io.k8s.api.storage.v1": `
    CSIDriverSpec attachRequired* podInfoOnMount* volumeLifecycleModes:[]v1.VolumeLifecycleMode storageCapacity* fsGroupPolicy*:v1.FSGroupPolicy requiresRepublish* seLinuxMount* nodeAllocatableUpdatePeriodSeconds* serviceAccountTokenInSecrets* preventPodSchedulingIfMissing*
    CSINodeDriver topologyKeys!
    StorageClass reclaimPolicy*:v1.PersistentVolumeReclaimPolicy allowVolumeExpansion* volumeBindingMode*:v1.VolumeBindingMode
    TokenRequest expirationSeconds*
    VolumeAttachmentSource persistentVolumeName*
    VolumeError time! errorCode*
    VolumeNodeResources count*
  `,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1": `
    CustomResourceConversion strategy:v1.ConversionStrategyType
    CustomResourceDefinitionCondition type:v1.CustomResourceDefinitionConditionType status:v1.ConditionStatus lastTransitionTime!
    CustomResourceDefinitionSpec scope:v1.ResourceScope
    CustomResourceDefinitionStatus conditions! acceptedNames! storedVersions!
    CustomResourceDefinitionVersion deprecationWarning*
    CustomResourceSubresourceScale labelSelectorPath*
    CustomResourceSubresources status*
    JSONSchemaProps $schema:v1.JSONSchemaURL $ref* maximum* minimum* maxLength* minLength* maxItems* minItems* multipleOf* maxProperties* minProperties* dependencies:v1.JSONSchemaDependencies definitions:v1.JSONSchemaDefinitions x-kubernetes-preserve-unknown-fields* x-kubernetes-list-type* x-kubernetes-map-type* x-kubernetes-validations:v1.ValidationRules
    ServiceReference path* port*
    ValidationRule reason*:v1.FieldValueErrorReason optionalOldSelf*
    WebhookClientConfig url*
  `,
  "io.k8s.apimachinery.pkg.apis.meta.v1": `
    APIGroup preferredVersion!
    APIResource verbs:v1.Verbs
    Condition status:v1.ConditionStatus
    DeleteOptions gracePeriodSeconds* orphanDependents* propagationPolicy*:v1.DeletionPropagation ignoreStoreReadErrorWithClusterBreakingPotential*
    FieldSelectorRequirement operator:v1.FieldSelectorOperator
    LabelSelectorRequirement operator:v1.LabelSelectorOperator
    ListMeta remainingItemCount*
    ManagedFieldsEntry operation:v1.ManagedFieldsOperationType
    ObjectMeta uid:types.UID deletionGracePeriodSeconds*
    OwnerReference uid:types.UID controller* blockOwnerDeletion*
    Preconditions uid*:types.UID resourceVersion*
    Status reason:v1.StatusReason
    StatusCause reason:v1.CauseType
    StatusDetails uid:types.UID
  `,
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1": `
    APIServiceCondition type:v1.APIServiceConditionType status:v1.ConditionStatus lastTransitionTime!
    ServiceReference port*
  `,
};
