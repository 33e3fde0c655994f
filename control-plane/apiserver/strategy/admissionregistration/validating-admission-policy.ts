import { duplicate, invalidEach, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ValidatingAdmissionPolicy } from "../../../../shared/api/types.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { type CelContext, celBudget, checkCel } from "../cel/check.ts";
import { checkConditions, type MetaCondition } from "../conditions.ts";
import { isEqual } from "../equality.ts";
import type { Strategy } from "../strategy.ts";
import { checkMatchConditions, mustBe, REQUEST_ROOTS } from "./conditions.ts";
import { checkMatchConstraints, checkParamKind } from "./match-resources.ts";
import { warnOfStaticName } from "./policy-words.ts";
import { checkFailurePolicy, checkVariables } from "./variables.ts";

type Spec = NonNullable<ValidatingAdmissionPolicy["spec"]>;
type Validation = NonNullable<Spec["validations"]>[number];

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const MAX_AUDIT_ANNOTATIONS = 20;
/** Half of what an annotation may hold: an expression often gives more than its own length. */
const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;

function checkValidation(validation: Validation, path: string, context: CelContext): StatusCause[] {
  const { expression = "", message = "", messageExpression = "", reason } = validation;
  const causes =
    expression.trim() === ""
      ? [required(`${path}.expression`, "expression is not specified")]
      : checkCel(expression, `${path}.expression`, { ...context, wanted: mustBe("bool") });
  const blank = "must be non-empty if specified";
  if (messageExpression.trim() !== "") {
    const roots = context.roots.filter((name) => name !== "authorizer");
    const wanted = mustBe("string");
    causes.push(...checkCel(messageExpression, `${path}.messageExpression`, { ...context, roots, wanted }));
  } else if (messageExpression !== "") {
    causes.push(invalidValue(`${path}.messageExpression`, messageExpression, blank));
  }
  if (message !== "" && message.trim() === "") causes.push(invalidValue(`${path}.message`, message, blank));
  else if (/[\n\r]/.test(message.trim())) {
    causes.push(invalidValue(`${path}.message`, message, "must not contain line breaks"));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    causes.push(notSupported(`${path}.reason`, reason, REASONS));
  }
  return causes;
}

/** An audit annotation is written under `<policy>/<key>`. */
function checkAuditAnnotations(policy: string, { auditAnnotations = [] }: Spec, context: CelContext): StatusCause[] {
  const path = "spec.auditAnnotations";
  const causes: StatusCause[] = [];
  if (auditAnnotations.length > MAX_AUDIT_ANNOTATIONS) {
    const why = `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`;
    causes.push(
      invalidValue(
        path,
        auditAnnotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression })),
        why,
      ),
    );
  }
  const seen = new Set<string>();
  const wanted: CelContext["wanted"] = {
    types: ["string", "null_type"],
    message: (got) => `must evaluate to one of [string null_type] but got ${got}`,
  };
  for (const [i, { key = "", valueExpression = "" }] of auditAnnotations.entries()) {
    const field = `${path}[${i}].valueExpression`;
    const name = `${policy}/${key}`;
    causes.push(...invalidEach(`${path}[${i}].key`, name, checkQualifiedName(name)));
    const trimmed = valueExpression.trim();
    if (trimmed === "") causes.push(required(field, "valueExpression is not specified"));
    else if (utf8Length(trimmed) > MAX_VALUE_EXPRESSION_BYTES) {
      causes.push(required(field, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`));
    } else causes.push(...checkCel(trimmed, field, { ...context, wanted }, valueExpression));
    if (seen.has(key)) causes.push(duplicate(`${path}[${i}].key`, key));
    seen.add(key);
  }
  return causes;
}

/** Who may write a policy with a paramKind must be able to read that kind: not checked here, no rule reads permissions. */
function checkPolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy, skipConditions: boolean): StatusCause[] {
  const { paramKind, variables = [], validations = [], auditAnnotations = [] } = spec;
  const roots = paramKind ? [...REQUEST_ROOTS, "params"] : REQUEST_ROOTS;
  const budget = celBudget();
  const causes = checkFailurePolicy(spec.failurePolicy, "spec.failurePolicy");
  if (paramKind) causes.push(...checkParamKind(paramKind, "spec.paramKind"));
  causes.push(...checkMatchConstraints(spec.matchConstraints, "spec.matchConstraints"));
  if (!skipConditions) {
    causes.push(
      ...checkMatchConditions(spec.matchConditions ?? [], "spec.matchConditions", paramKind !== undefined, budget),
    );
  }
  const checked = checkVariables(variables, "spec.variables", { roots, budget });
  const context: CelContext = { roots, budget, variables: variables.length > 0 ? checked.known : undefined };
  causes.push(...checked.causes);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const why = "validations or auditAnnotations must contain at least one item";
    return [...causes, required("spec.validations", why), required("spec.auditAnnotations", why)];
  }
  return [
    ...causes,
    ...validations.flatMap((validation, i) => checkValidation(validation, `spec.validations[${i}]`, context)),
    ...checkAuditAnnotations(metadata.name, spec, context),
  ];
}

export const VALIDATING_ADMISSION_POLICY_STRATEGY: Strategy<ValidatingAdmissionPolicy> = {
  metaKeptFromStatus: "all",
  requiresResourceVersion: true,
  allowsAnyFinalizer: true,
  checksMetaAgain: true,
  prepareForCreate: (policy) => {
    policy.status = {};
  },
  validate: (policy) => checkPolicy(policy, false),
  validateUpdate: (policy, old) =>
    checkPolicy(
      policy,
      isEqual(policy.spec?.paramKind, old.spec?.paramKind) &&
        isEqual(policy.spec?.matchConditions, old.spec?.matchConditions),
    ),
  validateStatusUpdate: ({ status }) => [
    ...(status?.typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef = "", warning = "" }, i) => {
      const path = `status.typeChecking.expressionWarnings[${i}]`;
      return [
        ...(warning === "" ? [required(`${path}.warning`)] : []),
        ...(fieldRef.trim() === "" ? [required(`${path}.fieldRef`)] : []),
      ];
    }),
    ...checkConditions(status?.conditions as MetaCondition[] | undefined, "status.conditions"),
  ],
  warnings: ({ metadata }) => warnOfStaticName(metadata.name),
};
