import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import { printAmounts } from "../../shared/api/pod-requests.ts";
import type { PodSpec, ResourceQuota, ResourceQuotaSpec } from "../../shared/api/types.ts";
import { decideCharge, evaluatorOf, usageOf } from "./index.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const PODS = { group: "", resource: "pods" };
const SERVICES = { group: "", resource: "services" };
const VOLUME_CLAIMS = { group: "", resource: "persistentvolumeclaims" };
const DEVICE_CLAIMS = { group: "resource.k8s.io", resource: "resourceclaims" };
const evaluator = (gr: typeof PODS) => evaluatorOf(gr)!;

const quota = (hard: Record<string, string>, used = {}, spec: ResourceQuotaSpec = {}): ResourceQuota => ({
  metadata: { name: "q" },
  spec: { hard, ...spec },
  status: { hard, used: { ...Object.fromEntries(Object.keys(hard).map((name) => [name, "0"])), ...used } },
});

const object = (spec: object, rest: object = {}) =>
  ({ metadata: { name: "o" }, spec, ...rest }) as unknown as KubeObject;
const pod = (resources: object = {}, spec: Partial<PodSpec> = {}, rest: object = {}) =>
  object({ containers: [{ name: "c", resources }], ...spec }, rest);

const outcome = (
  gr: typeof PODS,
  quotas: ResourceQuota[],
  made: KubeObject,
  { old, subresource }: { old?: KubeObject; subresource?: string } = {},
) => {
  const operation = old ? "UPDATE" : "CREATE";
  const charge = decideCharge(quotas, evaluator(gr), { operation, subresource, object: made, old }, NOW_MS);
  return charge.ok ? charge.charged.map(({ status }) => status?.used) : charge.why;
};

describe("what a write is charged", () => {
  test.each([
    { name: "nothing without a quota", gr: PODS, quotas: [], made: pod(), want: [] },
    {
      name: "a pod with its requests and limits",
      gr: PODS,
      quotas: [quota({ pods: "2", "requests.cpu": "1", "limits.memory": "1Gi", "count/pods": "5" }, { pods: "1" })],
      made: pod({ requests: { cpu: "300m" }, limits: { memory: "100Mi" } }),
      want: [{ pods: "2", "requests.cpu": "300m", "limits.memory": "100Mi", "count/pods": "1" }],
    },
    {
      name: "only what the quota counts; others of the namespace stay as they are",
      gr: PODS,
      quotas: [quota({ secrets: "1" }), quota({ pods: "1" })],
      made: pod(),
      want: [{ pods: "1" }],
    },
    {
      name: "extended resources and huge pages",
      gr: PODS,
      quotas: [quota({ "requests.a.test/gpu": "4", "requests.hugepages-2Mi": "4Mi" })],
      made: pod({ requests: { "a.test/gpu": "2", "hugepages-2Mi": "2Mi" } }),
      want: [{ "requests.a.test/gpu": "2", "requests.hugepages-2Mi": "2Mi" }],
    },
    {
      name: "too much, in the order of names",
      gr: SERVICES,
      quotas: [quota({ services: "1", "services.nodeports": "1" }, { services: "1" })],
      made: object({ type: "NodePort", ports: [{ port: 1 }, { port: 2 }] }),
      want: "exceeded quota: q, requested: services=1,services.nodeports=2, used: services=1,services.nodeports=0, limited: services=1,services.nodeports=1",
    },
    {
      name: "what is exceeded already, if it wants more of it",
      gr: { group: "", resource: "secrets" },
      quotas: [quota({ secrets: "1", "count/secrets": "9" }, { secrets: "2" })],
      made: object({}),
      want: "exceeded quota: q, requested: secrets=1, used: secrets=2, limited: secrets=1",
    },
    {
      name: "containers that leave out what is counted",
      gr: PODS,
      quotas: [quota({ "limits.cpu": "1", memory: "1Gi", pods: "1" })],
      made: object({ containers: [{ name: "b" }, { name: "a", resources: { requests: { memory: "1" } } }] }),
      want: "failed quota: q: must specify limits.cpu for: a,b; memory for: b",
    },
    {
      name: "pods with resources of their own need no more",
      gr: PODS,
      quotas: [quota({ "requests.cpu": "1" })],
      made: pod({}, { resources: { requests: { cpu: "500m" } } }),
      want: [{ "requests.cpu": "500m" }],
    },
    {
      name: "a quota that was not counted yet",
      gr: PODS,
      quotas: [{ ...quota({ pods: "1" }), status: { hard: { pods: "1", "count/pods": "1" } } }],
      made: pod(),
      want: "status unknown for quota: q, resources: count/pods,pods",
    },
    {
      name: "claims, by class",
      gr: VOLUME_CLAIMS,
      quotas: [quota({ "requests.storage": "3Gi", "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1" })],
      made: object({ storageClassName: "gold", resources: { requests: { storage: "2Gi" } } }),
      want: [{ "requests.storage": "2Gi", "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1" }],
    },
    {
      name: "devices: the most of the alternatives, and all of a class as 32",
      gr: DEVICE_CLAIMS,
      quotas: [quota({ "a.deviceclass.resource.k8s.io/devices": "99", "b.deviceclass.resource.k8s.io/devices": "99" })],
      made: object({
        devices: {
          requests: [
            { exactly: { deviceClassName: "b", allocationMode: "All" } },
            {
              firstAvailable: [
                { deviceClassName: "a", count: 2 },
                { deviceClassName: "a", count: 3 },
              ],
            },
          ],
        },
      }),
      want: [{ "a.deviceclass.resource.k8s.io/devices": "3", "b.deviceclass.resource.k8s.io/devices": "32" }],
    },
  ])("$name", ({ gr, quotas, made, want }) => expect(outcome(gr, quotas, made)).toEqual(want));

  test.each([
    {
      name: "a claim that grows: the difference",
      gr: VOLUME_CLAIMS,
      old: object({ resources: { requests: { storage: "1Gi" } } }),
      made: object({ resources: { requests: { storage: "3Gi" } } }),
      hard: { "requests.storage": "3Gi" },
      used: { "requests.storage": "1Gi" },
      want: [{ "requests.storage": "3Gi" }],
    },
    {
      name: "a claim that shrinks: nothing",
      gr: VOLUME_CLAIMS,
      old: object({ resources: { requests: { storage: "3Gi" } } }),
      made: object({ resources: { requests: { storage: "1Gi" } } }),
      hard: { "requests.storage": "1Gi" },
      used: { "requests.storage": "3Gi" },
      want: [],
    },
    {
      name: "a Service that becomes a load balancer",
      gr: SERVICES,
      old: object({ type: "ClusterIP", ports: [{ port: 1 }] }),
      made: object({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 1 }] }),
      hard: { services: "1", "services.loadbalancers": "0", "services.nodeports": "0" },
      used: { services: "1" },
      want: "exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0",
    },
    {
      name: "a pod's status: never",
      gr: PODS,
      old: pod(),
      made: pod(),
      subresource: "status",
      hard: { pods: "0" },
      used: {},
      want: [],
    },
    {
      name: "a pod that is resized",
      gr: PODS,
      old: pod({ requests: { cpu: "1" } }),
      made: pod({ requests: { cpu: "2" } }),
      subresource: "resize",
      hard: { "requests.cpu": "2", pods: "1" },
      used: { "requests.cpu": "1500m", pods: "1" },
      want: "exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=1500m, limited: requests.cpu=2",
    },
  ])("of an update: $name", ({ gr, old, made, subresource, hard, used, want }) =>
    expect(outcome(gr, [quota(hard as never, used)], made, { old, subresource })).toEqual(want),
  );
});

