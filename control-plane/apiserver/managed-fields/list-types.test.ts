import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { ApiError } from "../../../shared/api/status.ts";
import { resolve, schemaOf } from "../../../shared/schema/index.ts";
import { applyTypeOf, countByType, schemaAt, typesOfAllKinds } from "./cases/types.ts";
import { trackApply, trackUpdate } from "./index.ts";

/*
 * What owning a field means for each type of list and map, told by a real field of each: what two managers do to each
 * other, and to one that updates. Every row goes through all the scenarios that its type has.
 */

interface Target {
  schema: string;
  apiVersion: string;
  kind: string;
  /** The object around the field's value; with undefined, all but the field. */
  wrap(value: Json | undefined): JsonObject;
  /** The way to the value. */
  path: (string | number)[];
}

const pod = (field: string): Target => ({
  schema: "io.k8s.api.core.v1.Pod",
  apiVersion: "v1",
  kind: "Pod",
  wrap: (value) => ({ spec: { containers: [{ name: "main" }], ...set(field, value) } }),
  path: ["spec", field],
});
const container = (field: string): Target => ({
  ...pod("containers"),
  wrap: (value) => ({ spec: { containers: [{ name: "main", ...set(field, value) }] } }),
  path: ["spec", "containers", 0, field],
});
const meta = (field: string): Target => ({
  schema: "io.k8s.api.core.v1.ConfigMap",
  apiVersion: "v1",
  kind: "ConfigMap",
  wrap: (value) => ({ metadata: { name: "x", ...set(field, value) } }),
  path: ["metadata", field],
});
const root = (kind: string, field: string, group = "core", apiVersion = "v1"): Target => ({
  schema: `io.k8s.api.${group}.v1.${kind}`,
  apiVersion,
  kind,
  wrap: (value) => ({ metadata: { name: "x", labels: { keep: "x" } }, ...set(field, value) }),
  path: [field],
});
const service = (field: string): Target => ({
  ...root("Service", "spec"),
  wrap: (value) => ({ spec: { type: "ClusterIP", ...set(field, value) } }),
  path: ["spec", field],
});
const deployment = (field: string): Target => ({
  ...root("Deployment", "spec", "apps", "apps/v1"),
  wrap: (value) => ({ spec: { paused: true, ...set(field, value) } }),
  path: ["spec", field],
});
const set = (field: string, value: Json | undefined): JsonObject => (value === undefined ? {} : { [field]: value });

interface Row {
  name: string;
  target: Target;
  one: Json;
  /** `one` with another value under the same key; a set has none. */
  changed?: Json;
  /** Something else beside it. */
  two: Json;
  /** What `one` makes its manager own, from the field on; `{}` for a whole. */
  owned: JsonObject;
  /** Where `changed` conflicts with `one`. */
  at: string;
  /** One owner has it all: `two` conflicts as well. */
  whole?: boolean;
}

const MAIN = '.spec.containers[name="main"]';

