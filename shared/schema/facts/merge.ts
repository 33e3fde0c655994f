/*
 * How the fields of each definition merge, by Go package. A line is a definition and its fields:
 *
 *   field=<list type>(<map keys>)/<patch strategy>(<merge key>)
 *
 * List types (atomic, set, map) and map types (granular, atomic) rule server-side apply; what stands behind the slash
 * rules strategic merge patches. Either may be missing. A list that is not named here is atomic.
 */
export const MERGE_FACTS: Record<string, string> = {
  "io.k8s.api.admissionregistration.v1": `
    MatchResources excludeResourceRules=atomic resourceRules=atomic
    MutatingAdmissionPolicySpec matchConditions=map(name)/merge(name) mutations=atomic variables=atomic
    MutatingWebhook admissionReviewVersions=atomic matchConditions=map(name)/merge(name) rules=atomic
    MutatingWebhookConfiguration webhooks=map(name)/merge(name)
    NamedRuleWithOperations apiGroups=atomic apiVersions=atomic operations=atomic resourceNames=atomic resources=atomic
    RuleWithOperations apiGroups=atomic apiVersions=atomic operations=atomic resources=atomic
    TypeChecking expressionWarnings=atomic
    ValidatingAdmissionPolicyBindingSpec validationActions=set
    ValidatingAdmissionPolicySpec auditAnnotations=atomic matchConditions=map(name)/merge(name) validations=atomic variables=map(name)/merge(name)
    ValidatingAdmissionPolicyStatus conditions=map(type)
    ValidatingWebhook admissionReviewVersions=atomic matchConditions=map(name)/merge(name) rules=atomic
    ValidatingWebhookConfiguration webhooks=map(name)/merge(name)
  `,
  "io.k8s.api.apps.v1": `
    DaemonSetStatus conditions=map(type)/merge(type)
    DeploymentSpec strategy=/retainKeys
    DeploymentStatus conditions=map(type)/merge(type)
    ReplicaSetStatus conditions=map(type)/merge(type)
    StatefulSetSpec volumeClaimTemplates=atomic
    StatefulSetStatus conditions=map(type)/merge(type)
  `,
  "io.k8s.api.authentication.v1": `
    TokenRequestSpec audiences=atomic
    TokenReviewSpec audiences=atomic
    TokenReviewStatus audiences=atomic
    UserInfo groups=atomic
  `,
  "io.k8s.api.authorization.v1": `
    FieldSelectorAttributes requirements=atomic
    LabelSelectorAttributes requirements=atomic
    NonResourceRule nonResourceURLs=atomic verbs=atomic
    ResourceRule apiGroups=atomic resourceNames=atomic resources=atomic verbs=atomic
    SubjectAccessReviewSpec groups=atomic
    SubjectRulesReviewStatus nonResourceRules=atomic resourceRules=atomic
  `,
  "io.k8s.api.autoscaling.v2": `
    HPAScalingRules policies=atomic
    HorizontalPodAutoscalerSpec metrics=atomic
    HorizontalPodAutoscalerStatus conditions=map(type)/merge(type) currentMetrics=atomic
  `,
  "io.k8s.api.batch.v1": `
    CronJobStatus active=atomic
    JobStatus conditions=atomic/merge(type)
    PodFailurePolicy rules=atomic
    PodFailurePolicyOnExitCodesRequirement values=set
    PodFailurePolicyRule onPodConditions=atomic
    SuccessPolicy rules=atomic
    UncountedTerminatedPods failed=set succeeded=set
  `,
  "io.k8s.api.certificates.v1": `
    CertificateSigningRequestSpec groups=atomic usages=atomic
    CertificateSigningRequestStatus conditions=map(type)
  `,
  "io.k8s.api.core.v1": `
    Capabilities add=atomic drop=atomic
    CephFSPersistentVolumeSource monitors=atomic
    CephFSVolumeSource monitors=atomic
    ComponentStatus conditions=map(type)/merge(type)
    ConfigMapProjection items=atomic
    ConfigMapVolumeSource items=atomic
    Container args=atomic command=atomic env=map(name)/merge(name) envFrom=atomic ports=map(containerPort,protocol)/merge(containerPort) resizePolicy=atomic restartPolicyRules=atomic volumeDevices=map(devicePath)/merge(devicePath) volumeMounts=map(mountPath)/merge(mountPath)
    ContainerImage names=atomic
    ContainerRestartRuleOnExitCodes values=set
    ContainerStatus allocatedResourcesStatus=map(name)/merge(name) volumeMounts=map(mountPath)/merge(mountPath)
    DownwardAPIProjection items=atomic
    DownwardAPIVolumeSource items=atomic
    EndpointSubset addresses=atomic notReadyAddresses=atomic ports=atomic
    Endpoints subsets=atomic
    EphemeralContainer args=atomic command=atomic env=map(name)/merge(name) envFrom=atomic ports=map(containerPort,protocol)/merge(containerPort) resizePolicy=atomic restartPolicyRules=atomic volumeDevices=map(devicePath)/merge(devicePath) volumeMounts=map(mountPath)/merge(mountPath)
    ExecAction command=atomic
    FCVolumeSource targetWWNs=atomic wwids=atomic
    HTTPGetAction httpHeaders=atomic
    HostAlias hostnames=atomic
    ISCSIPersistentVolumeSource portals=atomic
    ISCSIVolumeSource portals=atomic
    LimitRangeSpec limits=atomic
    LinuxContainerUser supplementalGroups=atomic
    LoadBalancerIngress ports=atomic
    LoadBalancerStatus ingress=atomic
    NamespaceSpec finalizers=atomic
    NamespaceStatus conditions=map(type)/merge(type)
    NodeAffinity preferredDuringSchedulingIgnoredDuringExecution=atomic
    NodeAllocatableResourceClaimStatus containers=set
    NodeSelector nodeSelectorTerms=atomic
    NodeSelectorRequirement values=atomic
    NodeSelectorTerm matchExpressions=atomic matchFields=atomic
    NodeSpec podCIDRs=set/merge taints=atomic
    NodeStatus addresses=map(type)/merge(type) conditions=map(type)/merge(type) declaredFeatures=atomic images=atomic runtimeHandlers=atomic volumesAttached=atomic volumesInUse=atomic
    PersistentVolumeClaimSpec accessModes=atomic
    PersistentVolumeClaimStatus accessModes=atomic conditions=map(type)/merge(type) allocatedResourceStatuses=granular
    PersistentVolumeSpec accessModes=atomic mountOptions=atomic claimRef=granular
    PodAffinity preferredDuringSchedulingIgnoredDuringExecution=atomic requiredDuringSchedulingIgnoredDuringExecution=atomic
    PodAffinityTerm matchLabelKeys=atomic mismatchLabelKeys=atomic namespaces=atomic
    PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution=atomic requiredDuringSchedulingIgnoredDuringExecution=atomic
    PodDNSConfig nameservers=atomic options=atomic searches=atomic
    PodExtendedResourceClaimStatus requestMappings=atomic
    PodSecurityContext supplementalGroups=atomic sysctls=atomic
    PodSpec containers=map(name)/merge(name) ephemeralContainers=map(name)/merge(name) hostAliases=map(ip)/merge(ip) imagePullSecrets=map(name)/merge(name) initContainers=map(name)/merge(name) readinessGates=atomic resourceClaims=map(name)/merge,retainKeys(name) schedulingGates=map(name)/merge(name) tolerations=atomic topologySpreadConstraints=map(topologyKey,whenUnsatisfiable)/merge(topologyKey) volumes=map(name)/merge,retainKeys(name) nodeSelector=atomic
    PodStatus conditions=map(type)/merge(type) containerStatuses=atomic ephemeralContainerStatuses=atomic hostIPs=atomic/merge(ip) initContainerStatuses=atomic nodeAllocatableResourceClaimStatuses=atomic podIPs=map(ip)/merge(ip) resourceClaimStatuses=map(name)/merge,retainKeys(name)
    ProjectedVolumeSource sources=atomic
    RBDPersistentVolumeSource monitors=atomic
    RBDVolumeSource monitors=atomic
    ReplicationControllerSpec selector=atomic
    ReplicationControllerStatus conditions=map(type)/merge(type)
    ResourceQuotaSpec scopes=atomic
    ResourceRequirements claims=map(name)
    ResourceStatus resources=map(resourceID)
    ScopeSelector matchExpressions=atomic
    ScopedResourceSelectorRequirement values=atomic
    SecretProjection items=atomic
    SecretVolumeSource items=atomic
    ServiceAccount imagePullSecrets=atomic secrets=map(name)/merge(name)
    ServiceSpec clusterIPs=atomic externalIPs=atomic ipFamilies=atomic loadBalancerSourceRanges=atomic ports=map(port,protocol)/merge(port) selector=atomic
    ServiceStatus conditions=map(type)/merge(type)
    TopologySelectorLabelRequirement values=atomic
    TopologySelectorTerm matchLabelExpressions=atomic
    TopologySpreadConstraint matchLabelKeys=atomic
  `,
  "io.k8s.api.discovery.v1": `
    Endpoint addresses=set
    EndpointHints forNodes=atomic forZones=atomic
    EndpointSlice endpoints=atomic ports=atomic
  `,
  "io.k8s.api.flowcontrol.v1": `
    FlowSchemaSpec rules=atomic
    FlowSchemaStatus conditions=map(type)/merge(type)
    NonResourcePolicyRule nonResourceURLs=set verbs=set
    PolicyRulesWithSubjects nonResourceRules=atomic resourceRules=atomic subjects=atomic
    PriorityLevelConfigurationStatus conditions=map(type)/merge(type)
    ResourcePolicyRule apiGroups=set namespaces=set resources=set verbs=set
  `,
  "io.k8s.api.networking.v1": `
    HTTPIngressRuleValue paths=atomic
    IPBlock except=atomic
    IngressLoadBalancerIngress ports=atomic
    IngressLoadBalancerStatus ingress=atomic
    IngressSpec rules=atomic tls=atomic
    IngressTLS hosts=atomic
    NetworkPolicyEgressRule ports=atomic to=atomic
    NetworkPolicyIngressRule from=atomic ports=atomic
    NetworkPolicySpec egress=atomic ingress=atomic policyTypes=atomic
    ServiceCIDRSpec cidrs=atomic
    ServiceCIDRStatus conditions=map(type)/merge(type)
  `,
  "io.k8s.api.node.v1": `
    Scheduling tolerations=atomic nodeSelector=atomic
  `,
  "io.k8s.api.policy.v1": `
    PodDisruptionBudgetSpec selector=/replace
    PodDisruptionBudgetStatus conditions=map(type)/merge(type)
  `,
  "io.k8s.api.rbac.v1": `
    AggregationRule clusterRoleSelectors=atomic
    ClusterRole rules=atomic
    ClusterRoleBinding subjects=atomic
    PolicyRule apiGroups=atomic nonResourceURLs=atomic resourceNames=atomic resources=atomic verbs=atomic
    Role rules=atomic
    RoleBinding subjects=atomic
  `,
  "io.k8s.api.resource.v1": `
    AllocatedDeviceStatus conditions=map(type)
    CapacityRequestPolicy validValues=atomic
    Device bindingConditions=atomic bindingFailureConditions=atomic consumesCounters=atomic taints=atomic
    DeviceAllocationConfiguration requests=atomic
    DeviceAllocationResult config=atomic results=atomic
    DeviceAttribute bools=atomic ints=atomic strings=atomic versions=atomic
    DeviceClaim config=atomic constraints=atomic requests=atomic
    DeviceClaimConfiguration requests=atomic
    DeviceClassSpec config=atomic selectors=atomic
    DeviceConstraint requests=atomic
    DeviceRequest firstAvailable=atomic
    DeviceRequestAllocationResult bindingConditions=atomic bindingFailureConditions=atomic tolerations=atomic
    DeviceSubRequest selectors=atomic tolerations=atomic
    ExactDeviceRequest selectors=atomic tolerations=atomic
    NetworkDeviceData ips=atomic
    ResourceClaimStatus devices=map(driver,device,pool,shareID) reservedFor=map(uid)/merge(uid)
    ResourceSliceSpec devices=atomic sharedCounters=atomic
  `,
  "io.k8s.api.storage.v1": `
    CSIDriverSpec tokenRequests=atomic volumeLifecycleModes=set
    CSINodeDriver topologyKeys=atomic
    CSINodeSpec drivers=map(name)/merge(name)
    StorageClass allowedTopologies=atomic mountOptions=atomic
  `,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1": `
    CustomResourceDefinitionNames categories=atomic shortNames=atomic
    CustomResourceDefinitionSpec versions=atomic
    CustomResourceDefinitionStatus conditions=map(type) storedVersions=atomic
    CustomResourceDefinitionVersion additionalPrinterColumns=atomic selectableFields=atomic
    JSONSchemaProps allOf=atomic anyOf=atomic enum=atomic oneOf=atomic required=atomic x-kubernetes-list-map-keys=atomic x-kubernetes-validations=map(rule)/merge(rule)
    WebhookConversion conversionReviewVersions=atomic
  `,
  "io.k8s.apimachinery.pkg.apis.meta.v1": `
    APIGroup serverAddressByClientCIDRs=atomic versions=atomic
    APIGroupList groups=atomic
    APIResource categories=atomic shortNames=atomic
    APIResourceList resources=atomic
    APIVersions serverAddressByClientCIDRs=atomic versions=atomic
    DeleteOptions dryRun=atomic
    FieldSelectorRequirement values=atomic
    LabelSelector matchExpressions=atomic
    LabelSelectorRequirement values=atomic
    ObjectMeta finalizers=set/merge managedFields=atomic ownerReferences=map(uid)/merge(uid)
    StatusDetails causes=atomic
  `,
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1": `
    APIServiceSpec caBundle=atomic
    APIServiceStatus conditions=map(type)/merge(type)
  `,
};

/** Definitions that server-side apply owns as a whole, by Go package. */
export const ATOMIC_DEFINITIONS: Record<string, string> = {
  "io.k8s.api.admissionregistration.v1": "MatchResources NamedRuleWithOperations ParamKind ParamRef Variable",
  "io.k8s.api.autoscaling.v1": "CrossVersionObjectReference",
  "io.k8s.api.core.v1":
    "ConfigMapKeySelector EndpointAddress EndpointPort FileKeySelector LocalObjectReference NodeSelector NodeSelectorTerm ObjectFieldSelector ObjectReference ResourceFieldSelector ScopeSelector SecretKeySelector SecretReference TopologySelectorTerm TypedLocalObjectReference",
  "io.k8s.api.discovery.v1": "EndpointPort",
  "io.k8s.api.networking.v1": "ServiceBackendPort",
  "io.k8s.api.rbac.v1": "RoleRef Subject",
  "io.k8s.apimachinery.pkg.apis.meta.v1": "LabelSelector OwnerReference",
};
