/*
 * The values of string types that are closed sets, as the API's documents publish them. By Go package of the field (a
 * type of another package has a line in each that uses it), a line is the type, as wire.ts names it, and its values: `_`
 * is a space, `""` the empty text. They are for readers; what is accepted is validation's matter.
 */
export const ENUMS: Record<string, string> = {
  "io.k8s.api.admissionregistration.v1": `
    FailurePolicyType Fail Ignore
    MatchPolicyType Equivalent Exact
    OperationType * CONNECT CREATE DELETE UPDATE
    PatchType ApplyConfiguration JSONPatch
    ReinvocationPolicyType IfNeeded Never
    ScopeType * Cluster Namespaced
    SideEffectClass None NoneOnDryRun Some Unknown
    ValidationAction Audit Deny Warn
  `,
  "io.k8s.api.apps.v1": `
    DaemonSetUpdateStrategyType OnDelete RollingUpdate
    DeploymentStrategyType Recreate RollingUpdate
    PodManagementPolicyType OrderedReady Parallel
    StatefulSetUpdateStrategyType OnDelete RollingUpdate
  `,
  "io.k8s.api.batch.v1": `
    CompletionMode Indexed NonIndexed
    ConcurrencyPolicy Allow Forbid Replace
    PodFailurePolicyAction Count FailIndex FailJob Ignore
    PodFailurePolicyOnExitCodesOperator In NotIn
    PodReplacementPolicy Failed TerminatingOrFailed
  `,
  "io.k8s.api.certificates.v1": `
    KeyUsage any cert_sign client_auth code_signing content_commitment crl_sign data_encipherment decipher_only digital_signature email_protection encipher_only ipsec_end_system ipsec_tunnel ipsec_user key_agreement key_encipherment microsoft_sgc netscape_sgc ocsp_signing s/mime server_auth signing timestamping
  `,
  "io.k8s.api.core.v1": `
    AppArmorProfileType Localhost RuntimeDefault Unconfined
    AzureDataDiskCachingMode None ReadOnly ReadWrite
    AzureDataDiskKind Dedicated Managed Shared
    ClaimResourceStatus ControllerResizeInProgress ControllerResizeInfeasible NodeResizeInProgress NodeResizeInfeasible NodeResizePending
    DNSPolicy ClusterFirst ClusterFirstWithHostNet Default None
    HostPathType "" BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket
    IPFamily "" IPv4 IPv6
    IPFamilyPolicy PreferDualStack RequireDualStack SingleStack
    MountPropagationMode Bidirectional HostToContainer None
    NamespacePhase Active Terminating
    NodeInclusionPolicy Honor Ignore
    NodePhase Pending Running Terminated
    NodeSelectorOperator DoesNotExist Exists Gt In Lt NotIn
    PersistentVolumeAccessMode ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod
    PersistentVolumeClaimModifyVolumeStatus InProgress Infeasible Pending
    PersistentVolumeClaimPhase Bound Lost Pending
    PersistentVolumeMode Block Filesystem
    PersistentVolumePhase Available Bound Failed Pending Released
    PersistentVolumeReclaimPolicy Delete Recycle Retain
    PodFSGroupChangePolicy Always OnRootMismatch
    PodPhase Failed Pending Running Succeeded Unknown
    PodQOSClass BestEffort Burstable Guaranteed
    PreemptionPolicy Never PreemptLowerPriority
    ProcMountType Default Unmasked
    Protocol SCTP TCP UDP
    PullPolicy Always IfNotPresent Never
    ResourceQuotaScope BestEffort CrossNamespacePodAffinity NotBestEffort NotTerminating PriorityClass Terminating VolumeAttributesClass
    RestartPolicy Always Never OnFailure
    ScopeSelectorOperator DoesNotExist Exists In NotIn
    SeccompProfileType Localhost RuntimeDefault Unconfined
    ServiceAffinity ClientIP None
    ServiceExternalTrafficPolicy Cluster Local
    ServiceInternalTrafficPolicy Cluster Local
    ServiceType ClusterIP ExternalName LoadBalancer NodePort
    Signal SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMAX-1 SIGRTMAX-10 SIGRTMAX-11 SIGRTMAX-12 SIGRTMAX-13 SIGRTMAX-14 SIGRTMAX-2 SIGRTMAX-3 SIGRTMAX-4 SIGRTMAX-5 SIGRTMAX-6 SIGRTMAX-7 SIGRTMAX-8 SIGRTMAX-9 SIGRTMIN SIGRTMIN+1 SIGRTMIN+10 SIGRTMIN+11 SIGRTMIN+12 SIGRTMIN+13 SIGRTMIN+14 SIGRTMIN+15 SIGRTMIN+2 SIGRTMIN+3 SIGRTMIN+4 SIGRTMIN+5 SIGRTMIN+6 SIGRTMIN+7 SIGRTMIN+8 SIGRTMIN+9 SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ
    SupplementalGroupsPolicy Merge Strict
    TaintEffect NoExecute NoSchedule PreferNoSchedule
    TerminationMessagePolicy FallbackToLogsOnError File
    TolerationOperator Equal Exists Gt Lt
    URIScheme HTTP HTTPS
    UnsatisfiableConstraintAction DoNotSchedule ScheduleAnyway
  `,
  "io.k8s.api.discovery.v1": `
    AddressType FQDN IPv4 IPv6
    Protocol SCTP TCP UDP
  `,
  "io.k8s.api.networking.v1": `
    PathType Exact ImplementationSpecific Prefix
    PolicyType Egress Ingress
    Protocol SCTP TCP UDP
  `,
  "io.k8s.api.policy.v1": `
    UnhealthyPodEvictionPolicyType AlwaysAllow IfHealthyBudget
  `,
  "io.k8s.api.resource.v1": `
    AllocationConfigSource FromClaim FromClass
    DeviceAllocationMode All ExactCount
    DeviceTaintEffect NoExecute NoSchedule None
    DeviceTolerationOperator Equal Exists
  `,
  "io.k8s.api.scheduling.v1": `
    PreemptionPolicy Never PreemptLowerPriority
  `,
  "io.k8s.api.storage.v1": `
    PersistentVolumeReclaimPolicy Delete Recycle Retain
    VolumeBindingMode Immediate WaitForFirstConsumer
  `,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1": `
    FieldValueErrorReason FieldValueDuplicate FieldValueForbidden FieldValueInvalid FieldValueRequired
  `,
};