describe("scopes", () => {
  const short = pod({}, { activeDeadlineSeconds: 1 });
  const busy = pod({ requests: { cpu: "1" } }, { priorityClassName: "high" });
  const wide = pod({}, {
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", namespaces: ["x"] }] },
    },
  } as Partial<PodSpec>);
  const priority = (operator: string, values?: string[]) => ({
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, ...(values ? { values } : {}) }] },
  });
  test.each<{ name: string; spec: ResourceQuotaSpec; want: string[] }>([
    { name: "none", spec: {}, want: ["short", "busy", "wide"] },
    { name: "Terminating", spec: { scopes: ["Terminating"] }, want: ["short"] },
    { name: "NotTerminating", spec: { scopes: ["NotTerminating"] }, want: ["busy", "wide"] },
    { name: "BestEffort", spec: { scopes: ["BestEffort"] }, want: ["short", "wide"] },
    { name: "both of two", spec: { scopes: ["NotBestEffort", "NotTerminating"] }, want: ["busy"] },
    { name: "affinity beyond the namespace", spec: { scopes: ["CrossNamespacePodAffinity"] }, want: ["wide"] },
    { name: "priority: there is one", spec: priority("Exists"), want: ["busy"] },
    { name: "priority: of a set", spec: priority("In", ["low", "high"]), want: ["busy"] },
    { name: "priority: of none of a set", spec: priority("NotIn", ["high"]), want: ["short", "wide"] },
  ] as never)("$name", ({ spec, want }) => {
    const limited = quota({ pods: "9" }, {}, spec);
    const pods = Object.entries({ short, busy, wide });
    const found = pods.filter(([, made]) => outcome(PODS, [limited], made).length > 0).map(([name]) => name);
    expect(found).toEqual(want);
  });
});

test("what pods use that have ended, or should have", () => {
  const deleted = (secondsAgo: number) => ({
    metadata: {
      name: "o",
      deletionTimestamp: new Date(NOW_MS - secondsAgo * 1000).toISOString(),
      deletionGracePeriodSeconds: 30,
    },
  });
  const pods = [
    pod({ requests: { cpu: "1" } }),
    pod({ requests: { cpu: "1" } }, {}, { status: { phase: "Succeeded" } }),
    pod({ requests: { cpu: "1" } }, {}, deleted(31)),
    pod({ requests: { cpu: "1" } }, {}, deleted(29)),
  ];
  const used = usageOf(quota({ cpu: "9", pods: "9", "count/pods": "9", secrets: "1" }), evaluator(PODS), pods, NOW_MS);
  expect(printAmounts(used)).toEqual({ cpu: "2", pods: "2", "count/pods": "4" });
});
