import { goTextOfSelector } from "../../../shared/api/selector-go-text.ts";
import type {
  APIService,
  CertificateSigningRequest,
  ClusterRoleBinding,
  ComponentStatus,
  CSIDriver,
  CSINode,
  DeviceClass,
  FlowSchema,
  Lease,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  PriorityClass,
  PriorityLevelConfiguration,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
  RoleBinding,
  RuntimeClass,
  StorageClass,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../../shared/api/types.ts";
import { AGE, fieldColumn, NAME, type TableKind, textColumn, wide } from "./column.ts";
import { humanDuration, since } from "./duration.ts";

const INTEGER = { type: "integer" } as const;
const BOOLEAN = { type: "boolean" } as const;

const ROLE_REF = {
  RoleBinding:
    "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
  ClusterRoleBinding:
    "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
};

function bindingTable(kind: "RoleBinding" | "ClusterRoleBinding"): TableKind<RoleBinding | ClusterRoleBinding> {
  const word = kind === "RoleBinding" ? "roleBinding" : "clusterRoleBinding";
  return {
    columns: [
      NAME,
      textColumn("Role", ROLE_REF[kind]),
      AGE,
      wide(textColumn("Users", `Users in the ${word}`)),
      wide(textColumn("Groups", `Groups in the ${word}`)),
      wide(textColumn("ServiceAccounts", `ServiceAccounts in the ${word}`)),
    ],
    cells: ({ metadata, roleRef, subjects = [] }, nowMs) => {
      const named = (subjectKind: string) => subjects.filter(({ kind: actual }) => actual === subjectKind);
      return [
        metadata.name,
        `${roleRef.kind}/${roleRef.name}`,
        since(metadata.creationTimestamp, nowMs),
        named("User")
          .map(({ name }) => name)
          .join(", "),
        named("Group")
          .map(({ name }) => name)
          .join(", "),
        named("ServiceAccount")
          .map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : name))
          .join(", "),
      ];
    },
  };
}

export const ROLE_BINDING_TABLE = bindingTable("RoleBinding");
export const CLUSTER_ROLE_BINDING_TABLE = bindingTable("ClusterRoleBinding");

function requestStatus({ status }: CertificateSigningRequest): string {
  const has = (type: string) => status?.conditions?.some((condition) => condition.type === type) ?? false;
  const words = [has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending"];
  if (has("Failed")) words.push("Failed");
  if (status?.certificate) words.push("Issued");
  return words.join(",");
}

export const CERTIFICATE_SIGNING_REQUEST_TABLE: TableKind<CertificateSigningRequest> = {
  columns: [
    NAME,
    AGE,
    textColumn(
      "SignerName",
      'Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it\'s a kubelet client certificate, it is assigned\n    "kubernetes.io/kube-apiserver-client-kubelet".\n 2. If it\'s a kubelet serving certificate, it is assigned\n    "kubernetes.io/kubelet-serving".\n 3. Otherwise, it is assigned "kubernetes.io/legacy-unknown".\nDistribution of trust for signers happens out of band. You can select on this field using `spec.signerName`.',
    ),
    textColumn("Requestor", "Base64-encoded PKCS#10 CSR data"),
    fieldColumn("RequestedDuration", "certificates.v1.CertificateSigningRequestSpec.expirationSeconds"),
    textColumn("Condition", "Conditions applied to the request, such as approval or denial."),
  ],
  cells: (request, nowMs) => [
    request.metadata.name,
    since(request.metadata.creationTimestamp, nowMs),
    request.spec?.signerName || "<none>",
    request.spec?.username ?? "",
    request.spec?.expirationSeconds === undefined ? "<none>" : humanDuration(request.spec.expirationSeconds * 1000),
    requestStatus(request),
  ],
};

export const LEASE_TABLE: TableKind<Lease> = {
  columns: [NAME, fieldColumn("Holder", "coordination.v1.LeaseSpec.holderIdentity"), AGE],
  cells: ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec?.holderIdentity ?? "",
    since(metadata.creationTimestamp, nowMs),
  ],
};

