import { invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { MutatingAdmissionPolicy } from "../../../../shared/api/types.ts";
import { type CelContext, celBudget, checkCel } from "../cel/check.ts";
import { isEqual } from "../equality.ts";
import type { Strategy } from "../strategy.ts";
import { checkMatchConditions, mustBe, REQUEST_ROOTS } from "./conditions.ts";
import { checkMatchConstraints, checkMutatingOperations, checkParamKind } from "./match-resources.ts";
import { REINVOCATION_POLICIES, warnOfStaticName } from "./policy-words.ts";
import { checkFailurePolicy, checkVariables } from "./variables.ts";

type Spec = NonNullable<MutatingAdmissionPolicy["spec"]>;
type Mutation = NonNullable<Spec["mutations"]>[number];

/** By type: the field that holds the expression, and what that must give. */
const PATCH_FIELDS = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;
const PATCH_TYPES = Object.keys(PATCH_FIELDS);
const RESULTS = { applyConfiguration: "Object", jsonPatch: "list(JSONPatch)" };

/** Types of the objects that mutations make, and the functions for their paths. */
const MADE_TYPES = ["Object", "JSONPatch", "jsonpatch"];

const isPatchType = (type: string): type is keyof typeof PATCH_FIELDS => Object.hasOwn(PATCH_FIELDS, type);

function checkMutation(mutation: Mutation, path: string, context: CelContext): StatusCause[] {
  const { patchType = "" } = mutation;
  if (patchType === "") return [required(`${path}.patchType`)];
  if (!isPatchType(patchType)) return [notSupported(`${path}.patchType`, patchType, PATCH_TYPES)];
  const own = PATCH_FIELDS[patchType];
  const other = own === "jsonPatch" ? "applyConfiguration" : "jsonPatch";
  const causes: StatusCause[] = [];
  const patch = mutation[own];
  if (!patch) causes.push(required(`${path}.${own}`, `must be specified when patchType is ${patchType}`));
  else {
    const expression = (patch.expression ?? "").trim();
    const field = `${path}.${own}.expression`;
    if (expression === "") causes.push(required(field));
    else {
      const roots = [...context.roots, ...MADE_TYPES];
      causes.push(...checkCel(expression, field, { ...context, roots, wanted: mustBe(RESULTS[own]) }));
    }
  }
  if (mutation[other]) {
    causes.push(invalidValue(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`));
  }
  return causes;
}

function checkPolicy({ spec = {} }: MutatingAdmissionPolicy, skipConditions: boolean): StatusCause[] {
  const { paramKind, variables = [], mutations = [], reinvocationPolicy = "" } = spec;
  const roots = paramKind ? [...REQUEST_ROOTS, "params"] : REQUEST_ROOTS;
  const budget = celBudget();
  const causes = checkFailurePolicy(spec.failurePolicy, "spec.failurePolicy");
  if (paramKind) causes.push(...checkParamKind(paramKind, "spec.paramKind"));
  const rules = spec.matchConstraints?.resourceRules ?? [];
  causes.push(
    ...checkMatchConstraints(spec.matchConstraints, "spec.matchConstraints"),
    ...checkMutatingOperations(rules, "spec.matchConstraints.resourceRules.operations"),
  );
  if (!skipConditions) {
    causes.push(
      ...checkMatchConditions(spec.matchConditions ?? [], "spec.matchConditions", paramKind !== undefined, budget),
    );
  }
  const checked = checkVariables(variables, "spec.variables", { roots, budget });
  const context: CelContext = { roots, budget, variables: checked.known };
  causes.push(...checked.causes);
  if (mutations.length === 0) causes.push(required("spec.mutations", "mutations must contain at least one item"));
  causes.push(...mutations.flatMap((mutation, i) => checkMutation(mutation, `spec.mutations[${i}]`, context)));
  if (reinvocationPolicy === "") causes.push(required("spec.reinvocationPolicy"));
  else if (!REINVOCATION_POLICIES.includes(reinvocationPolicy)) {
    causes.push(notSupported("spec.reinvocationPolicy", reinvocationPolicy, REINVOCATION_POLICIES));
  }
  return causes;
}

export const MUTATING_ADMISSION_POLICY_STRATEGY: Strategy<MutatingAdmissionPolicy> = {
  requiresResourceVersion: true,
  tracksGeneration: true,
  allowsAnyFinalizer: true,
  checksMetaAgain: true,
  validate: (policy) => checkPolicy(policy, false),
  validateUpdate: (policy, old) =>
    checkPolicy(
      policy,
      isEqual(policy.spec?.paramKind, old.spec?.paramKind) &&
        isEqual(policy.spec?.matchConditions, old.spec?.matchConditions),
    ),
  warnings: ({ metadata }) => warnOfStaticName(metadata.name),
};
