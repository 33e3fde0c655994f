import type { Json, JsonObject } from "../../../../shared/api/json.ts";
import { findKind } from "../../../../shared/schema/index.ts";
import { type FieldSchema, schemaAt } from "./types.ts";

/** A field of a built-in kind that stands for its type, and the least object around it that is valid. */
export interface Field {
  group: string;
  version: string;
  kind: string;
  /** The way to the field from the object on; a number is an index into a list. */
  path: (string | number)[];
  /** All of the object but the field, its name and its type. */
  base: JsonObject;
  /** What a patch has to say on the way to the field, beside what it changes. */
  way?: JsonObject;
  /** Whether the field belongs to the status. */
  status?: true;
}

const IMAGE = { name: "main", image: "i" };
const template = (field: string): Field => ({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  path: ["template", "spec", field],
  base: field === "containers" ? {} : { template: { spec: { containers: [IMAGE] } } },
});
const container = (...fields: string[]): Field => ({
  ...template("containers"),
  path: ["template", "spec", "containers", 0, ...fields],
  base: { template: { spec: { containers: [IMAGE] } } },
  way: { template: { spec: { containers: [{ name: "main" }] } } },
});
const withVolumes = (field: Field): Field => ({
  ...field,
  base: { template: { spec: { containers: [IMAGE], volumes: [{ name: "v" }, { name: "w" }] } } },
});
const meta = (field: string): Field => ({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  path: ["metadata", field],
  base: {},
});
const core = (kind: string, path: string[], base: JsonObject = {}): Field => ({
  group: "",
  version: "v1",
  kind,
  path,
  base,
});
const PORTS = { ports: [{ port: 80 }] };
const APP = { matchLabels: { app: "x" } };
const POD = { metadata: { labels: { app: "x" } }, spec: { containers: [IMAGE] } };
const deployment = (field: string): Field => ({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  path: ["spec", field],
  // Paused and without pods, so that no controller has anything to do with it.
  base: { spec: { paused: true, replicas: 0, ...(field === "selector" ? {} : { selector: APP }), template: POD } },
});
const autoscaler = (field: string, version: string): Field => ({
  group: "autoscaling",
  version,
  kind: "HorizontalPodAutoscaler",
  path: ["spec", field],
  base: { spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" } } },
});

/** The fields of the tables, by the names that the cases have for them. */
export const FIELDS = {
  data: core("ConfigMap", ["data"]),
  binaryData: core("ConfigMap", ["binaryData"]),
  labels: meta("labels"),
  annotations: meta("annotations"),
  limits: container("resources", "limits"),
  "service selector": core("Service", ["spec", "selector"], { spec: PORTS }),
  nodeSelector: template("nodeSelector"),
  securityContext: template("securityContext"),
  lifecycle: container("lifecycle"),
  "label selector": deployment("selector"),
  strategy: deployment("strategy"),
  "budget selector": {
    ...core("PodDisruptionBudget", ["spec", "selector"], { spec: { minAvailable: 1 } }),
    group: "policy",
  },
  roleRef: { ...core("RoleBinding", ["roleRef"]), group: "rbac.authorization.k8s.io" },
  containers: template("containers"),
  initContainers: template("initContainers"),
  volumes: template("volumes"),
  hostAliases: template("hostAliases"),
  imagePullSecrets: template("imagePullSecrets"),
  schedulingGates: template("schedulingGates"),
  tolerations: template("tolerations"),
  spread: template("topologySpreadConstraints"),
  dnsPolicy: template("dnsPolicy"),
  env: container("env"),
  envFrom: container("envFrom"),
  args: container("args"),
  volumeMounts: withVolumes(container("volumeMounts")),
  ports: container("ports"),
  "service ports": core("Service", ["spec", "ports"]),
  externalIPs: core("Service", ["spec", "externalIPs"], { spec: PORTS }),
  ownerReferences: meta("ownerReferences"),
  secrets: core("ServiceAccount", ["secrets"]),
  finalizers: meta("finalizers"),
  accessModes: core("PersistentVolumeClaim", ["spec", "accessModes"], {
    spec: { storageClassName: "none", resources: { requests: { storage: "1Gi" } } },
  }),
  rules: { ...core("Role", ["rules"]), group: "rbac.authorization.k8s.io" },
  replicas: deployment("replicas"),
  minReadySeconds: deployment("minReadySeconds"),
  conditions: { ...core("Service", ["status", "conditions"], { spec: PORTS }), status: true },
  ingress: {
    ...core("Service", ["status", "loadBalancer", "ingress"], { spec: { ...PORTS, type: "LoadBalancer" } }),
    status: true,
  },
  "free form": {
    ...core("ControllerRevision", ["data"], { revision: 1 }),
    group: "apps",
  },
  minReplicas: autoscaler("minReplicas", "v2"),
  targetCPU: autoscaler("targetCPUUtilizationPercentage", "v1"),
  metrics: autoscaler("metrics", "v2"),
  behavior: autoscaler("behavior", "v2"),
} satisfies Record<string, Field>;

export type FieldName = keyof typeof FIELDS;

/** The object with these members beside the field, or in its place; `undefined` members stay away. */
export function around(field: Field, base: JsonObject, members: Record<string, Json | undefined>): JsonObject {
  const object = structuredClone(base);
  let at = object as Record<string | number, Json>;
  for (const step of field.path.slice(0, -1)) {
    at[step] ??= {};
    at = at[step] as Record<string | number, Json>;
  }
  for (const [name, member] of Object.entries(members)) if (member !== undefined) at[name] = member;
  return object;
}

export function schemaOfField({ group, version, kind, path }: Field): FieldSchema {
  const facts = findKind({ group, version, kind });
  if (!facts) throw new Error(`no kind ${kind}`);
  return schemaAt(facts.schema, path);
}