/** The beta annotation counts too. */
const DEFAULT_STORAGE_CLASS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const STORAGE_CLASS_TABLE: TableKind<StorageClass> = {
  columns: [
    NAME,
    fieldColumn("Provisioner", "storage.v1.StorageClass.provisioner"),
    fieldColumn("ReclaimPolicy", "storage.v1.StorageClass.reclaimPolicy"),
    fieldColumn("VolumeBindingMode", "storage.v1.StorageClass.volumeBindingMode"),
    fieldColumn("AllowVolumeExpansion", "storage.v1.StorageClass.allowVolumeExpansion"),
    AGE,
  ],
  cells: (storageClass, nowMs) => {
    const { metadata } = storageClass;
    const isDefault = DEFAULT_STORAGE_CLASS.some((key) => metadata.annotations?.[key] === "true");
    return [
      isDefault ? `${metadata.name} (default)` : metadata.name,
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? "Delete",
      storageClass.volumeBindingMode ?? "Immediate",
      storageClass.allowVolumeExpansion ?? false,
      since(metadata.creationTimestamp, nowMs),
    ];
  },
};

export const VOLUME_ATTRIBUTES_CLASS_TABLE: TableKind<VolumeAttributesClass> = {
  columns: [NAME, fieldColumn("DriverName", "storage.v1.VolumeAttributesClass.driverName"), AGE],
  cells: ({ metadata, driverName }, nowMs) => [metadata.name, driverName, since(metadata.creationTimestamp, nowMs)],
};

export const VOLUME_ATTACHMENT_TABLE: TableKind<VolumeAttachment> = {
  columns: [
    NAME,
    fieldColumn("Attacher", "storage.v1.VolumeAttachmentSpec.attacher", { format: "name" }),
    fieldColumn("PV", "storage.v1.VolumeAttachmentSource.persistentVolumeName"),
    fieldColumn("Node", "storage.v1.VolumeAttachmentSpec.nodeName"),
    fieldColumn("Attached", "storage.v1.VolumeAttachmentStatus.attached", BOOLEAN),
    AGE,
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec.attacher,
    spec.source?.persistentVolumeName ?? "",
    spec.nodeName,
    status?.attached ?? false,
    since(metadata.creationTimestamp, nowMs),
  ],
};

export const CSI_NODE_TABLE: TableKind<CSINode> = {
  columns: [
    NAME,
    textColumn("Drivers", "Drivers indicates the number of CSI drivers registered on the node", INTEGER),
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec?.drivers?.length ?? 0,
    since(metadata.creationTimestamp, nowMs),
  ],
};

