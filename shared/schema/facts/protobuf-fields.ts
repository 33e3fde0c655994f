/*
 * The numbers of the fields in the API's protobuf form, by Go package. A line is a message and its fields by their JSON
 * names, in the order of their numbers: one more than the field before it, or as given.
 *
 *   field=7   the number is 7, that of the next field 8
 *   ^Message  the fields of that message of the same package are the outer object's own in JSON
 *
 * Lists are not here (nobody may send them), nor are types that have a form of their own (Quantity, Time …).
 */
export const PROTOBUF_FIELDS: Record<string, string> = {
  "io.k8s.api.admissionregistration.v1": `
    ApplyConfiguration expression
    AuditAnnotation key valueExpression
    ExpressionWarning fieldRef=2 warning
    JSONPatch expression
    MatchCondition name expression
    MatchResources namespaceSelector objectSelector resourceRules excludeResourceRules matchPolicy=7
    MutatingAdmissionPolicy metadata spec
    MutatingAdmissionPolicyBinding metadata spec
    MutatingAdmissionPolicyBindingSpec policyName paramRef matchResources
    MutatingAdmissionPolicySpec paramKind matchConstraints variables mutations failurePolicy matchConditions reinvocationPolicy
    MutatingWebhook name clientConfig rules failurePolicy namespaceSelector sideEffects timeoutSeconds admissionReviewVersions matchPolicy reinvocationPolicy objectSelector matchConditions
    MutatingWebhookConfiguration metadata webhooks
    Mutation patchType=2 applyConfiguration jsonPatch
    NamedRuleWithOperations resourceNames ^RuleWithOperations
    ParamKind apiVersion kind
    ParamRef name namespace selector parameterNotFoundAction
    Rule apiGroups apiVersions resources scope
    RuleWithOperations operations ^Rule
    ServiceReference namespace name path port
    TypeChecking expressionWarnings
    ValidatingAdmissionPolicy metadata spec status
    ValidatingAdmissionPolicyBinding metadata spec
    ValidatingAdmissionPolicyBindingSpec policyName paramRef matchResources validationActions
    ValidatingAdmissionPolicySpec paramKind matchConstraints validations failurePolicy auditAnnotations matchConditions variables
    ValidatingAdmissionPolicyStatus observedGeneration typeChecking conditions
    ValidatingWebhook name clientConfig rules failurePolicy namespaceSelector sideEffects timeoutSeconds admissionReviewVersions matchPolicy objectSelector matchConditions
    ValidatingWebhookConfiguration metadata webhooks
    Validation expression message reason messageExpression
    Variable name expression
    WebhookClientConfig service caBundle url
  `,
  "io.k8s.api.apps.v1": `
    ControllerRevision metadata data revision
    DaemonSet metadata spec status
    DaemonSetCondition type status lastTransitionTime reason message
    DaemonSetSpec selector template updateStrategy minReadySeconds revisionHistoryLimit=6
    DaemonSetStatus currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration updatedNumberScheduled numberAvailable numberUnavailable collisionCount conditions
    DaemonSetUpdateStrategy type rollingUpdate
    Deployment metadata spec status
    DeploymentCondition type status reason=4 message lastUpdateTime lastTransitionTime
    DeploymentSpec replicas selector template strategy minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds=9
    DeploymentStatus observedGeneration replicas updatedReplicas availableReplicas unavailableReplicas conditions readyReplicas collisionCount terminatingReplicas
    DeploymentStrategy type rollingUpdate
    ReplicaSet metadata spec status
    ReplicaSetCondition type status lastTransitionTime reason message
    ReplicaSetSpec replicas selector template minReadySeconds
    ReplicaSetStatus replicas fullyLabeledReplicas observedGeneration readyReplicas availableReplicas conditions terminatingReplicas
    RollingUpdateDaemonSet maxUnavailable maxSurge
    RollingUpdateDeployment maxUnavailable maxSurge
    RollingUpdateStatefulSetStrategy partition maxUnavailable
    StatefulSet metadata spec status
    StatefulSetCondition type status lastTransitionTime reason message
    StatefulSetOrdinals start
    StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted whenScaled
    StatefulSetSpec replicas selector template volumeClaimTemplates serviceName podManagementPolicy updateStrategy revisionHistoryLimit minReadySeconds persistentVolumeClaimRetentionPolicy ordinals
    StatefulSetStatus observedGeneration replicas readyReplicas currentReplicas updatedReplicas currentRevision updateRevision collisionCount=9 conditions availableReplicas
    StatefulSetUpdateStrategy type rollingUpdate
  `,
  "io.k8s.api.authentication.v1": `
    BoundObjectReference kind apiVersion name uid
    SelfSubjectReview metadata status
    SelfSubjectReviewStatus userInfo
    TokenRequest metadata spec status
    TokenRequestSpec audiences boundObjectRef=3 expirationSeconds
    TokenRequestStatus token expirationTimestamp
    TokenReview metadata spec status
    TokenReviewSpec token audiences
    TokenReviewStatus authenticated user error audiences
    UserInfo username uid groups extra
  `,
  "io.k8s.api.authorization.v1": `
    FieldSelectorAttributes rawSelector requirements
    LabelSelectorAttributes rawSelector requirements
    LocalSubjectAccessReview metadata spec status
    NonResourceAttributes path verb
    NonResourceRule verbs nonResourceURLs
    ResourceAttributes namespace verb group version resource subresource name fieldSelector labelSelector
    ResourceRule verbs apiGroups resources resourceNames
    SelfSubjectAccessReview metadata spec status
    SelfSubjectAccessReviewSpec resourceAttributes nonResourceAttributes
    SelfSubjectRulesReview metadata spec status
    SelfSubjectRulesReviewSpec namespace
    SubjectAccessReview metadata spec status
    SubjectAccessReviewSpec resourceAttributes nonResourceAttributes user groups extra uid
    SubjectAccessReviewStatus allowed reason evaluationError denied
    SubjectRulesReviewStatus resourceRules nonResourceRules incomplete evaluationError
  `,
  "io.k8s.api.autoscaling.v1": `
    CrossVersionObjectReference kind name apiVersion
    HorizontalPodAutoscaler metadata spec status
    HorizontalPodAutoscalerSpec scaleTargetRef minReplicas maxReplicas targetCPUUtilizationPercentage
    HorizontalPodAutoscalerStatus observedGeneration lastScaleTime currentReplicas desiredReplicas currentCPUUtilizationPercentage
    Scale metadata spec status
    ScaleSpec replicas
    ScaleStatus replicas selector
  `,
  "io.k8s.api.autoscaling.v2": `
    ContainerResourceMetricSource name target container
    ContainerResourceMetricStatus name current container
    CrossVersionObjectReference kind name apiVersion
    ExternalMetricSource metric target
    ExternalMetricStatus metric current
    HPAScalingPolicy type value periodSeconds
    HPAScalingRules selectPolicy policies stabilizationWindowSeconds tolerance
    HorizontalPodAutoscaler metadata spec status
    HorizontalPodAutoscalerBehavior scaleUp scaleDown
    HorizontalPodAutoscalerCondition type status lastTransitionTime reason message
    HorizontalPodAutoscalerSpec scaleTargetRef minReplicas maxReplicas metrics behavior
    HorizontalPodAutoscalerStatus observedGeneration lastScaleTime currentReplicas desiredReplicas currentMetrics conditions
    MetricIdentifier name selector
    MetricSpec type object pods resource external containerResource=7
    MetricStatus type object pods resource external containerResource=7
    MetricTarget type value averageValue averageUtilization
    MetricValueStatus value averageValue averageUtilization
    ObjectMetricSource describedObject target metric
    ObjectMetricStatus metric current describedObject
    PodsMetricSource metric target
    PodsMetricStatus metric current
    ResourceMetricSource name target
    ResourceMetricStatus name current
  `,
  "io.k8s.api.batch.v1": `
    CronJob metadata spec status
    CronJobSpec schedule startingDeadlineSeconds concurrencyPolicy suspend jobTemplate successfulJobsHistoryLimit failedJobsHistoryLimit timeZone
    CronJobStatus active lastScheduleTime=4 lastSuccessfulTime
    Job metadata spec status
    JobCondition type status lastProbeTime lastTransitionTime reason message
    JobSpec parallelism completions activeDeadlineSeconds selector manualSelector template backoffLimit ttlSecondsAfterFinished completionMode suspend podFailurePolicy backoffLimitPerIndex maxFailedIndexes podReplacementPolicy managedBy successPolicy
    JobStatus conditions startTime completionTime active succeeded failed completedIndexes uncountedTerminatedPods ready failedIndexes terminating
    JobTemplateSpec metadata spec
    PodFailurePolicy rules
    PodFailurePolicyOnExitCodesRequirement containerName operator values
    PodFailurePolicyOnPodConditionsPattern type status
    PodFailurePolicyRule action onExitCodes onPodConditions
    SuccessPolicy rules
    SuccessPolicyRule succeededIndexes succeededCount
    UncountedTerminatedPods succeeded failed
  `,
  "io.k8s.api.certificates.v1": `
    CertificateSigningRequest metadata spec status
    CertificateSigningRequestCondition type reason message lastUpdateTime lastTransitionTime status
    CertificateSigningRequestSpec request username uid groups usages extra signerName expirationSeconds
    CertificateSigningRequestStatus conditions certificate
  `,
  "io.k8s.api.coordination.v1": `
    Lease metadata spec
    LeaseSpec holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions strategy preferredHolder
  `,
  "io.k8s.api.core.v1": `
    AWSElasticBlockStoreVolumeSource volumeID fsType partition readOnly
    Affinity nodeAffinity podAffinity podAntiAffinity
    AppArmorProfile type localhostProfile
    AttachedVolume name devicePath
    AzureDiskVolumeSource diskName diskURI cachingMode fsType readOnly kind
    AzureFilePersistentVolumeSource secretName shareName readOnly secretNamespace
    AzureFileVolumeSource secretName shareName readOnly
    Binding metadata target
    CSIPersistentVolumeSource driver volumeHandle readOnly fsType volumeAttributes controllerPublishSecretRef nodeStageSecretRef nodePublishSecretRef controllerExpandSecretRef nodeExpandSecretRef
    CSIVolumeSource driver readOnly fsType volumeAttributes nodePublishSecretRef
    Capabilities add drop
    CephFSPersistentVolumeSource monitors path user secretFile secretRef readOnly
    CephFSVolumeSource monitors path user secretFile secretRef readOnly
    CinderPersistentVolumeSource volumeID fsType readOnly secretRef
    CinderVolumeSource volumeID fsType readOnly secretRef
    ClientIPConfig timeoutSeconds
    ClusterTrustBundleProjection name signerName labelSelector path optional
    ComponentCondition type status message error
    ComponentStatus metadata conditions
    ConfigMap metadata data binaryData immutable
    ConfigMapEnvSource ^LocalObjectReference optional
    ConfigMapKeySelector ^LocalObjectReference key optional
    ConfigMapNodeConfigSource namespace name uid resourceVersion kubeletConfigKey
    ConfigMapProjection ^LocalObjectReference items optional=4
    ConfigMapVolumeSource ^LocalObjectReference items defaultMode optional
    Container name image command args workingDir ports env resources volumeMounts livenessProbe readinessProbe lifecycle terminationMessagePath imagePullPolicy securityContext stdin stdinOnce tty envFrom terminationMessagePolicy volumeDevices startupProbe resizePolicy restartPolicy restartPolicyRules
    ContainerExtendedResourceRequest containerName resourceName requestName
    ContainerImage names sizeBytes
    ContainerPort name hostPort containerPort protocol hostIP
    ContainerResizePolicy resourceName restartPolicy
    ContainerRestartRule action exitCodes
    ContainerRestartRuleOnExitCodes operator values
    ContainerState waiting running terminated
    ContainerStateRunning startedAt
    ContainerStateTerminated exitCode signal reason message startedAt finishedAt containerID
    ContainerStateWaiting reason message
    ContainerStatus name state lastState ready restartCount image imageID containerID started allocatedResources resources volumeMounts user allocatedResourcesStatus stopSignal
    ContainerUser linux
    DaemonEndpoint Port
    DownwardAPIProjection items
    DownwardAPIVolumeFile path fieldRef resourceFieldRef mode
    DownwardAPIVolumeSource items defaultMode
    EmptyDirVolumeSource medium sizeLimit
    EndpointAddress ip targetRef hostname nodeName
    EndpointPort name port protocol appProtocol
    EndpointSubset addresses notReadyAddresses ports
    Endpoints metadata subsets
    EnvFromSource prefix configMapRef secretRef
    EnvVar name value valueFrom
    EnvVarSource fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef
    EphemeralContainer ^EphemeralContainerCommon targetContainerName
    EphemeralContainerCommon name image command args workingDir ports env resources volumeMounts livenessProbe readinessProbe lifecycle terminationMessagePath imagePullPolicy securityContext stdin stdinOnce tty envFrom terminationMessagePolicy volumeDevices startupProbe resizePolicy restartPolicy restartPolicyRules
    EphemeralVolumeSource volumeClaimTemplate
    Event metadata involvedObject reason message source firstTimestamp lastTimestamp count type eventTime series action related reportingComponent reportingInstance
    EventSeries count lastObservedTime
    EventSource component host
    ExecAction command
    FCVolumeSource targetWWNs lun fsType readOnly wwids
    FileKeySelector volumeName path key optional
    FlexPersistentVolumeSource driver fsType secretRef readOnly options
    FlexVolumeSource driver fsType secretRef readOnly options
    FlockerVolumeSource datasetName datasetUUID
    GCEPersistentDiskVolumeSource pdName fsType partition readOnly
    GRPCAction port service
    GitRepoVolumeSource repository revision directory
    GlusterfsPersistentVolumeSource endpoints path readOnly endpointsNamespace
    GlusterfsVolumeSource endpoints path readOnly
    HTTPGetAction path port host scheme httpHeaders
    HTTPHeader name value
    HostAlias ip hostnames
    HostIP ip
    HostPathVolumeSource path type
    ISCSIPersistentVolumeSource targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery secretRef=10 chapAuthSession initiatorName
    ISCSIVolumeSource targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery secretRef=10 chapAuthSession initiatorName
    ImageVolumeSource reference pullPolicy
    ImageVolumeStatus imageRef
    KeyToPath key path mode
    Lifecycle postStart preStop stopSignal
    LifecycleHandler exec httpGet tcpSocket sleep
    LimitRange metadata spec
    LimitRangeItem type max min default defaultRequest maxLimitRequestRatio
    LimitRangeSpec limits
    LinuxContainerUser uid gid supplementalGroups
    LoadBalancerIngress ip hostname ipMode ports
    LoadBalancerStatus ingress
    LocalObjectReference name
    LocalVolumeSource path fsType
    ModifyVolumeStatus targetVolumeAttributesClassName status
    NFSVolumeSource server path readOnly
    Namespace metadata spec status
    NamespaceCondition type status lastTransitionTime=4 reason message
    NamespaceSpec finalizers
    NamespaceStatus phase conditions
    Node metadata spec status
    NodeAddress type address
    NodeAffinity requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution
    NodeAllocatableResourceClaimStatus resourceClaimName containers resources
    NodeCondition type status lastHeartbeatTime lastTransitionTime reason message
    NodeConfigSource configMap=2
    NodeConfigStatus assigned active lastKnownGood error
    NodeDaemonEndpoints kubeletEndpoint
    NodeFeatures supplementalGroupsPolicy
    NodeRuntimeHandler name features
    NodeRuntimeHandlerFeatures recursiveReadOnlyMounts userNamespaces
    NodeSelector nodeSelectorTerms
    NodeSelectorRequirement key operator values
    NodeSelectorTerm matchExpressions matchFields
    NodeSpec podCIDR externalID providerID unschedulable taints configSource podCIDRs
    NodeStatus capacity allocatable phase conditions addresses daemonEndpoints nodeInfo images volumesInUse volumesAttached config runtimeHandlers features declaredFeatures
    NodeSwapStatus capacity
    NodeSystemInfo machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion kubeletVersion kubeProxyVersion operatingSystem architecture swap
    ObjectFieldSelector apiVersion fieldPath
    ObjectReference kind namespace name uid apiVersion resourceVersion fieldPath
    PersistentVolume metadata spec status
    PersistentVolumeClaim metadata spec status
    PersistentVolumeClaimCondition type status lastProbeTime lastTransitionTime reason message
    PersistentVolumeClaimSpec accessModes resources volumeName selector storageClassName volumeMode dataSource dataSourceRef volumeAttributesClassName
    PersistentVolumeClaimStatus phase accessModes capacity conditions allocatedResources allocatedResourceStatuses=7 currentVolumeAttributesClassName modifyVolumeStatus
    PersistentVolumeClaimTemplate metadata spec
    PersistentVolumeClaimVolumeSource claimName readOnly
    PersistentVolumeSource gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd iscsi cinder cephfs fc flocker flexVolume azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO local storageos csi
    PersistentVolumeSpec capacity ^PersistentVolumeSource accessModes claimRef persistentVolumeReclaimPolicy storageClassName mountOptions volumeMode nodeAffinity volumeAttributesClassName
    PersistentVolumeStatus phase message reason lastPhaseTransitionTime
    PhotonPersistentDiskVolumeSource pdID fsType
    Pod metadata spec status
    PodAffinity requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution
    PodAffinityTerm labelSelector namespaces topologyKey namespaceSelector matchLabelKeys mismatchLabelKeys
    PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution
    PodCertificateProjection signerName keyType maxExpirationSeconds credentialBundlePath keyPath certificateChainPath userAnnotations
    PodCondition type status lastProbeTime lastTransitionTime reason message observedGeneration
    PodDNSConfig nameservers searches options
    PodDNSConfigOption name value
    PodExtendedResourceClaimStatus requestMappings resourceClaimName
    PodIP ip
    PodOS name
    PodReadinessGate conditionType
    PodResourceClaim name resourceClaimName=3 resourceClaimTemplateName
    PodResourceClaimStatus name resourceClaimName
    PodSchedulingGate name
    PodSchedulingGroup podGroupName
    PodSecurityContext seLinuxOptions runAsUser runAsNonRoot supplementalGroups fsGroup runAsGroup sysctls windowsOptions fsGroupChangePolicy seccompProfile appArmorProfile supplementalGroupsPolicy seLinuxChangePolicy
    PodSpec volumes containers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount nodeName hostNetwork hostPID hostIPC securityContext imagePullSecrets hostname subdomain affinity schedulerName initContainers automountServiceAccountToken tolerations hostAliases priorityClassName priority dnsConfig shareProcessNamespace readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints ephemeralContainers setHostnameAsFQDN os hostUsers schedulingGates resourceClaims resources hostnameOverride schedulingGroup=43
    PodStatus phase conditions message reason hostIP podIP startTime containerStatuses qosClass initContainerStatuses nominatedNodeName podIPs ephemeralContainerStatuses resize resourceClaimStatuses hostIPs observedGeneration extendedResourceClaimStatus allocatedResources resources nodeAllocatableResourceClaimStatuses
    PodTemplate metadata template
    PodTemplateSpec metadata spec
    PortStatus port protocol error
    PortworxVolumeSource volumeID fsType readOnly
    PreferredSchedulingTerm weight preference
    Probe ^ProbeHandler initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold terminationGracePeriodSeconds
    ProbeHandler exec httpGet tcpSocket grpc
    ProjectedVolumeSource sources defaultMode
    QuobyteVolumeSource registry volume readOnly user group tenant
    RBDPersistentVolumeSource monitors image fsType pool user keyring secretRef readOnly
    RBDVolumeSource monitors image fsType pool user keyring secretRef readOnly
    ReplicationController metadata spec status
    ReplicationControllerCondition type status lastTransitionTime reason message
    ReplicationControllerSpec replicas selector template minReadySeconds
    ReplicationControllerStatus replicas fullyLabeledReplicas observedGeneration readyReplicas availableReplicas conditions
    ResourceClaim name request
    ResourceFieldSelector containerName resource divisor
    ResourceHealth resourceID health message=6
    ResourceQuota metadata spec status
    ResourceQuotaSpec hard scopes scopeSelector
    ResourceQuotaStatus hard used
    ResourceRequirements limits requests claims
    ResourceStatus name resources
    SELinuxOptions user role type level
    ScaleIOPersistentVolumeSource gateway system secretRef sslEnabled protectionDomain storagePool storageMode volumeName fsType readOnly
    ScaleIOVolumeSource gateway system secretRef sslEnabled protectionDomain storagePool storageMode volumeName fsType readOnly
    ScopeSelector matchExpressions
    ScopedResourceSelectorRequirement scopeName operator values
    SeccompProfile type localhostProfile
    Secret metadata data type stringData immutable
    SecretEnvSource ^LocalObjectReference optional
    SecretKeySelector ^LocalObjectReference key optional
    SecretProjection ^LocalObjectReference items optional=4
    SecretReference name namespace
    SecretVolumeSource secretName items defaultMode optional
    SecurityContext capabilities privileged seLinuxOptions runAsUser runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation runAsGroup procMount windowsOptions seccompProfile appArmorProfile
    Service metadata spec status
    ServiceAccount metadata secrets imagePullSecrets automountServiceAccountToken
    ServiceAccountTokenProjection audience expirationSeconds path
    ServicePort name protocol port targetPort nodePort appProtocol
    ServiceSpec ports selector clusterIP type externalIPs sessionAffinity=7 loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses sessionAffinityConfig ipFamilyPolicy=17 clusterIPs ipFamilies allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution
    ServiceStatus loadBalancer conditions
    SessionAffinityConfig clientIP
    SleepAction seconds
    StorageOSPersistentVolumeSource volumeName volumeNamespace fsType readOnly secretRef
    StorageOSVolumeSource volumeName volumeNamespace fsType readOnly secretRef
    Sysctl name value
    TCPSocketAction port host
    Taint key value effect timeAdded
    Toleration key operator value effect tolerationSeconds
    TopologySelectorLabelRequirement key values
    TopologySelectorTerm matchLabelExpressions
    TopologySpreadConstraint maxSkew topologyKey whenUnsatisfiable labelSelector minDomains nodeAffinityPolicy nodeTaintsPolicy matchLabelKeys
    TypedLocalObjectReference apiGroup kind name
    TypedObjectReference apiGroup kind name namespace
    Volume name ^VolumeSource
    VolumeDevice name devicePath
    VolumeMount name readOnly mountPath subPath mountPropagation subPathExpr recursiveReadOnly
    VolumeMountStatus name mountPath readOnly recursiveReadOnly volumeStatus
    VolumeNodeAffinity required
    VolumeProjection secret downwardAPI configMap serviceAccountToken clusterTrustBundle podCertificate
    VolumeResourceRequirements limits requests
    VolumeSource hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO projected storageos csi ephemeral image
    VolumeStatus image
    VsphereVirtualDiskVolumeSource volumePath fsType storagePolicyName storagePolicyID
    WeightedPodAffinityTerm weight podAffinityTerm
    WindowsSecurityContextOptions gmsaCredentialSpecName gmsaCredentialSpec runAsUserName hostProcess
  `,
  "io.k8s.api.discovery.v1": `
    Endpoint addresses conditions hostname targetRef deprecatedTopology nodeName zone hints
    EndpointConditions ready serving terminating
    EndpointHints forZones forNodes
    EndpointPort name protocol port appProtocol
    EndpointSlice metadata endpoints ports addressType
    ForNode name
    ForZone name
  `,
  "io.k8s.api.events.v1": `
    Event metadata eventTime series reportingController reportingInstance action reason regarding related note type deprecatedSource deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedCount
    EventSeries count lastObservedTime
  `,
  "io.k8s.api.flowcontrol.v1": `
    ExemptPriorityLevelConfiguration nominalConcurrencyShares lendablePercent
    FlowDistinguisherMethod type
    FlowSchema metadata spec status
    FlowSchemaCondition type status lastTransitionTime reason message
    FlowSchemaSpec priorityLevelConfiguration matchingPrecedence distinguisherMethod rules
    FlowSchemaStatus conditions
    GroupSubject name
    LimitResponse type queuing
    LimitedPriorityLevelConfiguration nominalConcurrencyShares limitResponse lendablePercent borrowingLimitPercent
    NonResourcePolicyRule verbs nonResourceURLs=6
    PolicyRulesWithSubjects subjects resourceRules nonResourceRules
    PriorityLevelConfiguration metadata spec status
    PriorityLevelConfigurationCondition type status lastTransitionTime reason message
    PriorityLevelConfigurationReference name
    PriorityLevelConfigurationSpec type limited exempt
    PriorityLevelConfigurationStatus conditions
    QueuingConfiguration queues handSize queueLengthLimit
    ResourcePolicyRule verbs apiGroups resources clusterScope namespaces
    ServiceAccountSubject namespace name
    Subject kind user group serviceAccount
    UserSubject name
  `,
  "io.k8s.api.networking.v1": `
    HTTPIngressPath path backend pathType
    HTTPIngressRuleValue paths
    IPAddress metadata spec
    IPAddressSpec parentRef
    IPBlock cidr except
    Ingress metadata spec status
    IngressBackend resource=3 service
    IngressClass metadata spec
    IngressClassParametersReference apiGroup kind name scope namespace
    IngressClassSpec controller parameters
    IngressLoadBalancerIngress ip hostname ports=4
    IngressLoadBalancerStatus ingress
    IngressPortStatus port protocol error
    IngressRule host ^IngressRuleValue
    IngressRuleValue http
    IngressServiceBackend name port
    IngressSpec defaultBackend tls rules ingressClassName
    IngressStatus loadBalancer
    IngressTLS hosts secretName
    NetworkPolicy metadata spec
    NetworkPolicyEgressRule ports to
    NetworkPolicyIngressRule ports from
    NetworkPolicyPeer podSelector namespaceSelector ipBlock
    NetworkPolicyPort protocol port endPort
    NetworkPolicySpec podSelector ingress egress policyTypes
    ParentReference group resource namespace name
    ServiceBackendPort name number
    ServiceCIDR metadata spec status
    ServiceCIDRSpec cidrs
    ServiceCIDRStatus conditions
  `,
  "io.k8s.api.node.v1": `
    Overhead podFixed
    RuntimeClass metadata handler overhead scheduling
    Scheduling nodeSelector tolerations
  `,
  "io.k8s.api.policy.v1": `
    Eviction metadata deleteOptions
    PodDisruptionBudget metadata spec status
    PodDisruptionBudgetSpec minAvailable selector maxUnavailable unhealthyPodEvictionPolicy
    PodDisruptionBudgetStatus observedGeneration disruptedPods disruptionsAllowed currentHealthy desiredHealthy expectedPods conditions
  `,
  "io.k8s.api.rbac.v1": `
    AggregationRule clusterRoleSelectors
    ClusterRole metadata rules aggregationRule
    ClusterRoleBinding metadata subjects roleRef
    PolicyRule verbs apiGroups resources resourceNames nonResourceURLs
    Role metadata rules
    RoleBinding metadata subjects roleRef
    RoleRef apiGroup kind name
    Subject kind apiGroup name namespace
  `,
  "io.k8s.api.resource.v1": `
    AllocatedDeviceStatus driver pool device conditions data networkData shareID
    AllocationResult devices nodeSelector=3 allocationTimestamp=5
    CELDeviceSelector expression
    CapacityRequestPolicy default validValues=3 validRange
    CapacityRequestPolicyRange min max step
    CapacityRequirements requests
    Counter value
    CounterSet name counters
    Device name attributes capacity consumesCounters nodeName nodeSelector allNodes taints bindsToNode bindingConditions bindingFailureConditions allowMultipleAllocations nodeAllocatableResourceMappings
    DeviceAllocationConfiguration source requests ^DeviceConfiguration
    DeviceAllocationResult results config
    DeviceAttribute int=2 bool string version ints bools strings versions
    DeviceCapacity value requestPolicy
    DeviceClaim requests constraints config
    DeviceClaimConfiguration requests ^DeviceConfiguration
    DeviceClass metadata spec
    DeviceClassConfiguration ^DeviceConfiguration
    DeviceClassSpec selectors config extendedResourceName=4
    DeviceConfiguration opaque
    DeviceConstraint requests matchAttribute distinctAttribute
    DeviceCounterConsumption counterSet counters
    DeviceRequest name exactly firstAvailable
    DeviceRequestAllocationResult request driver pool device adminAccess tolerations bindingConditions bindingFailureConditions shareID consumedCapacity
    DeviceSelector cel
    DeviceSubRequest name deviceClassName selectors allocationMode count tolerations capacity
    DeviceTaint key value effect timeAdded
    DeviceToleration key operator value effect tolerationSeconds
    ExactDeviceRequest deviceClassName selectors allocationMode count adminAccess tolerations capacity
    NetworkDeviceData interfaceName ips hardwareAddress
    NodeAllocatableResourceMapping capacityKey allocationMultiplier
    OpaqueDeviceConfiguration driver parameters
    ResourceClaim metadata spec status
    ResourceClaimConsumerReference apiGroup resource=3 name uid
    ResourceClaimSpec devices
    ResourceClaimStatus allocation reservedFor devices=4
    ResourceClaimTemplate metadata spec
    ResourceClaimTemplateSpec metadata spec
    ResourcePool name generation resourceSliceCount
    ResourceSlice metadata spec
    ResourceSliceSpec driver pool nodeName nodeSelector allNodes devices perDeviceNodeSelection sharedCounters
  `,
  "io.k8s.api.scheduling.v1": `
    PriorityClass metadata value globalDefault description preemptionPolicy
  `,
  "io.k8s.api.storage.v1": `
    CSIDriver metadata spec
    CSIDriverSpec attachRequired podInfoOnMount volumeLifecycleModes storageCapacity fsGroupPolicy tokenRequests requiresRepublish seLinuxMount nodeAllocatableUpdatePeriodSeconds serviceAccountTokenInSecrets preventPodSchedulingIfMissing
    CSINode metadata spec
    CSINodeDriver name nodeID topologyKeys allocatable
    CSINodeSpec drivers
    CSIStorageCapacity metadata nodeTopology storageClassName capacity maximumVolumeSize
    StorageClass metadata provisioner parameters reclaimPolicy mountOptions allowVolumeExpansion volumeBindingMode allowedTopologies
    TokenRequest audience expirationSeconds
    VolumeAttachment metadata spec status
    VolumeAttachmentSource persistentVolumeName inlineVolumeSpec
    VolumeAttachmentSpec attacher source nodeName
    VolumeAttachmentStatus attached attachmentMetadata attachError detachError
    VolumeAttributesClass metadata driverName parameters
    VolumeError time message errorCode
    VolumeNodeResources count
  `,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1": `
    CustomResourceColumnDefinition name type format description priority jsonPath
    CustomResourceConversion strategy webhook
    CustomResourceDefinition metadata spec status
    CustomResourceDefinitionCondition type status lastTransitionTime reason message observedGeneration
    CustomResourceDefinitionNames plural singular shortNames kind listKind categories
    CustomResourceDefinitionSpec group names=3 scope versions=7 conversion=9 preserveUnknownFields
    CustomResourceDefinitionStatus conditions acceptedNames storedVersions observedGeneration
    CustomResourceDefinitionVersion name served storage schema subresources additionalPrinterColumns deprecated deprecationWarning selectableFields
    CustomResourceSubresourceScale specReplicasPath statusReplicasPath labelSelectorPath
    CustomResourceSubresources status scale
    CustomResourceValidation openAPIV3Schema
    ExternalDocumentation description url
    JSONSchemaProps id $schema $ref description type format title default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf enum maxProperties minProperties required items allOf oneOf anyOf not properties additionalProperties patternProperties dependencies additionalItems definitions externalDocs example nullable x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-validations
    SelectableField jsonPath
    ServiceReference namespace name path port
    ValidationRule rule message messageExpression reason fieldPath optionalOldSelf
    WebhookClientConfig service caBundle url
    WebhookConversion clientConfig=2 conversionReviewVersions
  `,
  "io.k8s.apimachinery.pkg.apis.meta.v1": `
    APIGroup name versions preferredVersion serverAddressByClientCIDRs
    APIGroupList groups
    APIResource name namespaced kind verbs shortNames singularName categories group version storageVersionHash
    APIResourceList groupVersion resources
    APIVersions versions serverAddressByClientCIDRs
    Condition type status observedGeneration lastTransitionTime reason message
    DeleteOptions gracePeriodSeconds preconditions orphanDependents propagationPolicy dryRun ignoreStoreReadErrorWithClusterBreakingPotential
    FieldSelectorRequirement key operator values
    GroupVersionForDiscovery groupVersion version
    LabelSelector matchLabels matchExpressions
    LabelSelectorRequirement key operator values
    ListMeta selfLink resourceVersion continue remainingItemCount shardInfo
    ManagedFieldsEntry manager operation apiVersion time fieldsType=6 fieldsV1 subresource
    ObjectMeta name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields=17
    OwnerReference kind name=3 uid apiVersion controller blockOwnerDeletion
    Preconditions uid resourceVersion
    ServerAddressByClientCIDR clientCIDR serverAddress
    ShardInfo selector
    Status metadata status message reason details code
    StatusCause reason message field
    StatusDetails name group kind causes retryAfterSeconds uid
    WatchEvent type object
  `,
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1": `
    APIService metadata spec status
    APIServiceCondition type status lastTransitionTime reason message
    APIServiceSpec service group version insecureSkipTLSVerify caBundle groupPriorityMinimum=7 versionPriority
    APIServiceStatus conditions
    ServiceReference namespace name port
  `,
};