const ROWS: Row[] = [
  {
    name: "containers: a list by name",
    target: pod("initContainers"),
    one: [{ name: "a", image: "1" }],
    changed: [{ name: "a", image: "2" }],
    two: [{ name: "b", image: "1" }],
    owned: { 'k:{"name":"a"}': { ".": {}, "f:image": {}, "f:name": {} } },
    at: '.spec.initContainers[name="a"].image',
  },
  {
    name: "ports: two keys, one by default",
    target: container("ports"),
    one: [{ containerPort: 80, name: "web" }],
    changed: [{ containerPort: 80, protocol: "TCP", name: "www" }],
    two: [{ containerPort: 80, protocol: "UDP", name: "quic" }],
    owned: { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:name": {} } },
    at: `${MAIN}.ports[containerPort=80,protocol="TCP"].name`,
  },
  {
    name: "ports: the default written out",
    target: container("ports"),
    one: [{ containerPort: 80, protocol: "TCP", name: "web" }],
    changed: [{ containerPort: 80, name: "www" }],
    two: [{ containerPort: 81, name: "other" }],
    owned: {
      'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:name": {}, "f:protocol": {} },
    },
    at: `${MAIN}.ports[containerPort=80,protocol="TCP"].name`,
  },
  {
    name: "env: a list by name",
    target: container("env"),
    one: [{ name: "A", value: "1" }],
    changed: [{ name: "A", value: "2" }],
    two: [{ name: "B", value: "1" }],
    owned: { 'k:{"name":"A"}': { ".": {}, "f:name": {}, "f:value": {} } },
    at: `${MAIN}.env[name="A"].value`,
  },
  {
    name: "env: a reference is a whole",
    target: container("env"),
    one: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    changed: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "l" } } }],
    two: [{ name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    owned: { 'k:{"name":"A"}': { ".": {}, "f:name": {}, "f:valueFrom": { "f:secretKeyRef": {} } } },
    at: `${MAIN}.env[name="A"].valueFrom.secretKeyRef`,
  },
  {
    name: "envFrom: an atomic list",
    target: container("envFrom"),
    one: [{ prefix: "A", configMapRef: { name: "a" } }],
    changed: [{ prefix: "A", configMapRef: { name: "b" } }],
    two: [{ configMapRef: { name: "c" } }],
    owned: {},
    at: `${MAIN}.envFrom`,
    whole: true,
  },
  {
    name: "args: an atomic list of scalars",
    target: container("args"),
    one: ["a"],
    changed: ["b"],
    two: ["a", "b"],
    owned: {},
    at: `${MAIN}.args`,
    whole: true,
  },
  {
    name: "volumeMounts: a list by path",
    target: container("volumeMounts"),
    one: [{ mountPath: "/a", name: "v" }],
    changed: [{ mountPath: "/a", name: "w" }],
    two: [{ mountPath: "/b", name: "v" }],
    owned: { 'k:{"mountPath":"/a"}': { ".": {}, "f:mountPath": {}, "f:name": {} } },
    at: `${MAIN}.volumeMounts[mountPath="/a"].name`,
  },
  {
    name: "volumeDevices: a list by path",
    target: container("volumeDevices"),
    one: [{ devicePath: "/dev/a", name: "v" }],
    changed: [{ devicePath: "/dev/a", name: "w" }],
    two: [{ devicePath: "/dev/b", name: "v" }],
    owned: { 'k:{"devicePath":"/dev/a"}': { ".": {}, "f:devicePath": {}, "f:name": {} } },
    at: `${MAIN}.volumeDevices[devicePath="/dev/a"].name`,
  },
  {
    name: "resource limits: a map of quantities",
    target: {
      ...container("resources"),
      wrap: (value) => ({ spec: { containers: [{ name: "main", resources: set("limits", value) }] } }),
      path: ["spec", "containers", 0, "resources", "limits"],
    },
    one: { cpu: "1" },
    changed: { cpu: "2" },
    two: { memory: "1Gi" },
    owned: { "f:cpu": {} },
    at: `${MAIN}.resources.limits.cpu`,
  },
  {
    name: "volumes: a list by name",
    target: pod("volumes"),
    one: [{ name: "v", emptyDir: { medium: "Memory" } }],
    changed: [{ name: "v", emptyDir: { medium: "HugePages" } }],
    two: [{ name: "w", secret: { secretName: "s" } }],
    owned: { 'k:{"name":"v"}': { ".": {}, "f:name": {}, "f:emptyDir": { "f:medium": {} } } },
    at: '.spec.volumes[name="v"].emptyDir.medium',
  },
  {
    name: "tolerations: an atomic list of objects",
    target: pod("tolerations"),
    one: [{ key: "a", operator: "Exists" }],
    changed: [{ key: "b", operator: "Exists" }],
    two: [{ key: "a", operator: "Exists", effect: "NoSchedule" }],
    owned: {},
    at: ".spec.tolerations",
    whole: true,
  },
  {
    name: "nodeSelector: an atomic map",
    target: pod("nodeSelector"),
    one: { a: "1" },
    changed: { a: "2" },
    two: { b: "1" },
    owned: {},
    at: ".spec.nodeSelector",
    whole: true,
  },
  {
    name: "topologySpreadConstraints: two keys",
    target: pod("topologySpreadConstraints"),
    one: [{ topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 }],
    changed: [{ topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", maxSkew: 2 }],
    two: [{ topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 3 }],
    owned: {
      'k:{"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}': {
        ".": {},
        "f:maxSkew": {},
        "f:topologyKey": {},
        "f:whenUnsatisfiable": {},
      },
    },
    at: '.spec.topologySpreadConstraints[topologyKey="zone",whenUnsatisfiable="DoNotSchedule"].maxSkew',
  },
  {
    name: "hostAliases: a list by address, with a whole in it",
    target: pod("hostAliases"),
    one: [{ ip: "192.0.2.1", hostnames: ["a"] }],
    changed: [{ ip: "192.0.2.1", hostnames: ["b"] }],
    two: [{ ip: "192.0.2.2", hostnames: ["a"] }],
    owned: { 'k:{"ip":"192.0.2.1"}': { ".": {}, "f:hostnames": {}, "f:ip": {} } },
    at: '.spec.hostAliases[ip="192.0.2.1"].hostnames',
  },
  {
    name: "imagePullSecrets: a list by name of references that are wholes",
    target: pod("imagePullSecrets"),
    one: [{ name: "a" }],
    two: [{ name: "b" }],
    owned: { 'k:{"name":"a"}': {} },
    at: "",
  },
  {
    name: "schedulingGates: a list of nothing but keys",
    target: pod("schedulingGates"),
    one: [{ name: "a" }],
    two: [{ name: "b" }],
    owned: { 'k:{"name":"a"}': { ".": {}, "f:name": {} } },
    at: "",
  },
  {
    name: "readinessGates: an atomic list",
    target: pod("readinessGates"),
    one: [{ conditionType: "a" }],
    changed: [{ conditionType: "b" }],
    two: [{ conditionType: "a" }, { conditionType: "b" }],
    owned: {},
    at: ".spec.readinessGates",
    whole: true,
  },
  {
    name: "restartPolicy: a scalar",
    target: pod("restartPolicy"),
    one: "Always",
    changed: "Never",
    two: "OnFailure",
    owned: {},
    at: ".spec.restartPolicy",
    whole: true,
  },
  {
    name: "labels: a map",
    target: meta("labels"),
    one: { a: "1" },
    changed: { a: "2" },
    two: { b: "1" },
    owned: { "f:a": {} },
    at: ".metadata.labels.a",
  },
  {
    name: "annotations: a map with keys that look like paths",
    target: meta("annotations"),
    one: { "example.com/a.b": "1" },
    changed: { "example.com/a.b": "2" },
    two: { __proto__x: "1" },
    owned: { "f:example.com/a.b": {} },
    at: ".metadata.annotations.example.com/a.b",
  },
  {
    name: "finalizers: a set",
    target: meta("finalizers"),
    one: ["example.com/a"],
    two: ["example.com/b"],
    owned: { 'v:"example.com/a"': {} },
    at: "",
  },
  {
    name: "ownerReferences: a list by uid",
    target: meta("ownerReferences"),
    one: [{ uid: "u1", apiVersion: "v1", kind: "Pod", name: "p" }],
    changed: [{ uid: "u1", apiVersion: "v1", kind: "Pod", name: "q" }],
    two: [{ uid: "u2", apiVersion: "v1", kind: "Pod", name: "p" }],
    owned: { 'k:{"uid":"u1"}': {} },
    at: '.metadata.ownerReferences[uid="u1"]',
  },
  {
    name: "data: a map at the root",
    target: root("ConfigMap", "data"),
    one: { a: "1" },
    changed: { a: "2" },
    two: { b: "1" },
    owned: { "f:a": {} },
    at: ".data.a",
  },
  {
    name: "secrets: a list by name of references that are wholes",
    target: root("ServiceAccount", "secrets"),
    one: [{ name: "a", namespace: "x" }],
    changed: [{ name: "a", namespace: "y" }],
    two: [{ name: "b" }],
    owned: { 'k:{"name":"a"}': {} },
    at: '.secrets[name="a"]',
  },
  {
    name: "service ports: two keys, one by default",
    target: service("ports"),
    one: [{ port: 80, targetPort: "http" }],
    changed: [{ port: 80, targetPort: 8080 }],
    two: [{ port: 80, protocol: "UDP", targetPort: "http" }],
    owned: { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:targetPort": {} } },
    at: '.spec.ports[port=80,protocol="TCP"].targetPort',
  },
  {
    name: "service selector: an atomic map",
    target: service("selector"),
    one: { app: "a" },
    changed: { app: "b" },
    two: { tier: "a" },
    owned: {},
    at: ".spec.selector",
    whole: true,
  },
  {
    name: "externalIPs: an atomic list",
    target: service("externalIPs"),
    one: ["192.0.2.1"],
    changed: ["192.0.2.2"],
    two: ["192.0.2.1", "192.0.2.2"],
    owned: {},
    at: ".spec.externalIPs",
    whole: true,
  },
  {
    name: "label selector: an atomic struct",
    target: deployment("selector"),
    one: { matchLabels: { app: "a" } },
    changed: { matchLabels: { app: "b" } },
    two: { matchExpressions: [{ key: "app", operator: "Exists" }] },
    owned: {},
    at: ".spec.selector",
    whole: true,
  },
  {
    name: "security context: a struct",
    target: pod("securityContext"),
    one: { runAsUser: 1 },
    changed: { runAsUser: 2 },
    two: { runAsGroup: 3 },
    owned: { "f:runAsUser": {} },
    at: ".spec.securityContext.runAsUser",
  },
  {
    name: "data of a revision: free form",
    target: root("ControllerRevision", "data", "apps", "apps/v1"),
    one: { a: "1" },
    changed: { a: "2" },
    two: { b: "1" },
    owned: {},
    at: ".data",
    whole: true,
  },
  {
    name: "replicas: a number",
    target: deployment("replicas"),
    one: 1,
    changed: 2,
    two: 0,
    owned: {},
    at: ".spec.replicas",
    whole: true,
  },
  {
    name: "webhooks: a list by name at the root",
    target: root(
      "ValidatingWebhookConfiguration",
      "webhooks",
      "admissionregistration",
      "admissionregistration.k8s.io/v1",
    ),
    one: [{ name: "a.example.com", timeoutSeconds: 1 }],
    changed: [{ name: "a.example.com", timeoutSeconds: 2 }],
    two: [{ name: "b.example.com", timeoutSeconds: 1 }],
    owned: { 'k:{"name":"a.example.com"}': { ".": {}, "f:name": {}, "f:timeoutSeconds": {} } },
    at: '.webhooks[name="a.example.com"].timeoutSeconds',
  },
  {
    name: "rules: an atomic list at the root",
    target: root("Role", "rules", "rbac", "rbac.authorization.k8s.io/v1"),
    one: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    changed: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
    two: [],
    owned: {},
    at: ".rules",
    whole: true,
  },
];

/** A cluster of one object, and what managers do to it. */
class Lab {
  #object: KubeObject | undefined;
  #nowMs = 0;
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  apply(manager: string, value: Json | undefined, force = false): this {
    const { schema, apiVersion, kind, wrap } = this.#target;
    const config = structuredClone({ apiVersion, kind, ...wrap(value) });
    const common = { schema: schemaOf(schema), schemaName: schema, resolve, manager, apiVersion, kind };
    this.#nowMs += 1000;
    this.#object = trackApply({ live: this.#object, config, force, nowMs: this.#nowMs, ...common }) as never;
    return this;
  }

  update(manager: string, value: Json | undefined): this {
    const { schema, apiVersion, kind, wrap } = this.#target;
    const metadata = { name: "x", managedFields: this.#object?.metadata.managedFields };
    const wrapped = wrap(value);
    const after = structuredClone({
      apiVersion,
      kind,
      ...wrapped,
      metadata: { ...(wrapped["metadata"] as JsonObject), ...metadata },
    }) as unknown as KubeObject;
    this.#nowMs += 1000;
    const common = { schema: schemaOf(schema), schemaName: schema, resolve, manager, apiVersion };
    after.metadata.managedFields = trackUpdate({ before: this.#object, after, nowMs: this.#nowMs, ...common });
    this.#object = after;
    return this;
  }

  /** The field's value; undefined for one that holds nothing. */
  get value(): Json | undefined {
    let at: unknown = this.#object;
    for (const step of this.#target.path) at = (at as Record<string, unknown> | undefined)?.[step];
    const isEmpty = at === null || (typeof at === "object" && Object.keys(at as object).length === 0);
    return isEmpty ? undefined : (at as Json | undefined);
  }

  get whole(): KubeObject | undefined {
    return structuredClone(this.#object);
  }

  /** What a manager owns from the field on; undefined: nothing of it. */
  owned(manager: string): Json | undefined {
    const entry = this.#object?.metadata.managedFields?.find((e) => e.manager === manager);
    let at = entry?.fieldsV1 as Json | undefined;
    for (const step of this.#target.path) {
      const key = typeof step === "number" ? 'k:{"name":"main"}' : `f:${step}`;
      at = (at as JsonObject | undefined)?.[key];
    }
    if (at === undefined || typeof at !== "object" || at === null) return undefined;
    const { ".": _self, ...members } = at as JsonObject;
    return members;
  }
}

const conflict = (by: string, at: string) => `Apply failed with 1 conflict: conflict with ${by}: ${at}`;

describe.each(ROWS)("$name", ({ target, one, changed, two, owned, at, whole }) => {
  const lab = () => new Lab(target);
  const by = (manager: string) => JSON.stringify(manager);
  const updater = `"updater" using ${target.apiVersion}`;
  const refusal = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 409) return error.message;
      throw error;
    }
    return "none";
  };

  it("who applies owns what it names", () => {
    const after = lab().apply("a", one);
    expect(after.value).toEqual(one);
    expect(after.owned("a")).toEqual(owned);
  });

  it("applying again changes nothing", () => {
    const after = lab().apply("a", one);
    const before = after.whole;
    expect(after.apply("a", one).whole).toEqual(before);
  });

  it("another manager beside it", () => {
    const after = lab().apply("a", one);
    if (whole) {
      expect(refusal(() => after.apply("b", two))).toBe(conflict(by("a"), at));
      return;
    }
    after.apply("b", two);
    if (Array.isArray(one)) expect(sorted(after.value)).toEqual(sorted([...one, ...(two as Json[])]));
    else expect(after.value).toEqual({ ...(one as JsonObject), ...(two as JsonObject) });
    expect(after.owned("a")).toEqual(owned);
    expect(after.apply("a", undefined).value).toEqual(two);
    expect(after.owned("a")).toBeUndefined();
  });

  it("what is shared stays until the last lets go", () => {
    const after = lab().apply("a", one).apply("b", one);
    expect([after.owned("a"), after.owned("b")]).toEqual([owned, owned]);
    expect(after.apply("a", undefined).value).toEqual(one);
    expect([after.owned("a"), after.owned("b")]).toEqual([undefined, owned]);
    expect(after.apply("b", undefined).value).toBeUndefined();
    expect(after.owned("b")).toBeUndefined();
  });

  it("the only owner lets go", () => {
    const after = lab().apply("a", one).apply("a", undefined);
    expect(after.value).toBeUndefined();
    expect(after.owned("a")).toBeUndefined();
  });

  it("the only owner turns to something else", () => {
    const after = lab().apply("a", one).apply("a", two);
    expect(after.value).toEqual(nothing(two) ? undefined : two);
  });

  it("an update that takes it out takes it from its owner", () => {
    const after = lab().apply("a", one).update("updater", undefined);
    expect(after.value).toBeUndefined();
    expect(after.owned("a")).toBeUndefined();
    expect(after.apply("a", one).value).toEqual(one);
  });

  it("an update that leaves it as it is leaves its owner", () => {
    const after = lab().apply("a", one).update("updater", one);
    expect([after.owned("a"), after.owned("updater")]).toEqual([owned, undefined]);
  });

  it("applied over an update, it is shared", () => {
    const after = lab().update("updater", one).apply("a", one);
    expect(after.owned("a")).toEqual(owned);
    // Who updates owns the structs on the way too.
    expect(after.owned("updater")).toMatchObject(owned);
    expect(after.apply("a", undefined).value).toEqual(one);
  });

  if (changed === undefined) return;

  it("another value conflicts, and can be forced", () => {
    const after = lab().apply("a", one);
    expect(refusal(() => after.apply("b", changed))).toBe(conflict(by("a"), at));
    expect(after.value).toEqual(one);
    expect(after.apply("b", changed, true).value).toEqual(containing(changed));
    expect(after.owned("a")).not.toEqual(owned);
    expect(refusal(() => after.apply("a", one))).toBe(conflict(by("b"), at));
    expect(after.apply("a", changed).value).toEqual(containing(changed));
  });

  it("applied with force, then given up, nothing is left of it", () => {
    const after = lab().apply("a", one).apply("b", changed, true).apply("a", undefined).apply("b", undefined);
    expect(after.value).toBeUndefined();
  });

  it("its owner may change it", () =>
    expect(lab().apply("a", one).apply("a", changed).value).toEqual(containing(changed)));

  it("an update that changes it takes it over", () => {
    const after = lab().apply("a", one).update("updater", changed);
    expect(after.owned("a")).not.toEqual(owned);
    expect(refusal(() => after.apply("a", one))).toBe(conflict(updater, at));
    expect(after.apply("a", one, true).value).toEqual(containing(one));
    expect(after.owned("a")).toEqual(owned);
  });

  it("over an update, another value conflicts", () => {
    const after = lab().update("updater", one);
    expect(refusal(() => after.apply("a", changed))).toBe(conflict(updater, at));
    expect(after.apply("a", changed, true).value).toEqual(containing(changed));
    expect(after.owned("updater")).not.toEqual(owned);
  });
});

const perType = countByType(
  ROWS.map(({ target }) => schemaAt(target.schema, target.path)),
  applyTypeOf,
);
it.each([...typesOfAllKinds(applyTypeOf)].map((type) => ({ type, rows: perType.get(type) ?? 0 })))(
  "$type: $rows rows",
  ({ rows }) => expect(rows).toBeGreaterThan(0),
);

/** Matches the value, with members that somebody else may have left in it. */
const containing = (value: Json): unknown =>
  Array.isArray(value) && typeof value[0] === "object" ? value.map((item) => expect.objectContaining(item)) : value;

function sorted(value: Json | undefined): string[] {
  return (value as Json[]).map((item) => JSON.stringify(item)).sort();
}

const nothing = (value: Json): boolean =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);