export const CSI_DRIVER_TABLE: TableKind<CSIDriver> = {
  columns: [
    NAME,
    fieldColumn("AttachRequired", "storage.v1.CSIDriverSpec.attachRequired", BOOLEAN),
    fieldColumn("PodInfoOnMount", "storage.v1.CSIDriverSpec.podInfoOnMount", BOOLEAN),
    fieldColumn("StorageCapacity", "storage.v1.CSIDriverSpec.storageCapacity", BOOLEAN),
    fieldColumn("TokenRequests", "storage.v1.CSIDriverSpec.tokenRequests"),
    fieldColumn("RequiresRepublish", "storage.v1.CSIDriverSpec.requiresRepublish", BOOLEAN),
    fieldColumn("Modes", "storage.v1.CSIDriverSpec.volumeLifecycleModes"),
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests ? spec.tokenRequests.map(({ audience }) => audience).join(",") : "<unset>",
    spec.requiresRepublish ?? false,
    (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
    since(metadata.creationTimestamp, nowMs),
  ],
};

function webhookTable(): TableKind<MutatingWebhookConfiguration | ValidatingWebhookConfiguration> {
  return {
    columns: [
      NAME,
      textColumn("Webhooks", "Webhooks indicates the number of webhooks registered in this configuration", INTEGER),
      AGE,
    ],
    cells: ({ metadata, webhooks }, nowMs) => [
      metadata.name,
      webhooks?.length ?? 0,
      since(metadata.creationTimestamp, nowMs),
    ],
  };
}

export const WEBHOOK_TABLE = webhookTable();

const paramKind = (kind: { apiVersion?: string; kind?: string } | undefined) =>
  kind ? `${kind.apiVersion ?? ""}/${kind.kind ?? ""}` : "<unset>";

const PARAM_KIND = textColumn(
  "ParamKind",
  "ParamKind specifies the kind of resources used to parameterize this policy",
);

export const VALIDATING_ADMISSION_POLICY_TABLE: TableKind<ValidatingAdmissionPolicy> = {
  columns: [
    NAME,
    textColumn(
      "Validations",
      "Validations indicates the number of validation rules defined in this configuration",
      INTEGER,
    ),
    PARAM_KIND,
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec?.validations?.length ?? 0,
    paramKind(spec?.paramKind),
    since(metadata.creationTimestamp, nowMs),
  ],
};

export const MUTATING_ADMISSION_POLICY_TABLE: TableKind<MutatingAdmissionPolicy> = {
  columns: [
    NAME,
    textColumn("Mutations", "Mutation indicates the number of mutations rules defined in this configuration", INTEGER),
    PARAM_KIND,
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec?.mutations?.length ?? 0,
    paramKind(spec?.paramKind),
    since(metadata.creationTimestamp, nowMs),
  ],
};

export const ADMISSION_POLICY_BINDING_TABLE: TableKind<
  ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding
> = {
  columns: [
    NAME,
    textColumn("PolicyName", "PolicyName indicates the policy definition which the policy binding binded to"),
    textColumn("ParamRef", "ParamRef indicates the param resource which sets the configuration param"),
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => {
    const ref = spec?.paramRef;
    const name = ref?.name ? `${ref.namespace || "*"}/${ref.name}` : ref?.selector && goTextOfSelector(ref.selector);
    return [metadata.name, spec?.policyName ?? "", name ?? "<unset>", since(metadata.creationTimestamp, nowMs)];
  },
};

export const FLOW_SCHEMA_TABLE: TableKind<FlowSchema> = {
  columns: [
    NAME,
    fieldColumn("PriorityLevel", "flowcontrol.v1.PriorityLevelConfigurationReference.name"),
    fieldColumn("MatchingPrecedence", "flowcontrol.v1.FlowSchemaSpec.matchingPrecedence"),
    textColumn(
      "DistinguisherMethod",
      "`distinguisherMethod` defines how to compute the flow distinguisher for requests that match this schema. `nil` specifies that the distinguisher is disabled and thus will always be the empty string.",
    ),
    AGE,
    textColumn("MissingPL", "references a broken or non-existent PriorityLevelConfiguration"),
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec?.priorityLevelConfiguration?.name ?? "",
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? "<none>",
    since(metadata.creationTimestamp, nowMs),
    status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
  ],
};

export const PRIORITY_LEVEL_TABLE: TableKind<PriorityLevelConfiguration> = {
  columns: [
    NAME,
    fieldColumn("Type", "flowcontrol.v1.PriorityLevelConfigurationSpec.type"),
    fieldColumn(
      "NominalConcurrencyShares",
      "flowcontrol.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares",
    ),
    fieldColumn("Queues", "flowcontrol.v1.QueuingConfiguration.queues"),
    fieldColumn("HandSize", "flowcontrol.v1.QueuingConfiguration.handSize"),
    fieldColumn("QueueLengthLimit", "flowcontrol.v1.QueuingConfiguration.queueLengthLimit"),
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => {
    const queuing = spec?.limited?.limitResponse?.queuing;
    return [
      metadata.name,
      spec?.type ?? "",
      spec?.limited ? (spec.limited.nominalConcurrencyShares ?? 0) : "<none>",
      queuing?.queues ?? "<none>",
      queuing?.handSize ?? "<none>",
      queuing?.queueLengthLimit ?? "<none>",
      since(metadata.creationTimestamp, nowMs),
    ];
  },
};

export const PRIORITY_CLASS_TABLE: TableKind<PriorityClass> = {
  columns: [
    NAME,
    fieldColumn("Value", "scheduling.v1.PriorityClass.value", INTEGER),
    fieldColumn("Global-Default", "scheduling.v1.PriorityClass.globalDefault", BOOLEAN),
    AGE,
    fieldColumn("PreemptionPolicy", "scheduling.v1.PriorityClass.preemptionPolicy"),
  ],
  cells: (priorityClass, nowMs) => [
    priorityClass.metadata.name,
    priorityClass.value ?? 0,
    priorityClass.globalDefault ?? false,
    since(priorityClass.metadata.creationTimestamp, nowMs),
    priorityClass.preemptionPolicy ?? "",
  ],
};

export const RUNTIME_CLASS_TABLE: TableKind<RuntimeClass> = {
  // Upstream looks the description up in ObjectMeta, where there is none.
  columns: [NAME, textColumn("Handler", ""), AGE],
  cells: ({ metadata, handler }, nowMs) => [metadata.name, handler, since(metadata.creationTimestamp, nowMs)],
};

export const COMPONENT_STATUS_TABLE: TableKind<ComponentStatus> = {
  columns: [
    NAME,
    textColumn("Status", "Status of the component conditions"),
    textColumn("Message", "Message of the component conditions"),
    textColumn("Error", "Error of the component conditions"),
  ],
  cells: ({ metadata, conditions }) => {
    const healthy = conditions?.find(({ type }) => type === "Healthy");
    const status = !healthy ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
    return [metadata.name, status, healthy?.message ?? "", healthy?.error ?? ""];
  },
};

export const API_SERVICE_TABLE: TableKind<APIService> = {
  columns: [
    NAME,
    textColumn("Service", "The reference to the service that hosts this API endpoint."),
    textColumn("Available", "Whether this service is available."),
    AGE,
  ],
  cells: ({ metadata, spec, status }, nowMs) => {
    const available = status?.conditions?.find(({ type }) => type === "Available");
    const reason = available?.status !== "True" && available?.reason ? ` (${available.reason})` : "";
    return [
      metadata.name,
      spec?.service ? `${spec.service.namespace}/${spec.service.name}` : "Local",
      available ? `${available.status}${reason}` : "Unknown",
      since(metadata.creationTimestamp, nowMs),
    ];
  },
};

export const NAME_AND_AGE_TABLE: TableKind<DeviceClass | ResourceClaimTemplate> = {
  columns: [NAME, AGE],
  cells: ({ metadata }, nowMs) => [metadata.name, since(metadata.creationTimestamp, nowMs)],
};

export const RESOURCE_CLAIM_TABLE: TableKind<ResourceClaim> = {
  columns: [NAME, textColumn("State", "A summary of the current state (allocated, pending, reserved, etc.)."), AGE],
  cells: ({ metadata, status }, nowMs) => {
    const states = metadata.deletionTimestamp ? ["deleted"] : [];
    if (status?.allocation) {
      states.push("allocated");
      if ((status.reservedFor ?? []).length > 0) states.push("reserved");
    } else if (!metadata.deletionTimestamp) states.push("pending");
    return [metadata.name, states.join(","), since(metadata.creationTimestamp, nowMs)];
  },
};

export const RESOURCE_SLICE_TABLE: TableKind<ResourceSlice> = {
  columns: [
    NAME,
    fieldColumn("Node", "resource.v1.ResourceSliceSpec.nodeName"),
    fieldColumn("Driver", "resource.v1.ResourceSliceSpec.driver"),
    fieldColumn("Pool", "resource.v1.ResourcePool.name"),
    AGE,
  ],
  cells: ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec.nodeName ?? "",
    spec.driver,
    spec.pool?.name ?? "",
    since(metadata.creationTimestamp, nowMs),
  ],
};
