/**
 * The fields of upstream's internal types, in their order (pkg/apis/core/types.go, pkg/apis/resource/types.go): some messages print values in that
 * form, with Go's names and every field. A field is `Name:kind`: `s` text, `i` number, `b` boolean, `q` quantity, `{}`
 * map, `[]` list of scalars, `[]T` list of T, `?` pointer to a scalar, `?T` pointer to T, `T` a struct, and `=` a type
 * that is printed as the API has it. Embedded structs are flattened.
 */
export const INTERNAL_TYPES = {
  PodSpec:
    "Volumes:[]Volume InitContainers:[]Container Containers:[]Container EphemeralContainers:[]EphemeralContainer RestartPolicy:s TerminationGracePeriodSeconds:? ActiveDeadlineSeconds:? DNSPolicy:s NodeSelector:{} ServiceAccountName:s AutomountServiceAccountToken:? NodeName:s SecurityContext:?PodSecurityContext ImagePullSecrets:[]LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:? Affinity:?Affinity SchedulerName:s Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName:s Priority:? PreemptionPolicy:? DNSConfig:?PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:? Overhead:{} EnableServiceLinks:? TopologySpreadConstraints:[]TopologySpreadConstraint OS:?PodOS SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim Resources:?ResourceRequirements HostnameOverride:? SchedulingGroup:?PodSchedulingGroup",
  Volume:
    "Name:s HostPath:?HostPathVolumeSource EmptyDir:?EmptyDirVolumeSource GCEPersistentDisk:?GCEPersistentDiskVolumeSource AWSElasticBlockStore:?AWSElasticBlockStoreVolumeSource GitRepo:?GitRepoVolumeSource Secret:?SecretVolumeSource NFS:?NFSVolumeSource ISCSI:?ISCSIVolumeSource Glusterfs:?GlusterfsVolumeSource PersistentVolumeClaim:?PersistentVolumeClaimVolumeSource RBD:?RBDVolumeSource Quobyte:?QuobyteVolumeSource FlexVolume:?FlexVolumeSource Cinder:?CinderVolumeSource CephFS:?CephFSVolumeSource Flocker:?FlockerVolumeSource DownwardAPI:?DownwardAPIVolumeSource FC:?FCVolumeSource AzureFile:?AzureFileVolumeSource ConfigMap:?ConfigMapVolumeSource VsphereVolume:?VsphereVirtualDiskVolumeSource AzureDisk:?AzureDiskVolumeSource PhotonPersistentDisk:?PhotonPersistentDiskVolumeSource Projected:?ProjectedVolumeSource PortworxVolume:?PortworxVolumeSource ScaleIO:?ScaleIOVolumeSource StorageOS:?StorageOSVolumeSource CSI:?CSIVolumeSource Ephemeral:?EphemeralVolumeSource Image:?ImageVolumeSource",
  VolumeSource:
    "HostPath:?HostPathVolumeSource EmptyDir:?EmptyDirVolumeSource GCEPersistentDisk:?GCEPersistentDiskVolumeSource AWSElasticBlockStore:?AWSElasticBlockStoreVolumeSource GitRepo:?GitRepoVolumeSource Secret:?SecretVolumeSource NFS:?NFSVolumeSource ISCSI:?ISCSIVolumeSource Glusterfs:?GlusterfsVolumeSource PersistentVolumeClaim:?PersistentVolumeClaimVolumeSource RBD:?RBDVolumeSource Quobyte:?QuobyteVolumeSource FlexVolume:?FlexVolumeSource Cinder:?CinderVolumeSource CephFS:?CephFSVolumeSource Flocker:?FlockerVolumeSource DownwardAPI:?DownwardAPIVolumeSource FC:?FCVolumeSource AzureFile:?AzureFileVolumeSource ConfigMap:?ConfigMapVolumeSource VsphereVolume:?VsphereVirtualDiskVolumeSource AzureDisk:?AzureDiskVolumeSource PhotonPersistentDisk:?PhotonPersistentDiskVolumeSource Projected:?ProjectedVolumeSource PortworxVolume:?PortworxVolumeSource ScaleIO:?ScaleIOVolumeSource StorageOS:?StorageOSVolumeSource CSI:?CSIVolumeSource Ephemeral:?EphemeralVolumeSource Image:?ImageVolumeSource",
  HostPathVolumeSource: "Path:s Type:?",
  EmptyDirVolumeSource: "Medium:s SizeLimit:?",
  GCEPersistentDiskVolumeSource: "PDName:s FSType:s Partition:i ReadOnly:b",
  AWSElasticBlockStoreVolumeSource: "VolumeID:s FSType:s Partition:i ReadOnly:b",
  GitRepoVolumeSource: "Repository:s Revision:s Directory:s",
  SecretVolumeSource: "SecretName:s Items:[]KeyToPath DefaultMode:? Optional:?",
  KeyToPath: "Key:s Path:s Mode:?",
  NFSVolumeSource: "Server:s Path:s ReadOnly:b",
  ISCSIVolumeSource:
    "TargetPortal:s IQN:s Lun:i ISCSIInterface:s FSType:s ReadOnly:b Portals:[] DiscoveryCHAPAuth:b SessionCHAPAuth:b SecretRef:?LocalObjectReference InitiatorName:?",
  LocalObjectReference: "Name:s",
  GlusterfsVolumeSource: "EndpointsName:s Path:s ReadOnly:b",
  PersistentVolumeClaimVolumeSource: "ClaimName:s ReadOnly:b",
  RBDVolumeSource:
    "CephMonitors:[] RBDImage:s FSType:s RBDPool:s RadosUser:s Keyring:s SecretRef:?LocalObjectReference ReadOnly:b",
  QuobyteVolumeSource: "Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s",
  FlexVolumeSource: "Driver:s FSType:s SecretRef:?LocalObjectReference ReadOnly:b Options:{}",
  CinderVolumeSource: "VolumeID:s FSType:s ReadOnly:b SecretRef:?LocalObjectReference",
  CephFSVolumeSource: "Monitors:[] Path:s User:s SecretFile:s SecretRef:?LocalObjectReference ReadOnly:b",
  FlockerVolumeSource: "DatasetName:s DatasetUUID:s",
  DownwardAPIVolumeSource: "Items:[]DownwardAPIVolumeFile DefaultMode:?",
  DownwardAPIVolumeFile: "Path:s FieldRef:?ObjectFieldSelector ResourceFieldRef:?ResourceFieldSelector Mode:?",
  ObjectFieldSelector: "APIVersion:s FieldPath:s",
  ResourceFieldSelector: "ContainerName:s Resource:s Divisor:q",
  FCVolumeSource: "TargetWWNs:[] Lun:? FSType:s ReadOnly:b WWIDs:[]",
  AzureFileVolumeSource: "SecretName:s ShareName:s ReadOnly:b",
  ConfigMapVolumeSource: "Name:s Items:[]KeyToPath DefaultMode:? Optional:?",
  VsphereVirtualDiskVolumeSource: "VolumePath:s FSType:s StoragePolicyName:s StoragePolicyID:s",
  AzureDiskVolumeSource: "DiskName:s DataDiskURI:s CachingMode:? FSType:? ReadOnly:? Kind:?",
  PhotonPersistentDiskVolumeSource: "PdID:s FSType:s",
  ProjectedVolumeSource: "Sources:[]VolumeProjection DefaultMode:?",
  VolumeProjection:
    "Secret:?SecretProjection DownwardAPI:?DownwardAPIProjection ConfigMap:?ConfigMapProjection ServiceAccountToken:?ServiceAccountTokenProjection ClusterTrustBundle:?ClusterTrustBundleProjection PodCertificate:?PodCertificateProjection",
  SecretProjection: "Name:s Items:[]KeyToPath Optional:?",
  DownwardAPIProjection: "Items:[]DownwardAPIVolumeFile",
  ConfigMapProjection: "Name:s Items:[]KeyToPath Optional:?",
  ServiceAccountTokenProjection: "Audience:s ExpirationSeconds:i Path:s",
  ClusterTrustBundleProjection: "Name:? SignerName:? LabelSelector:?= Optional:? Path:s",
  PodCertificateProjection:
    "SignerName:s KeyType:s MaxExpirationSeconds:? CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations:{}",
  PortworxVolumeSource: "VolumeID:s FSType:s ReadOnly:b",
  ScaleIOVolumeSource:
    "Gateway:s System:s SecretRef:?LocalObjectReference SSLEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType:s ReadOnly:b",
  StorageOSVolumeSource: "VolumeName:s VolumeNamespace:s FSType:s ReadOnly:b SecretRef:?LocalObjectReference",
  CSIVolumeSource: "Driver:s ReadOnly:? FSType:? VolumeAttributes:{} NodePublishSecretRef:?LocalObjectReference",
  EphemeralVolumeSource: "VolumeClaimTemplate:?PersistentVolumeClaimTemplate",
  PersistentVolumeClaimTemplate: "Spec:PersistentVolumeClaimSpec",
  PersistentVolumeClaimSpec:
    "AccessModes:[] Selector:?= Resources:VolumeResourceRequirements VolumeName:s StorageClassName:? VolumeMode:? DataSource:?TypedLocalObjectReference DataSourceRef:?TypedObjectReference VolumeAttributesClassName:?",
  VolumeResourceRequirements: "Limits:{} Requests:{}",
  TypedLocalObjectReference: "APIGroup:? Kind:s Name:s",
  TypedObjectReference: "APIGroup:? Kind:s Name:s Namespace:?",
  ImageVolumeSource: "Reference:s PullPolicy:s",
  Container:
    "Name:s Image:s Command:[] Args:[] WorkingDir:s Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:? RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:?Probe ReadinessProbe:?Probe StartupProbe:?Probe Lifecycle:?Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:?SecurityContext Stdin:b StdinOnce:b TTY:b",
  ContainerPort: "Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s",
  EnvFromSource: "Prefix:s ConfigMapRef:?ConfigMapEnvSource SecretRef:?SecretEnvSource",
  ConfigMapEnvSource: "Name:s Optional:?",
  SecretEnvSource: "Name:s Optional:?",
  EnvVar: "Name:s Value:s ValueFrom:?EnvVarSource",
  EnvVarSource:
    "FieldRef:?ObjectFieldSelector ResourceFieldRef:?ResourceFieldSelector ConfigMapKeyRef:?ConfigMapKeySelector SecretKeyRef:?SecretKeySelector FileKeyRef:?FileKeySelector",
  ConfigMapKeySelector: "Name:s Key:s Optional:?",
  SecretKeySelector: "Name:s Key:s Optional:?",
  FileKeySelector: "VolumeName:s Path:s Key:s Optional:?",
  ResourceRequirements: "Limits:{} Requests:{} Claims:[]ResourceClaim",
  ResourceClaim: "Name:s Request:s",
  ContainerResizePolicy: "ResourceName:s RestartPolicy:s",
  ContainerRestartRule: "Action:s ExitCodes:?ContainerRestartRuleOnExitCodes",
  ContainerRestartRuleOnExitCodes: "Operator:s Values:[]",
  VolumeMount: "Name:s ReadOnly:b RecursiveReadOnly:? MountPath:s SubPath:s MountPropagation:? SubPathExpr:s",
  VolumeDevice: "Name:s DevicePath:s",
  Probe:
    "Exec:?ExecAction HTTPGet:?HTTPGetAction TCPSocket:?TCPSocketAction GRPC:?GRPCAction InitialDelaySeconds:i TimeoutSeconds:i PeriodSeconds:i SuccessThreshold:i FailureThreshold:i TerminationGracePeriodSeconds:?",
  ProbeHandler: "Exec:?ExecAction HTTPGet:?HTTPGetAction TCPSocket:?TCPSocketAction GRPC:?GRPCAction",
  ExecAction: "Command:[]",
  HTTPGetAction: "Path:s Port:q Host:s Scheme:s HTTPHeaders:[]HTTPHeader",
  HTTPHeader: "Name:s Value:s",
  TCPSocketAction: "Port:q Host:s",
  GRPCAction: "Port:i Service:?",
  Lifecycle: "PostStart:?LifecycleHandler PreStop:?LifecycleHandler StopSignal:?",
  LifecycleHandler: "Exec:?ExecAction HTTPGet:?HTTPGetAction TCPSocket:?TCPSocketAction Sleep:?SleepAction",
  SleepAction: "Seconds:i",
  SecurityContext:
    "Capabilities:?Capabilities Privileged:? SELinuxOptions:?SELinuxOptions WindowsOptions:?WindowsSecurityContextOptions RunAsUser:? RunAsGroup:? RunAsNonRoot:? ReadOnlyRootFilesystem:? AllowPrivilegeEscalation:? ProcMount:? SeccompProfile:?SeccompProfile AppArmorProfile:?AppArmorProfile",
  Capabilities: "Add:[] Drop:[]",
  SELinuxOptions: "User:s Role:s Type:s Level:s",
  WindowsSecurityContextOptions: "GMSACredentialSpecName:? GMSACredentialSpec:? RunAsUserName:? HostProcess:?",
  SeccompProfile: "Type:s LocalhostProfile:?",
  AppArmorProfile: "Type:s LocalhostProfile:?",
  EphemeralContainer:
    "Name:s Image:s Command:[] Args:[] WorkingDir:s Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:? RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:?Probe ReadinessProbe:?Probe StartupProbe:?Probe Lifecycle:?Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:?SecurityContext Stdin:b StdinOnce:b TTY:b TargetContainerName:s",
  EphemeralContainerCommon:
    "Name:s Image:s Command:[] Args:[] WorkingDir:s Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:? RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:?Probe ReadinessProbe:?Probe StartupProbe:?Probe Lifecycle:?Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:?SecurityContext Stdin:b StdinOnce:b TTY:b",
  PodSecurityContext:
    "HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:? HostUsers:? SELinuxOptions:?SELinuxOptions WindowsOptions:?WindowsSecurityContextOptions RunAsUser:? RunAsGroup:? RunAsNonRoot:? SupplementalGroups:[] SupplementalGroupsPolicy:? FSGroup:? FSGroupChangePolicy:? Sysctls:[]Sysctl SeccompProfile:?SeccompProfile AppArmorProfile:?AppArmorProfile SELinuxChangePolicy:?",
  Sysctl: "Name:s Value:s",
  Affinity: "NodeAffinity:?NodeAffinity PodAffinity:?PodAffinity PodAntiAffinity:?PodAntiAffinity",
  NodeAffinity:
    "RequiredDuringSchedulingIgnoredDuringExecution:?NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm",
  NodeSelector: "NodeSelectorTerms:[]NodeSelectorTerm",
  NodeSelectorTerm: "MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement",
  NodeSelectorRequirement: "Key:s Operator:s Values:[]",
  PreferredSchedulingTerm: "Weight:i Preference:NodeSelectorTerm",
  PodAffinity:
    "RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm",
  PodAffinityTerm:
    "LabelSelector:?= Namespaces:[] TopologyKey:s NamespaceSelector:?= MatchLabelKeys:[] MismatchLabelKeys:[]",
  WeightedPodAffinityTerm: "Weight:i PodAffinityTerm:PodAffinityTerm",
  PodAntiAffinity:
    "RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm",
  Toleration: "Key:s Operator:s Value:s Effect:s TolerationSeconds:?",
  HostAlias: "IP:s Hostnames:[]",
  PodDNSConfig: "Nameservers:[] Searches:[] Options:[]PodDNSConfigOption",
  PodDNSConfigOption: "Name:s Value:?",
  PodReadinessGate: "ConditionType:s",
  TopologySpreadConstraint:
    "MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector:?= MinDomains:? NodeAffinityPolicy:? NodeTaintsPolicy:? MatchLabelKeys:[]",
  PodOS: "Name:s",
  PodSchedulingGate: "Name:s",
  PodResourceClaim: "Name:s ResourceClaimName:? ResourceClaimTemplateName:?",
  PodSchedulingGroup: "PodGroupName:?",
  PersistentVolumeSpec:
    "Capacity:{} GCEPersistentDisk:?GCEPersistentDiskVolumeSource AWSElasticBlockStore:?AWSElasticBlockStoreVolumeSource HostPath:?HostPathVolumeSource Glusterfs:?GlusterfsPersistentVolumeSource NFS:?NFSVolumeSource RBD:?RBDPersistentVolumeSource Quobyte:?QuobyteVolumeSource ISCSI:?ISCSIPersistentVolumeSource FlexVolume:?FlexPersistentVolumeSource Cinder:?CinderPersistentVolumeSource CephFS:?CephFSPersistentVolumeSource FC:?FCVolumeSource Flocker:?FlockerVolumeSource AzureFile:?AzureFilePersistentVolumeSource VsphereVolume:?VsphereVirtualDiskVolumeSource AzureDisk:?AzureDiskVolumeSource PhotonPersistentDisk:?PhotonPersistentDiskVolumeSource PortworxVolume:?PortworxVolumeSource ScaleIO:?ScaleIOPersistentVolumeSource Local:?LocalVolumeSource StorageOS:?StorageOSPersistentVolumeSource CSI:?CSIPersistentVolumeSource AccessModes:[] ClaimRef:?ObjectReference PersistentVolumeReclaimPolicy:s StorageClassName:s MountOptions:[] VolumeMode:? NodeAffinity:?VolumeNodeAffinity VolumeAttributesClassName:?",
  PersistentVolumeSource:
    "GCEPersistentDisk:?GCEPersistentDiskVolumeSource AWSElasticBlockStore:?AWSElasticBlockStoreVolumeSource HostPath:?HostPathVolumeSource Glusterfs:?GlusterfsPersistentVolumeSource NFS:?NFSVolumeSource RBD:?RBDPersistentVolumeSource Quobyte:?QuobyteVolumeSource ISCSI:?ISCSIPersistentVolumeSource FlexVolume:?FlexPersistentVolumeSource Cinder:?CinderPersistentVolumeSource CephFS:?CephFSPersistentVolumeSource FC:?FCVolumeSource Flocker:?FlockerVolumeSource AzureFile:?AzureFilePersistentVolumeSource VsphereVolume:?VsphereVirtualDiskVolumeSource AzureDisk:?AzureDiskVolumeSource PhotonPersistentDisk:?PhotonPersistentDiskVolumeSource PortworxVolume:?PortworxVolumeSource ScaleIO:?ScaleIOPersistentVolumeSource Local:?LocalVolumeSource StorageOS:?StorageOSPersistentVolumeSource CSI:?CSIPersistentVolumeSource",
  GlusterfsPersistentVolumeSource: "EndpointsName:s Path:s ReadOnly:b EndpointsNamespace:?",
  RBDPersistentVolumeSource:
    "CephMonitors:[] RBDImage:s FSType:s RBDPool:s RadosUser:s Keyring:s SecretRef:?SecretReference ReadOnly:b",
  SecretReference: "Name:s Namespace:s",
  ISCSIPersistentVolumeSource:
    "TargetPortal:s IQN:s Lun:i ISCSIInterface:s FSType:s ReadOnly:b Portals:[] DiscoveryCHAPAuth:b SessionCHAPAuth:b SecretRef:?SecretReference InitiatorName:?",
  FlexPersistentVolumeSource: "Driver:s FSType:s SecretRef:?SecretReference ReadOnly:b Options:{}",
  CinderPersistentVolumeSource: "VolumeID:s FSType:s ReadOnly:b SecretRef:?SecretReference",
  CephFSPersistentVolumeSource: "Monitors:[] Path:s User:s SecretFile:s SecretRef:?SecretReference ReadOnly:b",
  AzureFilePersistentVolumeSource: "SecretName:s ShareName:s ReadOnly:b SecretNamespace:?",
  ScaleIOPersistentVolumeSource:
    "Gateway:s System:s SecretRef:?SecretReference SSLEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType:s ReadOnly:b",
  LocalVolumeSource: "Path:s FSType:?",
  StorageOSPersistentVolumeSource: "VolumeName:s VolumeNamespace:s FSType:s ReadOnly:b SecretRef:?ObjectReference",
  ObjectReference: "Kind:s Namespace:s Name:s UID:s APIVersion:s ResourceVersion:s FieldPath:s",
  EventSource: "Component:s Host:s",
  CSIPersistentVolumeSource:
    "Driver:s VolumeHandle:s ReadOnly:b FSType:s VolumeAttributes:{} ControllerPublishSecretRef:?SecretReference NodeStageSecretRef:?SecretReference NodePublishSecretRef:?SecretReference ControllerExpandSecretRef:?SecretReference NodeExpandSecretRef:?SecretReference",
  VolumeAttachmentSpec: "Attacher:s Source:VolumeAttachmentSource NodeName:s",
  VolumeAttachmentSource: "PersistentVolumeName:? InlineVolumeSpec:?PersistentVolumeSpec",
  VolumeNodeAffinity: "Required:?NodeSelector",
  ResourceClaimSpec: "Devices:DeviceClaim",
  DeviceClaim: "Requests:[]DeviceRequest Constraints:[]DeviceConstraint Config:[]DeviceClaimConfiguration",
  DeviceRequest: "Name:s Exactly:?ExactDeviceRequest FirstAvailable:[]DeviceSubRequest",
  ExactDeviceRequest:
    "DeviceClassName:s Selectors:[]DeviceSelector AllocationMode:s Count:i AdminAccess:? Tolerations:[]DeviceToleration Capacity:?CapacityRequirements",
  DeviceSubRequest:
    "Name:s DeviceClassName:s Selectors:[]DeviceSelector AllocationMode:s Count:i Tolerations:[]DeviceToleration Capacity:?CapacityRequirements",
  DeviceSelector: "CEL:?CELDeviceSelector",
  CELDeviceSelector: "Expression:s",
  DeviceToleration: "Key:s Operator:s Value:s Effect:s TolerationSeconds:?",
  CapacityRequirements: "Requests:{}",
  DeviceConstraint: "Requests:[] MatchAttribute:? DistinctAttribute:?",
  DeviceClaimConfiguration: "Requests:[] Opaque:?OpaqueDeviceConfiguration",
  OpaqueDeviceConfiguration: "Driver:s Parameters:?",
  AllocationResult: "Devices:DeviceAllocationResult NodeSelector:?NodeSelector AllocationTimestamp:?",
  DeviceAllocationResult: "Results:[]DeviceRequestAllocationResult Config:[]DeviceAllocationConfiguration",
  DeviceRequestAllocationResult:
    "Request:s Driver:s Pool:s Device:s AdminAccess:? Tolerations:[]DeviceToleration BindingConditions:[] BindingFailureConditions:[] ShareID:? ConsumedCapacity:{}",
  DeviceAllocationConfiguration: "Source:s Requests:[] Opaque:?OpaqueDeviceConfiguration",
} as const satisfies Record<string, string>;

export type InternalType = keyof typeof INTERNAL_TYPES;
