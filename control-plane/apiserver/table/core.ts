import type {
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "../../../shared/api/types.ts";
import { AGE, CONTAINERS, fieldColumn, IMAGES, NAME, type TableKind, textColumn, wide } from "./column.ts";
import { since } from "./duration.ts";
import { containerImages, containerNames, firstThree, formatLabels } from "./format.ts";

const NODE_ROLE_PREFIX = "node-role.kubernetes.io/";

/** Roles come from labels: `node-role.kubernetes.io/<role>` and `kubernetes.io/role=<role>`. */
function nodeRoles(labels: Record<string, string>): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(labels)) {
    if (key.startsWith(NODE_ROLE_PREFIX) && key.length > NODE_ROLE_PREFIX.length) {
      roles.add(key.slice(NODE_ROLE_PREFIX.length));
    } else if (key === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return [...roles].sort().join(",") || "<none>";
}

function nodeStatus(node: Node): string {
  const ready = node.status?.conditions?.findLast(({ type }) => type === "Ready");
  const words = [ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown"];
  if (node.spec?.unschedulable) words.push("SchedulingDisabled");
  return words.join(",");
}

const nodeAddress = (node: Node, type: string) =>
  node.status?.addresses?.find((address) => address.type === type)?.address ?? "<none>";

export const NODE_TABLE: TableKind<Node> = {
  columns: [
    NAME,
    textColumn("Status", "The status of the node"),
    textColumn("Roles", "The roles of the node"),
    AGE,
    fieldColumn("Version", "core.v1.NodeSystemInfo.kubeletVersion"),
    wide(fieldColumn("Internal-IP", "core.v1.NodeStatus.addresses")),
    wide(fieldColumn("External-IP", "core.v1.NodeStatus.addresses")),
    wide(fieldColumn("OS-Image", "core.v1.NodeSystemInfo.osImage")),
    wide(fieldColumn("Kernel-Version", "core.v1.NodeSystemInfo.kernelVersion")),
    wide(fieldColumn("Container-Runtime", "core.v1.NodeSystemInfo.containerRuntimeVersion")),
  ],
  cells: (node, nowMs) => {
    const info = node.status?.nodeInfo;
    const architecture = info?.architecture ? ` (${info.architecture})` : "";
    return [
      node.metadata.name,
      nodeStatus(node),
      nodeRoles(node.metadata.labels ?? {}),
      since(node.metadata.creationTimestamp, nowMs),
      info?.kubeletVersion ?? "",
      nodeAddress(node, "InternalIP"),
      nodeAddress(node, "ExternalIP"),
      info?.osImage || "<unknown>",
      (info?.kernelVersion || "<unknown>") + architecture,
      info?.containerRuntimeVersion || "<unknown>",
    ];
  },
};

/** All ingress points; the API renders for wide output, so they are not cut. */
export function loadBalancerAddresses(ingress: { ip?: string; hostname?: string }[] | undefined): string {
  const addresses = new Set((ingress ?? []).map(({ ip, hostname }) => ip || hostname || ""));
  addresses.delete("");
  return [...addresses].sort().join(",");
}

function externalAddress(service: Service): string {
  const { type, externalIPs = [], externalName = "" } = service.spec ?? {};
  switch (type) {
    case "ClusterIP":
    case "NodePort":
      return externalIPs.join(",") || "<none>";
    case "LoadBalancer": {
      const balancer = loadBalancerAddresses(service.status?.loadBalancer?.ingress);
      return [...(balancer ? [balancer] : []), ...externalIPs].join(",") || "<pending>";
    }
    case "ExternalName":
      return externalName;
    default:
      return "<unknown>";
  }
}

export const SERVICE_TABLE: TableKind<Service> = {
  columns: [
    NAME,
    fieldColumn("Type", "core.v1.ServiceSpec.type"),
    fieldColumn("Cluster-IP", "core.v1.ServiceSpec.clusterIP"),
    fieldColumn("External-IP", "core.v1.ServiceSpec.externalIPs"),
    fieldColumn("Port(s)", "core.v1.ServiceSpec.ports"),
    AGE,
    wide(fieldColumn("Selector", "core.v1.ServiceSpec.selector")),
  ],
  cells: (service, nowMs) => [
    service.metadata.name,
    service.spec?.type ?? "",
    service.spec?.clusterIPs?.[0] ?? "<none>",
    externalAddress(service),
    (service.spec?.ports ?? [])
      .map(({ port, nodePort, protocol }) => `${nodePort ? `${port}:${nodePort}` : port}/${protocol}`)
      .join(",") || "<none>",
    since(service.metadata.creationTimestamp, nowMs),
    formatLabels(service.spec?.selector),
  ],
};

const hostPort = (ip: string, port: number) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`);

export const ENDPOINTS_TABLE: TableKind<Endpoints> = {
  columns: [NAME, fieldColumn("Endpoints", "core.v1.Endpoints.subsets"), AGE],
  cells: (endpoints, nowMs) => [
    endpoints.metadata.name,
    (endpoints.subsets ?? []).length === 0
      ? "<none>"
      : firstThree(
          (endpoints.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
            ports.length === 0
              ? addresses.map(({ ip }) => ip)
              : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port))),
          ),
          "",
        ),
    since(endpoints.metadata.creationTimestamp, nowMs),
  ],
};

export const NAMESPACE_TABLE: TableKind<Namespace> = {
  columns: [NAME, textColumn("Status", "The status of the namespace"), AGE],
  cells: (namespace, nowMs) => [
    namespace.metadata.name,
    namespace.status?.phase ?? "",
    since(namespace.metadata.creationTimestamp, nowMs),
  ],
};

export const SECRET_TABLE: TableKind<Secret> = {
  columns: [NAME, fieldColumn("Type", "core.v1.Secret.type"), fieldColumn("Data", "core.v1.Secret.data"), AGE],
  cells: (secret, nowMs) => [
    secret.metadata.name,
    secret.type ?? "",
    Object.keys(secret.data ?? {}).length,
    since(secret.metadata.creationTimestamp, nowMs),
  ],
};

export const CONFIG_MAP_TABLE: TableKind<ConfigMap> = {
  columns: [NAME, fieldColumn("Data", "core.v1.ConfigMap.data"), AGE],
  cells: (configMap, nowMs) => [
    configMap.metadata.name,
    Object.keys(configMap.data ?? {}).length + Object.keys(configMap.binaryData ?? {}).length,
    since(configMap.metadata.creationTimestamp, nowMs),
  ],
};

export const SERVICE_ACCOUNT_TABLE: TableKind<ServiceAccount> = {
  columns: [NAME, AGE],
  cells: (account, nowMs) => [account.metadata.name, since(account.metadata.creationTimestamp, nowMs)],
};

/** Both views of an event are printed from the core one: `regarding`, `note` and the deprecated fields are mapped. */
export const EVENT_TABLE: TableKind<Event> = {
  columns: [
    fieldColumn("Last Seen", "core.v1.Event.lastTimestamp"),
    fieldColumn("Type", "core.v1.Event.type"),
    fieldColumn("Reason", "core.v1.Event.reason"),
    textColumn("Object", "The object that this event is about."),
    wide(fieldColumn("Subobject", "core.v1.ObjectReference.fieldPath")),
    wide(textColumn("Source", "The component reporting this event. Should be a short machine understandable string.")),
    fieldColumn("Message", "core.v1.Event.message"),
    wide(fieldColumn("First Seen", "core.v1.Event.firstTimestamp")),
    wide(fieldColumn("Count", "core.v1.Event.count")),
    wide(NAME),
  ],
  cells: (event, nowMs) => {
    const { kind = "", name = "", fieldPath = "" } = event.involvedObject ?? {};
    const first = since(event.firstTimestamp ?? event.eventTime, nowMs);
    const last = event.series
      ? since(event.series.lastObservedTime, nowMs)
      : event.lastTimestamp
        ? since(event.lastTimestamp, nowMs)
        : first;
    const component = event.source?.component || event.reportingComponent || "";
    const host = event.source?.host || event.reportingInstance || "";
    return [
      last,
      event.type ?? "",
      event.reason ?? "",
      name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
      fieldPath,
      host ? `${component}, ${host}` : component,
      (event.message ?? "").trim(),
      first,
      event.series ? (event.series.count ?? 0) : event.count || 1,
      event.metadata.name,
    ];
  },
};

const ACCESS_MODES: [string, string][] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

const accessModes = (modes: string[] | undefined) =>
  ACCESS_MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");

const STORAGE_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

const storageClass = (
  meta: { annotations?: Record<string, string> },
  spec: { storageClassName?: string } | undefined,
) => meta.annotations?.[STORAGE_CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";

export const PERSISTENT_VOLUME_TABLE: TableKind<PersistentVolume> = {
  columns: [
    NAME,
    fieldColumn("Capacity", "core.v1.PersistentVolumeSpec.capacity"),
    fieldColumn("Access Modes", "core.v1.PersistentVolumeSpec.accessModes"),
    fieldColumn("Reclaim Policy", "core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy"),
    fieldColumn("Status", "core.v1.PersistentVolumeStatus.phase"),
    textColumn(
      "Claim",
      "claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the authoritative bind between PV and PVC. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding",
    ),
    textColumn("StorageClass", "StorageClass of the pv"),
    textColumn("VolumeAttributesClass", "VolumeAttributesClass of the pv"),
    fieldColumn("Reason", "core.v1.PersistentVolumeStatus.reason"),
    AGE,
    wide(fieldColumn("VolumeMode", "core.v1.PersistentVolumeSpec.volumeMode")),
  ],
  cells: (volume, nowMs) => {
    const claim = volume.spec?.claimRef;
    return [
      volume.metadata.name,
      volume.spec?.capacity?.storage ?? "0",
      accessModes(volume.spec?.accessModes),
      volume.spec?.persistentVolumeReclaimPolicy ?? "",
      volume.metadata.deletionTimestamp ? "Terminating" : (volume.status?.phase ?? ""),
      claim ? `${claim.namespace ?? ""}/${claim.name ?? ""}` : "",
      storageClass(volume.metadata, volume.spec),
      volume.spec?.volumeAttributesClassName ?? "<unset>",
      volume.status?.reason ?? "",
      since(volume.metadata.creationTimestamp, nowMs),
      volume.spec?.volumeMode ?? "<unset>",
    ];
  },
};

export const PERSISTENT_VOLUME_CLAIM_TABLE: TableKind<PersistentVolumeClaim> = {
  columns: [
    NAME,
    fieldColumn("Status", "core.v1.PersistentVolumeClaimStatus.phase"),
    fieldColumn("Volume", "core.v1.PersistentVolumeClaimSpec.volumeName"),
    fieldColumn("Capacity", "core.v1.PersistentVolumeClaimStatus.capacity"),
    fieldColumn("Access Modes", "core.v1.PersistentVolumeClaimStatus.accessModes"),
    textColumn("StorageClass", "StorageClass of the pvc"),
    textColumn("VolumeAttributesClass", "VolumeAttributesClass of the pvc"),
    AGE,
    wide(fieldColumn("VolumeMode", "core.v1.PersistentVolumeClaimSpec.volumeMode")),
  ],
  cells: (claim, nowMs) => {
    const bound = !!claim.spec?.volumeName;
    return [
      claim.metadata.name,
      claim.metadata.deletionTimestamp ? "Terminating" : (claim.status?.phase ?? ""),
      claim.spec?.volumeName ?? "",
      bound ? (claim.status?.capacity?.storage ?? "0") : "",
      bound ? accessModes(claim.status?.accessModes) : "",
      storageClass(claim.metadata, claim.spec),
      claim.spec?.volumeAttributesClassName ?? "<unset>",
      since(claim.metadata.creationTimestamp, nowMs),
      claim.spec?.volumeMode ?? "<unset>",
    ];
  },
};

export const POD_TEMPLATE_TABLE: TableKind<PodTemplate> = {
  columns: [
    NAME,
    { ...CONTAINERS, priority: 0 },
    { ...IMAGES, priority: 0 },
    textColumn("Pod Labels", "The labels for the pod template."),
  ],
  cells: (template) => [
    template.metadata.name,
    containerNames(template.template?.spec?.containers),
    containerImages(template.template?.spec?.containers),
    formatLabels(template.template?.metadata?.labels),
  ],
};

export const REPLICATION_CONTROLLER_TABLE: TableKind<ReplicationController> = {
  columns: [
    NAME,
    fieldColumn("Desired", "core.v1.ReplicationControllerSpec.replicas", { type: "integer" }),
    fieldColumn("Current", "core.v1.ReplicationControllerStatus.replicas", { type: "integer" }),
    fieldColumn("Ready", "core.v1.ReplicationControllerStatus.readyReplicas", { type: "integer" }),
    AGE,
    CONTAINERS,
    IMAGES,
    wide(fieldColumn("Selector", "core.v1.ReplicationControllerSpec.selector")),
  ],
  cells: (controller, nowMs) => [
    controller.metadata.name,
    controller.spec?.replicas ?? 0,
    controller.status?.replicas ?? 0,
    controller.status?.readyReplicas ?? 0,
    since(controller.metadata.creationTimestamp, nowMs),
    containerNames(controller.spec?.template?.spec?.containers),
    containerImages(controller.spec?.template?.spec?.containers),
    formatLabels(controller.spec?.selector),
  ],
};

export const RESOURCE_QUOTA_TABLE: TableKind<ResourceQuota> = {
  columns: [
    NAME,
    textColumn("Request", "Request represents a minimum amount of cpu/memory that a container may consume."),
    textColumn(
      "Limit",
      "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
    ),
    AGE,
  ],
  cells: (quota, nowMs) => {
    const hard = quota.status?.hard ?? {};
    const shares = Object.keys(hard)
      .sort()
      .map((name): [boolean, string] => [
        name.startsWith("limits."),
        `${name}: ${quota.status?.used?.[name] ?? "0"}/${hard[name]}`,
      ]);
    const render = (limits: boolean) =>
      shares.flatMap(([isLimit, text]) => (isLimit === limits ? [text] : [])).join(", ");
    return [quota.metadata.name, render(false), render(true), since(quota.metadata.creationTimestamp, nowMs)];
  },
};
