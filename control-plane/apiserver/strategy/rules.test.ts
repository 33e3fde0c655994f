import { expect, test } from "vitest";
import { DEFAULT_CLUSTER_NETWORK } from "../../../shared/api/cluster-network.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { defaultServiceCidr, rangesOf } from "../../../shared/api/service-cidr.ts";
import { RESOURCES } from "../../../shared/schema/index.ts";
import {
  container,
  deployment,
  job,
  namespace,
  type ObjectBuilder,
  pod,
  replicaSet,
  service,
} from "../../../test/builders/objects.ts";
import { strategyFor, validateForCreate, validateForUpdate } from "./index.ts";

const CLUSTER = { ranges: rangesOf(defaultServiceCidr(DEFAULT_CLUSTER_NETWORK)), families: ["IPv4" as const] };

/** Group, resource and scope by kind, and the rules. */
function rulesOf(object: KubeObject) {
  const facts = RESOURCES.find(({ kind }) => kind === object.kind);
  if (!facts) throw new Error(`no resource ${object.kind}`);
  return { strategy: strategyFor(facts), namespaced: facts.namespaced };
}

/** Lines such as `spec.replicas: Invalid value: …`. */
function create(object: KubeObject): string[] {
  const { strategy, namespaced } = rulesOf(object);
  strategy.applyDefaults?.(object, 0);
  strategy.prepareForCreate?.(object);
  return validateForCreate(strategy, object, namespaced).map(({ field, message }) => `${field}: ${message}`);
}

function update(object: KubeObject, old: KubeObject): string[] {
  const { strategy, namespaced } = rulesOf(object);
  for (const side of [old, object]) strategy.applyDefaults?.(side, 0);
  strategy.prepareForUpdate?.(object, old);
  return validateForUpdate(strategy, object, old, namespaced).map(({ field, message }) => `${field}: ${message}`);
}

const complete = container("main", {
  imagePullPolicy: "Always",
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
});
const aPod = () =>
  pod("p")
    .containers(complete)
    .with({ spec: { schedulerName: "default-scheduler", securityContext: {} }, metadata: { resourceVersion: "1" } });
const ofTemplate = <T extends { spec: { template?: unknown } } & KubeObject>(builder: ObjectBuilder<T>) => {
  const object = builder.build();
  const template = object.spec.template as { spec: { containers: unknown[] } };
  template.spec = { ...template.spec, ...aPod().build().spec, containers: [complete] };
  object.metadata.resourceVersion = "1";
  return object;
};

test.each<{ name: string; object: KubeObject; causes: string[] }>([
  { name: "a pod", object: aPod().build(), causes: [] },
  {
    name: "a pod without containers",
    object: aPod().containers().build(),
    causes: ["spec.containers: Required value"],
  },
  {
    name: "two containers of one name",
    object: aPod().containers(complete, complete).build(),
    causes: ['spec.containers[1].name: Duplicate value: "main"'],
  },
  { name: "a deployment", object: ofTemplate(deployment("d")), causes: [] },
  {
    name: "fewer than no replicas",
    object: ofTemplate(deployment("d").replicas(-1)),
    causes: ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
  },
  {
    name: "a selector that misses the template",
    object: ofTemplate(replicaSet("r").with({ spec: { selector: { matchLabels: { app: "other" } } } })),
    causes: ['spec.template.metadata.labels: Invalid value: {"app":"r"}: `selector` does not match template `labels`'],
  },
  { name: "a service", object: service("s").build(), causes: [] },
  {
    name: "a service without ports",
    object: service("s")
      .with({ spec: { ports: [] } })
      .build(),
    causes: ["spec.ports: Required value"],
  },
  { name: "a namespace", object: namespace("n").build(), causes: [] },
])("creating $name", ({ object, causes }) => {
  expect(create(object)).toEqual(causes);
});

