import { describe, expect, it, test } from "vitest";
import {
  type Binding,
  CLUSTER_ROLE_BINDING_OBJECTS,
  CLUSTER_ROLE_OBJECTS,
  ROLE_BINDING_OBJECTS,
  ROLE_OBJECTS,
  type Role,
  reconcileBinding,
  reconcileRole,
} from "./index.ts";
import { readRule } from "./rule-text.ts";

test.each([
  { text: "get,list core,apps pods", rule: { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods"] } },
  {
    text: "get core configmaps a,b",
    rule: { verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["a", "b"] },
  },
  { text: "get /healthz,/version", rule: { verbs: ["get"], nonResourceURLs: ["/healthz", "/version"] } },
])("the rule $text", ({ text, rule }) => expect(readRule(text)).toEqual(rule));

test("a line that is no rule", () => expect(() => readRule("get")).toThrow("not a rule"));

test("every binding leads to a default role, and every name stands once", () => {
  const clusterRoles = CLUSTER_ROLE_OBJECTS.map(({ metadata }) => metadata.name);
  for (const { roleRef } of CLUSTER_ROLE_BINDING_OBJECTS) expect(clusterRoles).toContain(roleRef.name);
  const roles = ROLE_OBJECTS.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  for (const { metadata, roleRef } of ROLE_BINDING_OBJECTS)
    expect(roles).toContain(`${metadata.namespace}/${roleRef.name}`);
  expect(new Set(clusterRoles).size).toBe(clusterRoles.length);
  expect(new Set(roles).size).toBe(roles.length);
});

const AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";
const RULES = [{ verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] }];
const WANTED: Role = {
  metadata: { name: "r", labels: { l: "1" }, annotations: { [AUTO_UPDATE]: "true" } },
  rules: RULES,
};
const SELECTOR = { matchLabels: { a: "b" } };

describe("a default role", () => {
  it.each<{ name: string; present: Role; wanted?: Role; update?: Partial<Role> }>([
    { name: "as it shall be", present: WANTED },
    { name: "with more rules", present: { ...WANTED, rules: [...RULES, { verbs: ["*"], nonResourceURLs: ["*"] }] } },
    {
      name: "with a label of another value",
      present: { ...WANTED, metadata: { ...WANTED.metadata, labels: { l: "2" } } },
    },
    {
      name: "that is to be left alone",
      present: { metadata: { name: "r", annotations: { [AUTO_UPDATE]: "false" } }, rules: [] },
    },
    {
      name: "that lacks a verb",
      present: { ...WANTED, rules: [{ ...RULES[0]!, verbs: ["get"] }] },
      update: {
        rules: [
          { ...RULES[0]!, verbs: ["get"] },
          { ...RULES[0]!, verbs: ["list"] },
        ],
      },
    },
    {
      name: "without its label",
      present: { ...WANTED, metadata: { name: "r" } },
      update: { metadata: WANTED.metadata },
    },
    {
      name: "that lacks a selector",
      present: { ...WANTED, aggregationRule: {} },
      wanted: { ...WANTED, aggregationRule: { clusterRoleSelectors: [SELECTOR] } },
      update: { aggregationRule: { clusterRoleSelectors: [SELECTOR] } },
    },
  ])("$name", ({ present, wanted = WANTED, update }) => {
    expect(reconcileRole(present, wanted)).toEqual(update && { update: { ...present, ...update } });
  });

  it("that shall not gather rules gathers them no more", () => {
    const present = { ...WANTED, aggregationRule: { clusterRoleSelectors: [SELECTOR] } };
    expect(reconcileRole(present, WANTED)).toEqual({ update: WANTED });
  });
});

describe("a default binding", () => {
  const wanted: Binding = {
    metadata: WANTED.metadata,
    roleRef: { kind: "ClusterRole", name: "r" },
    subjects: [{ kind: "User", name: "amy" }],
  };
  it.each<{ name: string; present: Binding; want: ReturnType<typeof reconcileBinding> }>([
    { name: "as it shall be", present: wanted, want: undefined },
    {
      name: "without its subject",
      present: { ...wanted, subjects: [{ kind: "User", name: "bob" }] },
      want: { update: { ...wanted, subjects: [{ kind: "User", name: "bob" }, ...wanted.subjects!] } },
    },
    {
      name: "of another role",
      present: { ...wanted, roleRef: { kind: "ClusterRole", name: "other" } },
      want: { replace: wanted },
    },
  ])("$name", ({ present, want }) => expect(reconcileBinding(present, wanted)).toEqual(want));
});
