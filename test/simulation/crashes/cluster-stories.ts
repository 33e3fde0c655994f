import { expect } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import {
  CERTIFICATE_SIGNING_REQUESTS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DEPLOYMENTS,
  FLOW_SCHEMAS,
  NAMESPACES,
  PODS,
  PRIORITY_LEVEL_CONFIGURATIONS,
  RESOURCE_QUOTAS,
  SERVICE_ACCOUNTS,
} from "../../../shared/api/refs.ts";
import type { CertificateSigningRequest, ResourceQuota } from "../../../shared/api/types.ts";
import { NODE_P256 } from "../../../shared/pki/testdata/requests.ts";
import { deployment, namespace, object, pod } from "../../builders/objects.ts";
import { change, create, createAll, remove, type Story } from "./story.ts";

const inNamespace = (apiVersion: string, kind: string, name: string, rest: Record<string, unknown> = {}) =>
  object(apiVersion, kind, name, { ...rest, metadata: { name, namespace: "default" } }).build();

export const CLUSTER_STORIES: Story[] = [
  {
    name: "a namespace with an account, the CA and a Deployment, and its end",
    of: ["namespace", "serviceaccount", "root-ca"],
    beside: ["deployment", "replicaset", "garbage-collector"],
    acts: [
      createAll([NAMESPACES, namespace("default").build()], [DEPLOYMENTS, deployment("w").replicas(2).build()]),
      (api) => api.delete(NAMESPACES, { name: "default" }),
    ],
    end: (api) =>
      expect([NAMESPACES, PODS, SERVICE_ACCOUNTS, CONFIG_MAPS].map((ref) => api.all(ref))).toEqual([[], [], [], []]),
    writes: 20,
  },
  {
    name: "a quota whose pods go",
    of: ["resourcequota"],
    acts: [
      createAll(...["p1", "p2", "p3"].map((name): [typeof PODS, KubeObject] => [PODS, pod(name).build()]), [
        RESOURCE_QUOTAS,
        inNamespace("v1", "ResourceQuota", "q", { spec: { hard: { pods: "5" } } }),
      ]),
      remove(PODS, "p1"),
      change(RESOURCE_QUOTAS, "q", { spec: { hard: { pods: "4", configmaps: "3" } } }),
      remove(PODS, "p2"),
      remove(PODS, "p3"),
    ],
    end(api) {
      expect(api.find<ResourceQuota>(RESOURCE_QUOTAS, "default/q")?.status).toEqual({
        hard: { pods: "4", configmaps: "3" },
        used: { pods: "0", configmaps: "0" },
      });
    },
    writes: 5,
  },
  {
    name: "the rules of a role that is made of others",
    of: ["clusterrole-aggregation"],
    acts: [
      createAll(
        [
          CLUSTER_ROLES,
          object("rbac.authorization.k8s.io/v1", "ClusterRole", "all", {
            aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "yes" } }] },
            rules: [],
          }).build(),
        ],
        [CLUSTER_ROLES, partOfRole("one")],
      ),
      create(CLUSTER_ROLES, partOfRole("two")),
      remove(CLUSTER_ROLES, "one"),
    ],
    end: (api) => expect(api.find(CLUSTER_ROLES, "all")?.["rules"]).toEqual([{ verbs: ["get"], resources: ["two"] }]),
    writes: 3,
  },
  {
    name: "a flow schema whose level comes late, and goes",
    of: ["flow-schema"],
    acts: [
      create(
        FLOW_SCHEMAS,
        object("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "f", {
          spec: { priorityLevelConfiguration: { name: "l" } },
        }).build(),
      ),
      create(
        PRIORITY_LEVEL_CONFIGURATIONS,
        object("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "l").build(),
      ),
      remove(PRIORITY_LEVEL_CONFIGURATIONS, "l"),
    ],
    end: (api) =>
      expect(api.find(FLOW_SCHEMAS, "f")?.["status"]).toMatchObject({
        conditions: [{ type: "Dangling", status: "True" }],
      }),
    writes: 3,
  },
  {
    name: "a node's request for a certificate, approved, signed and removed in its time",
    of: ["csr-approving", "csr-signing", "csr-cleaner"],
    acts: [
      create(
        CERTIFICATE_SIGNING_REQUESTS,
        object("certificates.k8s.io/v1", "CertificateSigningRequest", "r", {
          metadata: { name: "r", creationTimestamp: "2026-10-21T08:00:00Z" },
          spec: {
            request: btoa(NODE_P256),
            signerName: "kubernetes.io/kube-apiserver-client-kubelet",
            usages: ["digital signature", "client auth"],
            username: "system:bootstrap:abc123",
            groups: ["system:bootstrappers"],
          },
          status: {},
        }).build(),
      ),
      async (api) => {
        const [request] = api.all<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS);
        expect(request?.status).toMatchObject({
          certificate: btoa("a certificate"),
          conditions: [{ type: "Approved" }],
        });
      },
    ],
    restMs: (2 * 3_600_000) / 3,
    end: (api) => expect(api.all(CERTIFICATE_SIGNING_REQUESTS)).toEqual([]),
    writes: 3,
  },
];

function partOfRole(name: string): KubeObject {
  return object("rbac.authorization.k8s.io/v1", "ClusterRole", name, {
    metadata: { name, labels: { part: "yes" } },
    rules: [{ verbs: ["get"], resources: [name] }],
  }).build();
}
