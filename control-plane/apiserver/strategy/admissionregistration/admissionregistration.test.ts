import { expect, test } from "vitest";
import type { JsonObject } from "../../../../shared/api/json.ts";
import { created, createErrors, updateErrors } from "../testing/written.ts";

const GROUP = "admissionregistration.k8s.io";

const hook = (changes: JsonObject = {}): JsonObject => ({
  name: "a.example.test",
  clientConfig: { url: "https://192.0.2.1/x" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...changes,
});
const rule = (changes: JsonObject = {}): JsonObject => ({
  operations: ["CREATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["pods"],
  ...changes,
});
const hookErrors = (changes: JsonObject) =>
  createErrors(GROUP, "ValidatingWebhookConfiguration", { webhooks: [hook(changes)] });
const ruleErrors = (changes: JsonObject) => hookErrors({ rules: [rule(changes)] });

test("a webhook gets upstream's defaults", () => {
  const { webhooks } = created(GROUP, "MutatingWebhookConfiguration", {
    webhooks: [hook({ clientConfig: { service: { name: "s", namespace: "n" } }, rules: [rule()] })],
  });
  expect(webhooks).toMatchObject([
    {
      clientConfig: { service: { port: 443 } },
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      reinvocationPolicy: "Never",
      timeoutSeconds: 10,
      rules: [{ scope: "*" }],
    },
  ]);
});

test.each<{ name: string; changes: JsonObject; errors: string[] }>([
  { name: "nothing wrong", changes: {}, errors: [] },
  { name: "no name", changes: { name: "" }, errors: ["name: Required value"] },
  {
    name: "a short name",
    changes: { name: "a.b" },
    errors: ['name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
  },
  {
    name: "side effects",
    changes: { sideEffects: "Some" },
    errors: ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  },
  {
    name: "no side effects told",
    changes: { sideEffects: null },
    errors: ["sideEffects: Required value: must specify one of None, NoneOnDryRun"],
  },
  {
    name: "side effects that say nothing",
    changes: { sideEffects: "" },
    errors: ['sideEffects: Unsupported value: "": supported values: "None", "NoneOnDryRun"'],
  },
  {
    name: "a long timeout",
    changes: { timeoutSeconds: 31 },
    errors: ["timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"],
  },
  {
    name: "two ways to reach it",
    changes: { clientConfig: { url: "https://x.test", service: { name: "s", namespace: "n" } } },
    errors: ["clientConfig: Required value: exactly one of url or service is required"],
  },
  {
    name: "a URL that is not plain https",
    changes: { clientConfig: { url: "http://u@/?q=1#f" } },
    errors: [
      "clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
      'clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
      'clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
      'clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'clientConfig.url: Invalid value: "q=1": query parameters are not permitted in the URL',
    ],
  },
  {
    name: "a service with neither name nor namespace, and a bad path",
    changes: { clientConfig: { service: { name: "", namespace: "", path: "x//" } } },
    errors: [
      "clientConfig.service.name: Required value",
      "clientConfig.service.namespace: Required value",
      "clientConfig.service.path: Invalid value: \"x//\": must start with a '/'",
      'clientConfig.service.path: Invalid value: "x//": segment[0] may not be empty',
      'clientConfig.service.path: Invalid value: "x//": segment[1] may not be empty',
    ],
  },
  {
    name: "review versions that nobody speaks, twice",
    changes: { admissionReviewVersions: ["v9", "v9"] },
    errors: [
      'admissionReviewVersions[1]: Invalid value: "v9": duplicate version',
      'admissionReviewVersions: Invalid value: ["v9","v9"]: must include at least one of v1, v1beta1',
    ],
  },
  {
    name: "no review versions",
    changes: { admissionReviewVersions: [] },
    errors: ["admissionReviewVersions: Required value: must specify one of v1, v1beta1"],
  },
  {
    name: "conditions without a name, and of one name",
    changes: {
      matchConditions: [
        { name: "", expression: " " },
        { name: "c", expression: "true" },
        { name: "c", expression: "1" },
      ],
    },
    errors: [
      "matchConditions[0].expression: Required value",
      "matchConditions[0].name: Required value",
      'matchConditions[2].expression: Invalid value: "1": must evaluate to bool but got int',
      'matchConditions[2].name: Duplicate value: "c"',
    ],
  },
])("a webhook with $name", ({ changes, errors }) => {
  expect(hookErrors(changes)).toEqual(errors.map((error) => `webhooks[0].${error}`));
});

test.each<{ name: string; changes: JsonObject; errors: string[] }>([
  { name: "subresources", changes: { resources: ["pods", "pods/*"] }, errors: [] },
  { name: "no operations", changes: { operations: [] }, errors: ["operations: Required value"] },
  {
    name: "an unknown operation",
    changes: { operations: ["READ"] },
    errors: [
      'operations[0]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
  },
  {
    name: "all groups and one",
    changes: { apiGroups: ["*", "a"] },
    errors: ['apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other API groups'],
  },
  { name: "an empty version", changes: { apiVersions: [""] }, errors: ["apiVersions[0]: Required value"] },
  {
    name: "resources that others cover",
    changes: { resources: ["pods/*", "pods/log", "*/scale", "a/scale"] },
    errors: [
      "resources[1]: Invalid value: \"pods/log\": if 'pods/*' is present, must not specify pods/log",
      "resources[3]: Invalid value: \"a/scale\": if '*/scale' is present, must not specify a/scale",
    ],
  },
  {
    name: "all resources and one",
    changes: { resources: ["*", "pods"] },
    errors: [
      'resources: Invalid value: ["*","pods"]: if \'*\' is present, must not specify other resources without subresources',
    ],
  },
  {
    name: "an unknown scope",
    changes: { scope: "World" },
    errors: ['scope: Unsupported value: "World": supported values: "*", "Cluster", "Namespaced"'],
  },
])("a rule with $name", ({ changes, errors }) => {
  expect(ruleErrors(changes)).toEqual(errors.map((error) => `webhooks[0].rules[0].${error}`));
});

test.each<{ name: string; from: JsonObject[]; to: JsonObject[]; errors: string[] }>([
  {
    name: "names may stay equal",
    from: [hook(), hook()],
    to: [hook(), hook({ timeoutSeconds: 5 })],
    errors: [],
  },
  {
    name: "names may not become equal",
    from: [hook()],
    to: [hook(), hook()],
    errors: ['webhooks[1].name: Duplicate value: "a.example.test"'],
  },
  {
    name: "side effects may stay",
    from: [hook({ sideEffects: "Some" })],
    to: [hook({ sideEffects: "Unknown" })],
    errors: [],
  },
  {
    name: "unread versions may stay",
    from: [hook({ admissionReviewVersions: ["v9"] })],
    to: [hook({ admissionReviewVersions: ["v8"] })],
    errors: [],
  },
  {
    name: "unchanged conditions are not read again",
    from: [hook({ matchConditions: [{ name: "c", expression: "1" }] })],
    to: [hook({ matchConditions: [{ name: "c", expression: "1" }] })],
    errors: [],
  },
])("updating webhooks: $name", ({ from, to, errors }) => {
  expect(updateErrors(GROUP, "ValidatingWebhookConfiguration", { webhooks: from }, { webhooks: to })).toEqual(errors);
});

const matchConstraints = { resourceRules: [rule()] };
const validations = [{ expression: "object.spec.replicas < 5" }];
const policyErrors = (spec: JsonObject) =>
  createErrors(GROUP, "ValidatingAdmissionPolicy", { spec: { matchConstraints, validations, ...spec } });

test.each<{ name: string; spec: JsonObject; errors: string[] }>([
  { name: "nothing wrong", spec: {}, errors: [] },
  {
    name: "nothing to match",
    spec: { matchConstraints: {} },
    errors: ["spec.matchConstraints.resourceRules: Required value"],
  },
  {
    name: "nothing to check",
    spec: { validations: [] },
    errors: ["validations", "auditAnnotations"].map(
      (field) => `spec.${field}: Required value: validations or auditAnnotations must contain at least one item`,
    ),
  },
  {
    name: "an unknown failure policy",
    spec: { failurePolicy: "Maybe" },
    errors: ['spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
  },
  {
    name: "a parameter of no kind",
    spec: { paramKind: {} },
    errors: ["spec.paramKind.apiVersion: Required value", "spec.paramKind.kind: Required value"],
  },
  {
    name: "a parameter of an odd version",
    spec: { paramKind: { apiVersion: "a/b/c", kind: "X" } },
    errors: ['spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  },
  {
    name: "params without a paramKind",
    spec: { validations: [{ expression: "params.x == 1" }] },
    errors: [
      "spec.validations[0].expression: Invalid value: \"params.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^",
    ],
  },
  {
    name: "params with a paramKind",
    spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [{ expression: "params.x == 1" }] },
    errors: [],
  },
  {
    name: "variables in the order of their use",
    spec: {
      variables: [
        { name: "v", expression: "object.spec" },
        { name: "w", expression: "variables.v.x + variables.later" },
      ],
      validations: [{ expression: "variables.w > 1" }],
    },
    errors: [
      "spec.variables[1].expression: Invalid value: \"variables.v.x + variables.later\": compilation failed: ERROR: <input>:1:26: undefined field 'later'\n | variables.v.x + variables.later\n | .........................^",
    ],
  },
  {
    name: "a variable without an expression is none",
    spec: { variables: [{ name: "v", expression: "" }], validations: [{ expression: "variables.v > 1" }] },
    errors: [
      "spec.variables[0].expression: Required value: expression is not specified",
      "spec.validations[0].expression: Invalid value: \"variables.v > 1\": compilation failed: ERROR: <input>:1:10: undefined field 'v'\n | variables.v > 1\n | .........^",
    ],
  },
  {
    name: "a message of two lines, and an unknown reason",
    spec: { validations: [{ expression: "true", message: "a\nb", reason: "Whim" }] },
    errors: [
      'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
      'spec.validations[0].reason: Unsupported value: "Whim": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  },
  {
    name: "a number for an audit annotation",
    spec: { auditAnnotations: [{ key: "k", valueExpression: "1" }] },
    errors: [
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ],
  },
])("a validating policy with $name", ({ spec, errors }) => {
  expect(policyErrors(spec)).toEqual(errors);
});

test.each<{ name: string; spec: JsonObject; errors: string[] }>([
  { name: "an apply configuration", spec: {}, errors: [] },
  {
    name: "deletions to change",
    spec: { matchConstraints: { resourceRules: [rule({ operations: ["DELETE"] })] } },
    errors: [
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  },
  {
    name: "another patch than it says",
    spec: { mutations: [{ patchType: "JSONPatch", applyConfiguration: { expression: "Object{}" } }] },
    errors: [
      "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
      'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
    ],
  },
  {
    name: "no mutations, and an unknown policy",
    spec: { mutations: [], reinvocationPolicy: "Often" },
    errors: [
      "spec.mutations: Required value: mutations must contain at least one item",
      'spec.reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
    ],
  },
])("a mutating policy with $name", ({ spec, errors }) => {
  const mutations = [
    { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{spec: Object.spec{}}" } },
  ];
  const complete = { matchConstraints, mutations, reinvocationPolicy: "Never", ...spec };
  expect(createErrors(GROUP, "MutatingAdmissionPolicy", { spec: complete })).toEqual(errors);
});

test.each<{ name: string; spec: JsonObject; errors: string[] }>([
  { name: "an action", spec: {}, errors: [] },
  { name: "no policy", spec: { policyName: "" }, errors: ["spec.policyName: Required value"] },
  {
    name: "no actions",
    spec: { validationActions: [] },
    errors: ["spec.validationActions: Required value: at least one validation action is required"],
  },
  {
    name: "the same message twice",
    spec: { validationActions: ["Deny", "Warn"] },
    errors: [
      'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  },
  {
    name: "two ways to name the parameter",
    spec: { paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Allow" } },
    errors: ["name", "selector"].map(
      (field) => `spec.paramRef.${field}: Forbidden: name and selector are mutually exclusive`,
    ),
  },
  {
    name: "no way to name the parameter",
    spec: { paramRef: { parameterNotFoundAction: "Allow" } },
    errors: ["spec.paramRef: Required value: one of name or selector must be specified"],
  },
])("a binding with $name", ({ spec, errors }) => {
  const complete = { policyName: "p", validationActions: ["Deny"], ...spec };
  expect(createErrors(GROUP, "ValidatingAdmissionPolicyBinding", { spec: complete })).toEqual(errors);
});
