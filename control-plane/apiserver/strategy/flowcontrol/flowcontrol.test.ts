import { expect, test } from "vitest";
import type { JsonObject } from "../../../../shared/api/json.ts";
import { created, createErrors } from "../testing/written.ts";
import { BUILT_IN_LEVELS, BUILT_IN_SCHEMAS, MANDATORY_LEVELS } from "./built-in.ts";

const GROUP = "flowcontrol.apiserver.k8s.io";

const resourceRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["x"] };
const rules = (changes: JsonObject): JsonObject => ({
  subjects: [{ kind: "User", user: { name: "u" } }],
  resourceRules: [resourceRule],
  ...changes,
});
const schemaErrors = (spec: JsonObject) =>
  createErrors(GROUP, "FlowSchema", { spec: { priorityLevelConfiguration: { name: "l" }, ...spec } });

test.each<{ name: string; spec: JsonObject; errors: string[] }>([
  { name: "nothing wrong", spec: { rules: [rules({})] }, errors: [] },
  {
    name: "too high a precedence",
    spec: { matchingPrecedence: 10_001 },
    errors: ["spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000"],
  },
  {
    name: "the precedence of the exempt one",
    spec: { matchingPrecedence: 1 },
    errors: ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  },
  {
    name: "no level",
    spec: { priorityLevelConfiguration: { name: "" } },
    errors: ["spec.priorityLevelConfiguration.name: Required value: must reference a priority level"],
  },
  {
    name: "an unknown distinguisher",
    spec: { distinguisherMethod: { type: "ByMood" } },
    errors: [
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByMood"}: supported values: "ByNamespace", "ByUser"',
    ],
  },
  {
    name: "rules about nothing",
    spec: { rules: [{ subjects: [], resourceRules: [] }] },
    errors: [
      "spec.rules[0].subjects: Required value: subjects must contain at least one value",
      "spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty",
    ],
  },
  {
    name: "a subject of another kind than it says",
    spec: { rules: [rules({ subjects: [{ kind: "Group", user: { name: "x" } }] })] },
    errors: [
      "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
      "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
    ],
  },
  {
    name: "a service account without a namespace",
    spec: { rules: [rules({ subjects: [{ kind: "ServiceAccount", serviceAccount: { name: "*" } }] })] },
    errors: [
      "spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account",
    ],
  },
  {
    name: "paths that are none",
    spec: {
      rules: [rules({ nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["x", "/a//b", "/a*", "/a/*", "/ b"] }] })],
    },
    errors: [
      '[0]: Invalid value: "x": must start with slash',
      '[1]: Invalid value: "/a//b": must not contain double slash',
      '[2]: Invalid value: "/a*": wildcard can only do suffix matching',
      '[4]: Invalid value: "/ b": must not contain white-space',
    ].map((error) => `spec.rules[0].nonResourceRules[0].nonResourceURLs${error}`),
  },
  {
    name: "empty lists everywhere",
    spec: { rules: [rules({ resourceRules: [{ verbs: [], apiGroups: [], resources: [] }] })] },
    errors: [
      "verbs: Required value: verbs must contain at least one value",
      "apiGroups: Required value: resource rules must supply at least one api group",
      "resources: Required value: resource rules must supply at least one resource",
      "namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace",
    ].map((error) => `spec.rules[0].resourceRules[0].${error}`),
  },
])("a flow schema with $name", ({ spec, errors }) => {
  expect(schemaErrors(spec)).toEqual(errors);
});

const levelErrors = (spec: JsonObject) => createErrors(GROUP, "PriorityLevelConfiguration", { spec });
const queuing = (changes: JsonObject): JsonObject => ({
  type: "Limited",
  limited: { limitResponse: { type: "Queue", queuing: changes } },
});

test("queues get upstream's numbers, and zero shares stay", () => {
  const spec = {
    type: "Limited",
    limited: { nominalConcurrencyShares: 0, limitResponse: { type: "Queue", queuing: {} } },
  };
  expect(created(GROUP, "PriorityLevelConfiguration", { spec }).spec).toEqual({
    type: "Limited",
    limited: {
      lendablePercent: 0,
      nominalConcurrencyShares: 0,
      limitResponse: { type: "Queue", queuing: { handSize: 8, queueLengthLimit: 50, queues: 64 } },
    },
  });
});

test.each<{ name: string; spec: JsonObject; errors: string[] }>([
  { name: "queues", spec: queuing({}), errors: [] },
  {
    name: "no type",
    spec: {},
    errors: ['spec.type: Unsupported value: "": supported values: "Exempt", "Limited"'],
  },
  {
    name: "another's exemption",
    spec: { type: "Exempt" },
    errors: ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
  },
  {
    name: "no limit",
    spec: { type: "Limited" },
    errors: ["spec.limited: Required value: must not be empty when type is Limited"],
  },
  {
    name: "queues to refuse with",
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject", queuing: {} } } },
    errors: ["spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited"],
  },
  {
    name: "a hand larger than the deck",
    spec: queuing({ queues: 2, handSize: 3 }),
    errors: ["spec.limited.limitResponse.queuing.handSize: Invalid value: 3: should not be greater than queues (2)"],
  },
  {
    name: "a hand that no hash can deal",
    spec: queuing({ queues: 1024, handSize: 8 }),
    errors: [
      "spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 1024 and handSize 8 should not be greater than 60",
    ],
  },
  {
    name: "shares out of range",
    spec: {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: -1,
        lendablePercent: 101,
        borrowingLimitPercent: -1,
        limitResponse: { type: "Reject" },
      },
    },
    errors: [
      "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
      "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
      "spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer",
    ],
  },
])("a priority level with $name", ({ spec, errors }) => {
  expect(levelErrors(spec)).toEqual(errors);
});

const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonObject;

test.each([
  ...Object.entries(BUILT_IN_SCHEMAS).map(([name, spec]) => ["FlowSchema", name, spec]),
  ...Object.entries(BUILT_IN_LEVELS).map(([name, spec]) => ["PriorityLevelConfiguration", name, spec]),
] as [string, string, unknown][])("the %s %s that upstream has is valid", (kind, name, spec) => {
  expect(createErrors(GROUP, kind, { metadata: { name }, spec: asJson(spec) })).toEqual([]);
});

test("a mandatory object cannot be made otherwise", () => {
  const level = {
    ...asJson(MANDATORY_LEVELS["catch-all"]),
    type: "Limited",
    limited: { limitResponse: { type: "Reject" } },
  };
  expect(
    createErrors(GROUP, "PriorityLevelConfiguration", { metadata: { name: "catch-all" }, spec: level })[0],
  ).toMatch(/^spec: Invalid value: .*spec of 'catch-all' must equal the fixed value$/);
  const exempt = { type: "Exempt", exempt: { lendablePercent: 50 } };
  expect(createErrors(GROUP, "PriorityLevelConfiguration", { metadata: { name: "exempt" }, spec: exempt })).toEqual([]);
});
