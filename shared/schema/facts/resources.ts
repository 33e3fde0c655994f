import type { ResourceFacts, SubresourceFacts, Verb } from "../resources.ts";

/*
 * What upstream 1.36 serves in its GA groups, in the order of its discovery documents: groups as /apis lists them,
 * versions by preference, resources and subresources by name.
 */

const ALL_VERBS: Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
/** Namespaces are deleted one by one: each takes its contents along. */
const WITHOUT_COLLECTION_DELETE = ALL_VERBS.filter((verb) => verb !== "deletecollection");

const READ_AND_WRITE: Verb[] = ["get", "patch", "update"];
const PROXIED: Verb[] = ["create", "delete", "get", "patch", "update"];

/** A subresource without a kind speaks in its resource's own kind. */
const SUBRESOURCES: Record<string, Omit<SubresourceFacts, "name" | "kind"> & { kind?: string }> = {
  approval: { verbs: READ_AND_WRITE },
  attach: { kind: "PodAttachOptions", verbs: ["create", "get"] },
  binding: { kind: "Binding", verbs: ["create"] },
  ephemeralcontainers: { verbs: READ_AND_WRITE },
  eviction: { group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] },
  exec: { kind: "PodExecOptions", verbs: ["create", "get"] },
  finalize: { verbs: ["update"] },
  log: { verbs: ["get"] },
  portforward: { kind: "PodPortForwardOptions", verbs: ["create", "get"] },
  resize: { verbs: READ_AND_WRITE },
  scale: { group: "autoscaling", version: "v1", kind: "Scale", verbs: READ_AND_WRITE },
  status: { verbs: READ_AND_WRITE },
  token: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", verbs: ["create"] },
};

interface Row extends Pick<ResourceFacts, "resource" | "kind" | "namespaced" | "storedAs" | "virtual"> {
  /** Lists are texts of words. */
  short?: string;
  categories?: string;
  verbs?: Verb[];
  subresources?: string;
  fields?: string;
}

type Extras = Omit<Row, "resource" | "kind" | "namespaced">;

const namespaced = (resource: string, kind: string, extras: Extras = {}): Row => ({
  resource,
  kind,
  namespaced: true,
  ...extras,
});

const cluster = (resource: string, kind: string, extras: Extras = {}): Row => ({
  resource,
  kind,
  namespaced: false,
  ...extras,
});

const words = (text: string | undefined): string[] => (text ? text.split(" ") : []);

function subresource(name: string, kind: string): SubresourceFacts {
  if (name === "proxy") return { name, kind: `${kind}ProxyOptions`, verbs: PROXIED };
  return { name, kind, ...SUBRESOURCES[name]! };
}

/** @param definitions the Go package that upstream's definitions are named by */
function version(groupVersion: string, definitions: string, rows: Row[]): ResourceFacts[] {
  const [group, version] = groupVersion.includes("/") ? groupVersion.split("/") : ["", groupVersion];
  return rows.map(({ short, categories, verbs, subresources, fields, ...row }) => ({
    group: group!,
    version: version!,
    singular: row.kind.toLowerCase(),
    shortNames: words(short),
    categories: words(categories),
    verbs: verbs ?? ALL_VERBS,
    subresources: words(subresources).map((name) => subresource(name, row.kind)),
    schema: `${definitions}.${row.kind}`,
    selectableFields: words(fields),
    ...row,
  }));
}

