import type { KubeObject } from "../../../../shared/api/object.ts";
import { RBAC_GROUP } from "../../authz/index.ts";
import { CLUSTER_ROLE_RULES } from "./cluster-roles.ts";
import { CONTROLLER_RULES } from "./controller-roles.ts";
import { NAMESPACED_ROLE_RULES } from "./namespaced-roles.ts";
import type { Binding, Role } from "./reconcile.ts";
import { type RuleText, readRule } from "./rule-text.ts";

/** What tells the default objects from others. */
export const BOOTSTRAP_LABEL = "kubernetes.io/bootstrapping";
const AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-";
const ANNOTATIONS = { "rbac.authorization.kubernetes.io/autoupdate": "true" };

const metadataOf = (name: string, labels: Record<string, string> = {}, namespace?: string): KubeObject["metadata"] => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  labels: { [BOOTSTRAP_LABEL]: "rbac-defaults", ...labels },
  annotations: ANNOTATIONS,
});

/** Roles that gather rules, each within the next: `view` ⊂ `edit` ⊂ `admin`. */
const AGGREGATED: [name: string, into?: string][] = [["admin"], ["edit", "admin"], ["view", "edit"]];
const LEVEL = /^system:aggregate-to-(.*)$/;

const labelsInto = (level: string | undefined) => (level === undefined ? {} : { [`${AGGREGATE}${level}`]: "true" });
const role = (rules: readonly RuleText[], metadata: KubeObject["metadata"]): Role => ({
  metadata,
  rules: rules.map(readRule),
});

export const CLUSTER_ROLE_OBJECTS: Role[] = [
  ...AGGREGATED.map(([name, into]) => ({
    metadata: metadataOf(name, labelsInto(into)),
    rules: null,
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: labelsInto(name) }] },
  })),
  ...Object.entries(CLUSTER_ROLE_RULES).map(([name, rules]) =>
    role(rules, metadataOf(name, labelsInto(LEVEL.exec(name)?.[1]))),
  ),
  ...Object.entries(CONTROLLER_RULES).map(([name, rules]) => role(rules, metadataOf(`system:controller:${name}`))),
];

export const ROLE_OBJECTS: Role[] = Object.entries(NAMESPACED_ROLE_RULES).flatMap(([namespace, roles]) =>
  Object.entries(roles).map(([name, rules]) => role(rules, metadataOf(name, {}, namespace))),
);

const subject = (kind: "Group" | "User") => (name: string) => ({ kind, apiGroup: RBAC_GROUP, name });
const group = subject("Group");
const user = subject("User");
const account = (name: string) => ({ kind: "ServiceAccount", name, namespace: "kube-system" });

/** Whom each ClusterRole is bound to, by a binding of the role's name. */
const CLUSTER_SUBJECTS: Record<string, Binding["subjects"]> = {
  "cluster-admin": [group("system:masters")],
  "system:basic-user": [group("system:authenticated")],
  "system:discovery": [group("system:authenticated")],
  "system:kube-controller-manager": [user("system:kube-controller-manager")],
  "system:kube-dns": [account("kube-dns")],
  "system:kube-scheduler": [user("system:kube-scheduler")],
  "system:monitoring": [group("system:monitoring")],
  // Nodes have an authorizer of their own.
  "system:node": undefined,
  "system:node-proxier": [user("system:kube-proxy")],
  "system:public-info-viewer": [group("system:authenticated"), group("system:unauthenticated")],
  "system:service-account-issuer-discovery": [group("system:serviceaccounts")],
  "system:volume-scheduler": [user("system:kube-scheduler")],
  ...Object.fromEntries(Object.keys(CONTROLLER_RULES).map((name) => [`system:controller:${name}`, [account(name)]])),
};

const bindingTo = (kind: string, name: string, subjects: Binding["subjects"]) => ({
  roleRef: { apiGroup: RBAC_GROUP, kind, name },
  ...(subjects ? { subjects } : {}),
});

export const CLUSTER_ROLE_BINDING_OBJECTS: Binding[] = Object.entries(CLUSTER_SUBJECTS).map(([name, subjects]) => ({
  metadata: metadataOf(name),
  ...bindingTo("ClusterRole", name, subjects),
}));

interface NamespacedBinding {
  namespace?: string;
  role: string;
  /** When it is not the role's. */
  name?: string;
  subjects: Binding["subjects"];
}

const LEADER_LOCKING = "system::leader-locking-";
const signers = (name: string, namespace?: string): NamespacedBinding => ({
  namespace,
  role: `system:controller:${name}`,
  subjects: [account(name)],
});
const leader = (component: string, ...accounts: string[]): NamespacedBinding => ({
  role: `${LEADER_LOCKING}${component}`,
  subjects: [user(`system:${component}`), ...[component, ...accounts].map(account)],
});

const NAMESPACED_BINDINGS: NamespacedBinding[] = [
  {
    role: "extension-apiserver-authentication-reader",
    name: "system::extension-apiserver-authentication-reader",
    subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler")],
  },
  leader("kube-controller-manager", "leader-election-controller"),
  leader("kube-scheduler"),
  signers("bootstrap-signer", "kube-public"),
  signers("bootstrap-signer"),
  signers("cloud-provider"),
  signers("token-cleaner"),
];

export const ROLE_BINDING_OBJECTS: Binding[] = NAMESPACED_BINDINGS.map(
  ({ namespace = "kube-system", role: to, name = to, subjects }) => ({
    metadata: metadataOf(name, {}, namespace),
    ...bindingTo("Role", to, subjects),
  }),
);
