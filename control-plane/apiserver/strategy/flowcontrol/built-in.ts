import type { FlowSchema, PriorityLevelConfiguration } from "../../../../shared/api/types.ts";

/*
 * Upstream's flow schemas and priority levels (apiserver, apis/flowcontrol/bootstrap): two of each are mandatory, and
 * cannot be made otherwise; the rest are suggestions, which a cluster starts with.
 */

type LevelSpec = NonNullable<PriorityLevelConfiguration["spec"]>;
type SchemaSpec = NonNullable<FlowSchema["spec"]>;
type Rules = NonNullable<SchemaSpec["rules"]>[number];
type Subjects = Rules["subjects"];
type ResourceRule = NonNullable<Rules["resourceRules"]>[number];

const limited = (shares: number, lendablePercent: number, queues: number, handSize: number): LevelSpec => ({
  type: "Limited",
  limited: {
    nominalConcurrencyShares: shares,
    lendablePercent,
    limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } },
  },
});

export const MANDATORY_LEVELS: Record<string, LevelSpec> = {
  "catch-all": {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } },
  },
  exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
};

const SUGGESTED_LEVELS: Record<string, LevelSpec> = {
  system: limited(30, 33, 64, 6),
  "node-high": limited(40, 25, 64, 6),
  "leader-election": limited(10, 0, 16, 4),
  "workload-high": limited(40, 50, 128, 6),
  "workload-low": limited(100, 90, 128, 6),
  "global-default": limited(20, 50, 128, 6),
};

const groups = (...names: string[]): Subjects => names.map((name) => ({ kind: "Group", group: { name } }));
const users = (...names: string[]): Subjects => names.map((name) => ({ kind: "User", user: { name } }));
const KUBE_SYSTEM_ACCOUNTS: Subjects = [
  { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } },
];
const EVERYBODY = groups("system:unauthenticated", "system:authenticated");

const leases = (verbs: string[]): ResourceRule => ({
  verbs,
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  namespaces: ["*"],
});

/** Whatever these subjects ask. */
const everythingOf = (subjects: Subjects): Rules => ({
  subjects,
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
});

interface Schema {
  level: string;
  precedence: number;
  distinguishes?: "ByUser" | "ByNamespace";
  rules: Rules;
}

const schema = ({ level, precedence, distinguishes, rules }: Schema): SchemaSpec => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence: precedence,
  ...(distinguishes ? { distinguisherMethod: { type: distinguishes } } : {}),
  rules: [rules],
});

export const MANDATORY_SCHEMAS: Record<string, SchemaSpec> = {
  exempt: schema({ level: "exempt", precedence: 1, rules: everythingOf(groups("system:masters")) }),
  "catch-all": schema({
    level: "catch-all",
    precedence: 10_000,
    distinguishes: "ByUser",
    rules: everythingOf(EVERYBODY),
  }),
};

const SUGGESTED_SCHEMAS: Record<string, SchemaSpec> = {
  "system-nodes": schema({
    level: "system",
    precedence: 500,
    distinguishes: "ByUser",
    rules: everythingOf(groups("system:nodes")),
  }),
  "system-node-high": schema({
    level: "node-high",
    precedence: 400,
    distinguishes: "ByUser",
    rules: {
      subjects: groups("system:nodes"),
      resourceRules: [
        {
          verbs: ["*"],
          apiGroups: [""],
          resources: ["nodes", "nodes/status"],
          clusterScope: true,
          namespaces: ["*"],
        },
        leases(["*"]),
      ],
    },
  }),
  probes: schema({
    level: "exempt",
    precedence: 2,
    rules: {
      subjects: EVERYBODY,
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
    },
  }),
  "system-leader-election": schema({
    level: "leader-election",
    precedence: 100,
    distinguishes: "ByUser",
    rules: {
      subjects: [...users("system:kube-controller-manager", "system:kube-scheduler"), ...KUBE_SYSTEM_ACCOUNTS],
      resourceRules: [leases(["get", "create", "update"])],
    },
  }),
  "kube-controller-manager": schema({
    level: "workload-high",
    precedence: 800,
    distinguishes: "ByNamespace",
    rules: everythingOf(users("system:kube-controller-manager")),
  }),
  "kube-scheduler": schema({
    level: "workload-high",
    precedence: 800,
    distinguishes: "ByNamespace",
    rules: everythingOf(users("system:kube-scheduler")),
  }),
  "kube-system-service-accounts": schema({
    level: "workload-high",
    precedence: 900,
    distinguishes: "ByNamespace",
    rules: everythingOf(KUBE_SYSTEM_ACCOUNTS),
  }),
  "service-accounts": schema({
    level: "workload-low",
    precedence: 9000,
    distinguishes: "ByUser",
    rules: everythingOf(groups("system:serviceaccounts")),
  }),
  "global-default": schema({
    level: "global-default",
    precedence: 9900,
    distinguishes: "ByUser",
    rules: everythingOf(EVERYBODY),
  }),
};

export const BUILT_IN_LEVELS: Record<string, LevelSpec> = { ...MANDATORY_LEVELS, ...SUGGESTED_LEVELS };
export const BUILT_IN_SCHEMAS: Record<string, SchemaSpec> = { ...MANDATORY_SCHEMAS, ...SUGGESTED_SCHEMAS };
