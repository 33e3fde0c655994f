/**
 * What the contract needs of each kind: the least object that is valid, one change that its rules allow, and the facts
 * of the kind that no discovery document tells. Written from upstream's documents and sources, not from our tables.
 */
import type { JsonObject } from "../../shared/api/json.ts";

export interface Row {
  /** All but apiVersion, kind and metadata. */
  body: JsonObject;
  /** A merge patch that an update may make; by default only metadata can change. */
  change?: JsonObject;
  /** A merge patch of the status subresource; needed where there is one. */
  status?: JsonObject;
  /** Names, where the kind has a rule of its own for them; the second and third may need a body of their own. */
  names?: [string, string, string];
  bodies?: [JsonObject, JsonObject, JsonObject];
  /** metadata.generation begins at 1 and counts changes. */
  generation?: boolean;
  /** After `change`, where the kind does not count as the others do. */
  changedGeneration?: number;
  /** A delete answers with the object; the others with a Status. */
  deleteGivesObject?: boolean;
  /** The Table's first column, when it is not Name. */
  firstColumn?: string;
  /** How many cells a row of the Table has, when they are not as many as the columns (a slip of upstream's). */
  cells?: number;
}

const CONTAINER = { name: "main", image: "example.com/none:1" };
const SELECTOR = { matchLabels: { app: "contract" } };
const TEMPLATE = { metadata: { labels: { app: "contract" } }, spec: { containers: [CONTAINER] } };
const CONDITION = {
  type: "Contract",
  status: "True",
  reason: "Contract",
  message: "contract",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const CLIENT = { url: "https://192.0.2.1/hook" };
const WEBHOOK = {
  name: "hook.contract.example.com",
  clientConfig: CLIENT,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  failurePolicy: "Ignore",
};
const MATCH_NOTHING = {
  resourceRules: [
    { apiGroups: ["contract.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["x"] },
  ],
};
const HPA = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" }, maxReplicas: 2 };
const CRD = (plural: string): JsonObject => ({
  spec: {
    group: "contract.example.com",
    scope: "Namespaced",
    names: {
      plural,
      singular: plural.slice(0, -1),
      kind: plural.toUpperCase(),
      listKind: `${plural.toUpperCase()}List`,
    },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});
const REQUEST =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITk1IVUNBUUF3RXpFUk1BOEdBMVVFQXd3SVkyOXVkSEpoWTNRd1dUQVRCZ2NxaGtqT1BRSUJCZ2dxaGtqTwpQUU1CQndOQ0FBU3k2Y1lNRC9ZWWt2MXpWWVJtTlM4UEZqckhTcUMrc1Nua01GY0JKTjA1NlBCVzNGU2ZTTGgwClMvcjFGTFZydFJTVFBzWk9UU2pXc1pvTmlYSnpkMGxNb0FBd0NnWUlLb1pJemowRUF3SURTQUF3UlFJZ1lWMVcKUVJ3WlRJcUxKMVVkS09tbm9LVFJsWWNkNHYzV215TitwNXpqdnI0Q0lRQzltV0ZvTTV0MldIZGV2RlpnY3JmYQorOE9ZVStjOGpKR1VUTjMyZXByVk1nPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";
const ADDRESS = (parent: string): JsonObject => ({
  spec: { parentRef: { group: "", resource: "services", namespace: "default", name: parent } },
});

/** Keyed by `<group>/<version>/<resource>`. */
export const ROWS: Record<string, Row> = {
  "/v1/configmaps": { body: { data: { k: "1" } }, change: { data: { k: "2" } } },
  "/v1/endpoints": { body: { subsets: [] }, change: { subsets: [{ addresses: [{ ip: "192.0.2.9" }] }] } },
  "/v1/events": {
    body: { involvedObject: { kind: "Pod", name: "none", namespace: "contract" }, reason: "Contract", type: "Normal" },
    change: { reason: "Other" },
    firstColumn: "Last Seen",
  },
  "/v1/limitranges": {
    body: { spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "1Ti" } }] } },
    change: { spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "2Ti" } }] } },
  },
  "/v1/namespaces": { body: {}, status: { conditions: [CONDITION] } },
  "/v1/nodes": {
    body: {},
    change: { spec: { unschedulable: true } },
    status: { nodeInfo: { kernelVersion: "contract" } },
  },
  "/v1/persistentvolumeclaims": {
    body: {
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "contract-none",
        resources: { requests: { storage: "1Gi" } },
      },
    },
    status: { conditions: [{ ...CONDITION, type: "Resizing" }] },
    deleteGivesObject: true,
  },
  "/v1/persistentvolumes": {
    body: {
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        hostPath: { path: "/none" },
        storageClassName: "contract-none",
      },
    },
    change: { spec: { persistentVolumeReclaimPolicy: "Delete" } },
    status: { message: "contract" },
    deleteGivesObject: true,
  },
  "/v1/pods": {
    body: { spec: { containers: [CONTAINER] } },
    change: { spec: { activeDeadlineSeconds: 3600 } },
    status: { message: "contract" },
    generation: true,
    deleteGivesObject: true,
  },
  "/v1/podtemplates": {
    body: { template: TEMPLATE },
    change: { template: { spec: { terminationGracePeriodSeconds: 5 } } },
    generation: true,
    deleteGivesObject: true,
  },
  "/v1/replicationcontrollers": {
    body: { spec: { replicas: 0, selector: { app: "contract" }, template: TEMPLATE } },
    change: { spec: { minReadySeconds: 3 } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "/v1/resourcequotas": {
    body: { spec: { hard: { "requests.nvidia.com/gpu": "100" } } },
    change: { spec: { hard: { "requests.nvidia.com/gpu": "200" } } },
    status: { used: { "requests.nvidia.com/gpu": "7" } },
    deleteGivesObject: true,
  },
  "/v1/secrets": { body: { stringData: { k: "1" } }, change: { data: { k: "Mg==" } } },
  "/v1/serviceaccounts": {
    body: {},
    change: { automountServiceAccountToken: false },
    deleteGivesObject: true,
  },
  "/v1/services": {
    body: { spec: { ports: [{ port: 80 }] } },
    change: { spec: { sessionAffinity: "ClientIP" } },
    status: { conditions: [CONDITION] },
    deleteGivesObject: true,
  },
  "apiregistration.k8s.io/v1/apiservices": {
    names: ["v1.a.contract.example.com", "v1.b.contract.example.com", "v1.c.contract.example.com"],
    body: {},
    bodies: ["a", "b", "c"].map((group) => ({
      spec: {
        group: `${group}.contract.example.com`,
        version: "v1",
        groupPriorityMinimum: 10,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { namespace: "default", name: "none" },
      },
    })) as unknown as [JsonObject, JsonObject, JsonObject],
    change: { spec: { versionPriority: 20 } },
    status: { conditions: [CONDITION] },
  },
  "apps/v1/controllerrevisions": { body: { revision: 1, data: {} }, change: { revision: 2 } },
  "apps/v1/daemonsets": {
    body: { spec: { selector: SELECTOR, template: TEMPLATE } },
    change: { spec: { minReadySeconds: 3 } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "apps/v1/deployments": {
    body: { spec: { replicas: 0, selector: SELECTOR, template: TEMPLATE } },
    change: { spec: { minReadySeconds: 3 } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "apps/v1/replicasets": {
    body: { spec: { replicas: 0, selector: SELECTOR, template: TEMPLATE } },
    change: { spec: { minReadySeconds: 3 } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "apps/v1/statefulsets": {
    body: { spec: { replicas: 0, serviceName: "none", selector: SELECTOR, template: TEMPLATE } },
    change: { spec: { minReadySeconds: 3 } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "events.k8s.io/v1/events": {
    body: {
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "example.com/contract",
      reportingInstance: "contract",
      action: "Contract",
      reason: "Contract",
      type: "Normal",
      regarding: { kind: "Pod", name: "none", namespace: "contract" },
    },
    change: { series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } },
    firstColumn: "Last Seen",
  },
  "autoscaling/v1/horizontalpodautoscalers": {
    body: { spec: HPA },
    change: { spec: { maxReplicas: 3 } },
    status: { currentReplicas: 1, desiredReplicas: 1 },
  },
  "autoscaling/v2/horizontalpodautoscalers": {
    body: { spec: HPA },
    change: { spec: { maxReplicas: 3 } },
    status: { conditions: [CONDITION] },
  },
  "batch/v1/cronjobs": {
    body: {
      spec: {
        schedule: "0 0 1 1 *",
        jobTemplate: { spec: { template: { spec: { containers: [CONTAINER], restartPolicy: "Never" } } } },
      },
    },
    change: { spec: { suspend: true } },
    status: { lastScheduleTime: "2026-01-01T00:00:00Z" },
    generation: true,
  },
  "batch/v1/jobs": {
    body: { spec: { suspend: true, template: { spec: { containers: [CONTAINER], restartPolicy: "Never" } } } },
    change: { spec: { backoffLimit: 2 } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "certificates.k8s.io/v1/certificatesigningrequests": {
    body: { spec: { request: REQUEST, signerName: "example.com/contract", usages: ["digital signature"] } },
    status: { conditions: [{ ...CONDITION, type: "Failed" }] },
  },
  "networking.k8s.io/v1/ingressclasses": {
    body: { spec: { controller: "example.com/contract" } },
    change: { spec: { parameters: { kind: "ConfigMap", name: "none", scope: "Cluster" } } },
    generation: true,
  },
  "networking.k8s.io/v1/ingresses": {
    body: { spec: { defaultBackend: { service: { name: "none", port: { number: 80 } } } } },
    change: { spec: { ingressClassName: "contract" } },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.9" }] } },
    generation: true,
  },
  "networking.k8s.io/v1/ipaddresses": {
    names: ["192.0.2.201", "192.0.2.202", "192.0.2.203"],
    body: ADDRESS("none"),
    cells: 3,
  },
  "networking.k8s.io/v1/networkpolicies": {
    body: { spec: { podSelector: {} } },
    change: { spec: { podSelector: SELECTOR } },
    generation: true,
  },
  "networking.k8s.io/v1/servicecidrs": {
    body: { spec: { cidrs: ["198.51.100.0/24"] } },
    status: { conditions: [CONDITION] },
  },
  "policy/v1/poddisruptionbudgets": {
    body: { spec: { minAvailable: 1, selector: SELECTOR } },
    change: { spec: { minAvailable: 2 } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "rbac.authorization.k8s.io/v1/clusterroles": {
    body: { rules: [] },
    change: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    firstColumn: "Name",
  },
  "rbac.authorization.k8s.io/v1/clusterrolebindings": {
    body: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "none" } },
    change: { subjects: [{ kind: "ServiceAccount", name: "none", namespace: "contract" }] },
  },
  "rbac.authorization.k8s.io/v1/roles": {
    body: { rules: [] },
    change: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  },
  "rbac.authorization.k8s.io/v1/rolebindings": {
    body: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "none" } },
    change: { subjects: [{ kind: "ServiceAccount", name: "none", namespace: "contract" }] },
  },
  "storage.k8s.io/v1/csidrivers": {
    body: { spec: {} },
    change: { spec: { requiresRepublish: true } },
    changedGeneration: 1,
    deleteGivesObject: true,
  },
  "storage.k8s.io/v1/csinodes": {
    body: { spec: { drivers: [] } },
    change: { spec: { drivers: [{ name: "contract.example.com", nodeID: "1" }] } },
    deleteGivesObject: true,
  },
  "storage.k8s.io/v1/csistoragecapacities": { body: { storageClassName: "none" }, change: { capacity: "1Gi" } },
  "storage.k8s.io/v1/storageclasses": {
    body: { provisioner: "example.com/contract" },
    change: { allowVolumeExpansion: true },
    deleteGivesObject: true,
  },
  "storage.k8s.io/v1/volumeattachments": {
    body: { spec: { attacher: "example.com", nodeName: "none", source: { persistentVolumeName: "none" } } },
    status: { attached: true },
    deleteGivesObject: true,
  },
  "storage.k8s.io/v1/volumeattributesclasses": {
    body: { driverName: "example.com", parameters: { k: "1" } },
    deleteGivesObject: true,
  },
  "admissionregistration.k8s.io/v1/mutatingadmissionpolicies": {
    body: {
      spec: {
        matchConstraints: MATCH_NOTHING,
        reinvocationPolicy: "Never",
        mutations: [
          { patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "test", path: "/kind", value: "Pod"}]' } },
        ],
      },
    },
    change: { spec: { failurePolicy: "Ignore" } },
    generation: true,
  },
  "admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings": {
    body: { spec: { policyName: "none" } },
    change: { spec: { policyName: "other" } },
    generation: true,
  },
  "admissionregistration.k8s.io/v1/mutatingwebhookconfigurations": {
    body: { webhooks: [] },
    change: { webhooks: [WEBHOOK] },
    generation: true,
  },
  "admissionregistration.k8s.io/v1/validatingadmissionpolicies": {
    body: { spec: { matchConstraints: MATCH_NOTHING, validations: [{ expression: "true" }] } },
    change: { spec: { failurePolicy: "Ignore" } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "admissionregistration.k8s.io/v1/validatingadmissionpolicybindings": {
    body: { spec: { policyName: "none", validationActions: ["Deny"] } },
    change: { spec: { validationActions: ["Warn"] } },
    generation: true,
  },
  "admissionregistration.k8s.io/v1/validatingwebhookconfigurations": {
    body: { webhooks: [] },
    change: { webhooks: [WEBHOOK] },
    generation: true,
  },
  "apiextensions.k8s.io/v1/customresourcedefinitions": {
    names: ["as.contract.example.com", "bs.contract.example.com", "cs.contract.example.com"],
    body: {},
    bodies: [CRD("as"), CRD("bs"), CRD("cs")],
    change: { spec: { names: { shortNames: ["contract"] } } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "scheduling.k8s.io/v1/priorityclasses": {
    body: { value: 7 },
    change: { description: "changed" },
    generation: true,
    changedGeneration: 1,
  },
  "coordination.k8s.io/v1/leases": { body: { spec: {} }, change: { spec: { holderIdentity: "contract" } } },
  "node.k8s.io/v1/runtimeclasses": {
    body: { handler: "contract" },
    change: { overhead: { podFixed: { cpu: "1m" } } },
  },
  "discovery.k8s.io/v1/endpointslices": {
    body: { addressType: "IPv4", endpoints: [] },
    change: { endpoints: [{ addresses: ["192.0.2.9"] }] },
    generation: true,
  },
  "resource.k8s.io/v1/deviceclasses": {
    body: { spec: {} },
    change: { spec: { selectors: [{ cel: { expression: "true" } }] } },
    generation: true,
    deleteGivesObject: true,
  },
  "resource.k8s.io/v1/resourceclaims": {
    body: { spec: {} },
    status: { allocation: { devices: {} } },
    deleteGivesObject: true,
  },
  "resource.k8s.io/v1/resourceclaimtemplates": { body: { spec: { spec: {} } }, deleteGivesObject: true },
  "resource.k8s.io/v1/resourceslices": {
    body: {
      spec: {
        driver: "contract.example.com",
        allNodes: true,
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      },
    },
    change: { spec: { pool: { generation: 2 } } },
    generation: true,
    deleteGivesObject: true,
  },
  "flowcontrol.apiserver.k8s.io/v1/flowschemas": {
    body: { spec: { priorityLevelConfiguration: { name: "global-default" } } },
    change: { spec: { matchingPrecedence: 7 } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
  "flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations": {
    body: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
    change: { spec: { limited: { lendablePercent: 5 } } },
    status: { conditions: [CONDITION] },
    generation: true,
  },
};