test.each<{ name: string; from: KubeObject; to: KubeObject; causes: (string | RegExp)[] }>([
  { name: "nothing", from: aPod().build(), to: aPod().build(), causes: [] },
  {
    name: "the image of a pod",
    from: aPod().uid("1").build(),
    to: aPod()
      .uid("1")
      .containers({ ...complete, image: "registry.test/app:2" })
      .build(),
    causes: [],
  },
  {
    name: "the command of a pod",
    from: aPod().uid("1").build(),
    to: aPod()
      .uid("1")
      .containers({ ...complete, command: ["x"] })
      .build(),
    causes: [/^spec: Forbidden: pod updates may not change fields other than/],
  },
  {
    name: "the selector of a deployment",
    from: ofTemplate(deployment("d").uid("1")),
    to: ofTemplate(
      deployment("d")
        .uid("1")
        .with({ spec: { selector: { matchLabels: { app: "e" } }, template: { metadata: { labels: { app: "e" } } } } }),
    ),
    causes: ['spec.selector: Invalid value: {"matchLabels":{"app":"e"}}: field is immutable'],
  },
])("changing $name", ({ from, to, causes }) => {
  to.metadata.uid = from.metadata.uid;
  const found = update(to, from);
  expect(found).toHaveLength(causes.length);
  for (const [i, cause] of causes.entries()) expect(found[i]).toMatch(cause);
});

test("a job is given a selector of its own", () => {
  const object = job("j")
    .uid("u")
    .with({ spec: { selector: undefined } })
    .build();
  const { strategy } = rulesOf(object);
  strategy.prepareForCreate?.(object);
  expect(object.spec.selector).toEqual({ matchLabels: { "batch.kubernetes.io/controller-uid": "u" } });
  expect(object.spec.template?.metadata?.labels).toMatchObject({ "job-name": "j", "controller-uid": "u" });
});

test("a pod starts pending and with its class of service", () => {
  const object = aPod().ready().build();
  rulesOf(object).strategy.prepareForCreate?.(object);
  expect(object.status).toMatchObject({ phase: "Pending", qosClass: "BestEffort" });
  expect(object.status?.containerStatuses).toBeUndefined();
});

test("addresses and node ports of a service: the held ones are passed over", () => {
  const make = () => {
    const object = service("s")
      .with({ spec: { type: "NodePort" } })
      .build();
    delete object.spec?.clusterIP;
    delete object.spec?.clusterIPs;
    rulesOf(object).strategy.applyDefaults?.(object, 0);
    return object;
  };
  const { strategy } = rulesOf(make());
  const taken = new Set<string>();
  const claimsOf = () => {
    const object = make();
    expect(strategy.allocate?.(object, undefined, { random: () => 0.5, taken, ...CLUSTER, dryRun: false })).toEqual([]);
    return strategy.claims?.(object) ?? [];
  };
  const first = claimsOf();
  expect(first).toEqual([expect.stringMatching(/^ip\/10\.96\.\d+\.\d+$/), expect.stringMatching(/^nodePort\/3\d{4}$/)]);
  for (const claim of first) taken.add(claim);
  for (const claim of claimsOf()) expect(first).not.toContain(claim);
});

test("an address that another service holds is refused", () => {
  const object = service("s").build();
  const { strategy } = rulesOf(object);
  strategy.applyDefaults?.(object, 0);
  const taken = new Set(["ip/10.96.0.10"]);
  const causes = strategy.allocate?.(object, undefined, { random: () => 0, taken, ...CLUSTER, dryRun: false });
  expect(causes?.map(({ message }) => message)).toEqual([
    'Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated',
  ]);
});

test("what a node claims", () => {
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n" },
    spec: { podCIDR: "10.1.0.0/24" },
  };
  rulesOf(object).strategy.applyDefaults?.(object, 0);
  expect(rulesOf(object).strategy.claims?.(object)).toEqual(["podCIDR/10.1.0.0/24"]);
  const respelled = { ...object, spec: { podCIDRs: ["10.1.0.7/24", "FD00:0:0::/64"] } };
  expect(rulesOf(object).strategy.claims?.(respelled)).toEqual(["podCIDR/10.1.0.0/24", "podCIDR/fd00::/64"]);
});
