/*
 * Fields that take a constant when they are not set, by Go package. A line is a definition and its `field=value`s; a
 * value is JSON, or else a text. What depends on other fields (a type, an image's tag) is the strategies' business.
 */
export const DEFAULTS: Record<string, string> = {
  "io.k8s.api.core.v1": `
    AzureDiskVolumeSource cachingMode=ReadWrite fsType=ext4 kind=Shared readOnly=false
    ConfigMapVolumeSource defaultMode=420
    Container terminationMessagePath=/dev/termination-log terminationMessagePolicy=File
    ContainerPort protocol=TCP
    DownwardAPIVolumeSource defaultMode=420
    EndpointPort protocol=TCP
    EphemeralContainer terminationMessagePath=/dev/termination-log terminationMessagePolicy=File
    FileKeySelector optional=false
    GRPCAction service=""
    HTTPGetAction path=/ scheme=HTTP
    HostPathVolumeSource type=""
    ISCSIPersistentVolumeSource iscsiInterface=default
    ISCSIVolumeSource iscsiInterface=default
    NamespaceStatus phase=Active
    ObjectFieldSelector apiVersion=v1
    PersistentVolumeClaimSpec volumeMode=Filesystem
    PersistentVolumeClaimStatus phase=Pending
    PersistentVolumeStatus phase=Pending
    PodSpec dnsPolicy=ClusterFirst restartPolicy=Always schedulerName=default-scheduler securityContext={} terminationGracePeriodSeconds=30
    Probe failureThreshold=3 periodSeconds=10 successThreshold=1 timeoutSeconds=1
    ProjectedVolumeSource defaultMode=420
    RBDPersistentVolumeSource keyring=/etc/ceph/keyring pool=rbd user=admin
    RBDVolumeSource keyring=/etc/ceph/keyring pool=rbd user=admin
    ReplicationControllerSpec replicas=1
    ScaleIOPersistentVolumeSource fsType=xfs storageMode=ThinProvisioned
    ScaleIOVolumeSource fsType=xfs storageMode=ThinProvisioned
    Secret type=Opaque
    SecretVolumeSource defaultMode=420
    ServiceAccountTokenProjection expirationSeconds=3600
    ServicePort protocol=TCP
    ServiceSpec sessionAffinity=None type=ClusterIP
  `,
  "io.k8s.api.apps.v1": `
    DaemonSetSpec revisionHistoryLimit=10
    DaemonSetUpdateStrategy type=RollingUpdate
    DeploymentSpec progressDeadlineSeconds=600 replicas=1 revisionHistoryLimit=10
    DeploymentStrategy type=RollingUpdate
    ReplicaSetSpec replicas=1
    RollingUpdateDaemonSet maxSurge=0 maxUnavailable=1
    RollingUpdateDeployment maxSurge=25% maxUnavailable=25%
    RollingUpdateStatefulSetStrategy partition=0
    StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=Retain whenScaled=Retain
    StatefulSetSpec persistentVolumeClaimRetentionPolicy={} podManagementPolicy=OrderedReady replicas=1 revisionHistoryLimit=10
  `,
  "io.k8s.api.batch.v1": `
    CronJobSpec concurrencyPolicy=Allow failedJobsHistoryLimit=1 successfulJobsHistoryLimit=3 suspend=false
    PodFailurePolicyOnPodConditionsPattern status=True
  `,
  "io.k8s.api.autoscaling.v1": `
    HorizontalPodAutoscalerSpec minReplicas=1
  `,
  "io.k8s.api.autoscaling.v2": `
    HorizontalPodAutoscalerSpec minReplicas=1
  `,
  "io.k8s.api.networking.v1": `
    IngressClassParametersReference scope=Cluster
    NetworkPolicyPort protocol=TCP
  `,
  "io.k8s.api.storage.v1": `
    CSIDriverSpec attachRequired=true fsGroupPolicy=ReadWriteOnceWithFSType podInfoOnMount=false requiresRepublish=false seLinuxMount=false storageCapacity=false volumeLifecycleModes=["Persistent"]
    StorageClass reclaimPolicy=Delete volumeBindingMode=Immediate
  `,
  "io.k8s.api.discovery.v1": `
    EndpointPort name="" protocol=TCP
  `,
  "io.k8s.api.rbac.v1": `
    RoleRef apiGroup=rbac.authorization.k8s.io
  `,
  "io.k8s.api.admissionregistration.v1": `
    MatchResources matchPolicy=Equivalent namespaceSelector={} objectSelector={}
    MutatingAdmissionPolicySpec failurePolicy=Fail
    MutatingWebhook failurePolicy=Fail matchPolicy=Equivalent namespaceSelector={} objectSelector={} reinvocationPolicy=Never timeoutSeconds=10
    NamedRuleWithOperations scope=*
    RuleWithOperations scope=*
    ServiceReference port=443
    ValidatingAdmissionPolicySpec failurePolicy=Fail
    ValidatingWebhook failurePolicy=Fail matchPolicy=Equivalent namespaceSelector={} objectSelector={} timeoutSeconds=10
  `,
  "io.k8s.api.flowcontrol.v1": `
    ExemptPriorityLevelConfiguration lendablePercent=0 nominalConcurrencyShares=0
    FlowSchemaSpec matchingPrecedence=1000
    LimitedPriorityLevelConfiguration lendablePercent=0 nominalConcurrencyShares=30
    QueuingConfiguration handSize=8 queueLengthLimit=50 queues=64
  `,
  "io.k8s.api.resource.v1": `
    DeviceSubRequest allocationMode=ExactCount
    DeviceToleration operator=Equal
    ExactDeviceRequest allocationMode=ExactCount
  `,
  "io.k8s.api.scheduling.v1": `
    PriorityClass preemptionPolicy=PreemptLowerPriority
  `,
  "io.k8s.api.authentication.v1": `
    TokenRequestSpec expirationSeconds=3600
  `,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1": `
    CustomResourceDefinitionSpec conversion={"strategy":"None"}
    ServiceReference port=443
  `,
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1": `
    ServiceReference port=443
  `,
};

/** What a kind gives to a part that stands elsewhere too, without the default: a template's pod, a CronJob's job. */
export const KIND_DEFAULTS: Record<string, Record<string, Record<string, unknown>>> = {
  "io.k8s.api.core.v1.Pod": { spec: { enableServiceLinks: true } },
  "io.k8s.api.batch.v1.Job": { spec: { completionMode: "NonIndexed", manualSelector: false, suspend: false } },
};