export const RESOURCES: ResourceFacts[] = [
  ...version("v1", "io.k8s.api.core.v1", [
    namespaced("bindings", "Binding", { verbs: ["create"], virtual: true }),
    cluster("componentstatuses", "ComponentStatus", { short: "cs", verbs: ["get", "list"], virtual: true }),
    namespaced("configmaps", "ConfigMap", { short: "cm" }),
    namespaced("endpoints", "Endpoints", { short: "ep" }),
    namespaced("events", "Event", {
      short: "ev",
      fields:
        "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent source type",
    }),
    namespaced("limitranges", "LimitRange", { short: "limits" }),
    cluster("namespaces", "Namespace", {
      short: "ns",
      verbs: WITHOUT_COLLECTION_DELETE,
      subresources: "finalize status",
      fields: "status.phase",
    }),
    cluster("nodes", "Node", { short: "no", subresources: "proxy status", fields: "spec.unschedulable" }),
    namespaced("persistentvolumeclaims", "PersistentVolumeClaim", { short: "pvc", subresources: "status" }),
    cluster("persistentvolumes", "PersistentVolume", { short: "pv", subresources: "status" }),
    namespaced("pods", "Pod", {
      short: "po",
      categories: "all",
      subresources: "attach binding ephemeralcontainers eviction exec log portforward proxy resize status",
      fields:
        "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork status.phase status.podIP status.podIPs status.nominatedNodeName",
    }),
    namespaced("podtemplates", "PodTemplate"),
    namespaced("replicationcontrollers", "ReplicationController", {
      short: "rc",
      categories: "all",
      subresources: "scale status",
      fields: "status.replicas",
    }),
    namespaced("resourcequotas", "ResourceQuota", { short: "quota", subresources: "status" }),
    namespaced("secrets", "Secret", { fields: "type" }),
    namespaced("serviceaccounts", "ServiceAccount", { short: "sa", subresources: "token" }),
    namespaced("services", "Service", {
      short: "svc",
      categories: "all",
      subresources: "proxy status",
      fields: "spec.clusterIP spec.type",
    }),
  ]),

  ...version("apiregistration.k8s.io/v1", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1", [
    cluster("apiservices", "APIService", { categories: "api-extensions", subresources: "status" }),
  ]),

  ...version("apps/v1", "io.k8s.api.apps.v1", [
    namespaced("controllerrevisions", "ControllerRevision"),
    namespaced("daemonsets", "DaemonSet", { short: "ds", categories: "all", subresources: "status" }),
    namespaced("deployments", "Deployment", { short: "deploy", categories: "all", subresources: "scale status" }),
    namespaced("replicasets", "ReplicaSet", { short: "rs", categories: "all", subresources: "scale status" }),
    namespaced("statefulsets", "StatefulSet", { short: "sts", categories: "all", subresources: "scale status" }),
  ]),

  ...version("events.k8s.io/v1", "io.k8s.api.events.v1", [
    namespaced("events", "Event", {
      short: "ev",
      fields:
        "regarding.kind regarding.namespace regarding.name regarding.uid regarding.apiVersion regarding.resourceVersion regarding.fieldPath reason reportingController type",
      storedAs: { group: "", version: "v1", resource: "events" },
    }),
  ]),

  ...version("authentication.k8s.io/v1", "io.k8s.api.authentication.v1", [
    cluster("selfsubjectreviews", "SelfSubjectReview", { verbs: ["create"], virtual: true }),
    cluster("tokenreviews", "TokenReview", { verbs: ["create"], virtual: true }),
  ]),

  ...version("authorization.k8s.io/v1", "io.k8s.api.authorization.v1", [
    namespaced("localsubjectaccessreviews", "LocalSubjectAccessReview", { verbs: ["create"], virtual: true }),
    cluster("selfsubjectaccessreviews", "SelfSubjectAccessReview", { verbs: ["create"], virtual: true }),
    cluster("selfsubjectrulesreviews", "SelfSubjectRulesReview", { verbs: ["create"], virtual: true }),
    cluster("subjectaccessreviews", "SubjectAccessReview", { verbs: ["create"], virtual: true }),
  ]),

  ...version("autoscaling/v2", "io.k8s.api.autoscaling.v2", [
    namespaced("horizontalpodautoscalers", "HorizontalPodAutoscaler", {
      short: "hpa",
      categories: "all",
      subresources: "status",
    }),
  ]),

  ...version("autoscaling/v1", "io.k8s.api.autoscaling.v1", [
    namespaced("horizontalpodautoscalers", "HorizontalPodAutoscaler", {
      short: "hpa",
      categories: "all",
      subresources: "status",
      storedAs: { group: "autoscaling", version: "v2", resource: "horizontalpodautoscalers" },
    }),
  ]),

  ...version("batch/v1", "io.k8s.api.batch.v1", [
    namespaced("cronjobs", "CronJob", { short: "cj", categories: "all", subresources: "status" }),
    namespaced("jobs", "Job", { categories: "all", subresources: "status", fields: "status.successful" }),
  ]),

  ...version("certificates.k8s.io/v1", "io.k8s.api.certificates.v1", [
    cluster("certificatesigningrequests", "CertificateSigningRequest", {
      short: "csr",
      subresources: "approval status",
      fields: "spec.signerName",
    }),
  ]),

  ...version("networking.k8s.io/v1", "io.k8s.api.networking.v1", [
    cluster("ingressclasses", "IngressClass"),
    namespaced("ingresses", "Ingress", { short: "ing", subresources: "status" }),
    cluster("ipaddresses", "IPAddress", { short: "ip" }),
    namespaced("networkpolicies", "NetworkPolicy", { short: "netpol" }),
    cluster("servicecidrs", "ServiceCIDR", { subresources: "status" }),
  ]),

  ...version("policy/v1", "io.k8s.api.policy.v1", [
    namespaced("poddisruptionbudgets", "PodDisruptionBudget", { short: "pdb", subresources: "status" }),
  ]),

  ...version("rbac.authorization.k8s.io/v1", "io.k8s.api.rbac.v1", [
    cluster("clusterrolebindings", "ClusterRoleBinding"),
    cluster("clusterroles", "ClusterRole"),
    namespaced("rolebindings", "RoleBinding"),
    namespaced("roles", "Role"),
  ]),

  ...version("storage.k8s.io/v1", "io.k8s.api.storage.v1", [
    cluster("csidrivers", "CSIDriver"),
    cluster("csinodes", "CSINode"),
    namespaced("csistoragecapacities", "CSIStorageCapacity"),
    cluster("storageclasses", "StorageClass", { short: "sc" }),
    cluster("volumeattachments", "VolumeAttachment", { subresources: "status" }),
    cluster("volumeattributesclasses", "VolumeAttributesClass", { short: "vac" }),
  ]),

  ...version("admissionregistration.k8s.io/v1", "io.k8s.api.admissionregistration.v1", [
    cluster("mutatingadmissionpolicies", "MutatingAdmissionPolicy", { categories: "api-extensions" }),
    cluster("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", { categories: "api-extensions" }),
    cluster("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", { categories: "api-extensions" }),
    cluster("validatingadmissionpolicies", "ValidatingAdmissionPolicy", {
      categories: "api-extensions",
      subresources: "status",
    }),
    cluster("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", { categories: "api-extensions" }),
    cluster("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", { categories: "api-extensions" }),
  ]),

  ...version("apiextensions.k8s.io/v1", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1", [
    cluster("customresourcedefinitions", "CustomResourceDefinition", {
      short: "crd crds",
      categories: "api-extensions",
      subresources: "status",
    }),
  ]),

  ...version("scheduling.k8s.io/v1", "io.k8s.api.scheduling.v1", [
    cluster("priorityclasses", "PriorityClass", { short: "pc" }),
  ]),

  ...version("coordination.k8s.io/v1", "io.k8s.api.coordination.v1", [namespaced("leases", "Lease")]),

  ...version("node.k8s.io/v1", "io.k8s.api.node.v1", [cluster("runtimeclasses", "RuntimeClass")]),

  ...version("discovery.k8s.io/v1", "io.k8s.api.discovery.v1", [namespaced("endpointslices", "EndpointSlice")]),

  ...version("resource.k8s.io/v1", "io.k8s.api.resource.v1", [
    cluster("deviceclasses", "DeviceClass"),
    namespaced("resourceclaims", "ResourceClaim", { subresources: "status" }),
    namespaced("resourceclaimtemplates", "ResourceClaimTemplate"),
    cluster("resourceslices", "ResourceSlice", { fields: "spec.nodeName spec.driver" }),
  ]),

  ...version("flowcontrol.apiserver.k8s.io/v1", "io.k8s.api.flowcontrol.v1", [
    cluster("flowschemas", "FlowSchema", { subresources: "status" }),
    cluster("prioritylevelconfigurations", "PriorityLevelConfiguration", { subresources: "status" }),
  ]),
];
