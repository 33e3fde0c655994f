import { duplicate, invalidEach, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { MutatingAdmissionPolicyBinding, ValidatingAdmissionPolicyBinding } from "../../../../shared/api/types.ts";
import type { Strategy } from "../strategy.ts";
import { checkMatchResources, checkMutatingOperations, checkParamRef } from "./match-resources.ts";
import { warnOfStaticName } from "./policy-words.ts";

const ACTIONS = ["Audit", "Deny", "Warn"];

function checkPolicyName(name: string, field: string): StatusCause[] {
  return name === "" ? [required(field)] : invalidEach(field, name, checkDns1123Subdomain(name));
}

function checkActions(actions: string[], field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) causes.push(notSupported(`${field}[${i}]`, action, ACTIONS));
    if (seen.has(action)) causes.push(duplicate(`${field}[${i}]`, action));
    seen.add(action);
  }
  if (seen.has("Deny") && seen.has("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    causes.push(invalidValue(field, actions, why));
  }
  if (seen.size === 0) causes.push(required(field, "at least one validation action is required"));
  return causes;
}

type BindingSpec = NonNullable<MutatingAdmissionPolicyBinding["spec"]>;

const checkBinding = ({ policyName = "", paramRef, matchResources }: BindingSpec): StatusCause[] => [
  ...checkPolicyName(policyName, "spec.policyName"),
  ...checkParamRef(paramRef, "spec.paramRef"),
  ...checkMatchResources(matchResources, "spec.matchResources"),
];

export const VALIDATING_ADMISSION_POLICY_BINDING_STRATEGY: Strategy<ValidatingAdmissionPolicyBinding> = {
  requiresResourceVersion: true,
  tracksGeneration: true,
  allowsAnyFinalizer: true,
  checksMetaAgain: true,
  validate: ({ spec = {} }) => [
    ...checkBinding(spec),
    ...checkActions(spec.validationActions ?? [], "spec.validationActions"),
  ],
  warnings: ({ metadata }) => warnOfStaticName(metadata.name),
};

export const MUTATING_ADMISSION_POLICY_BINDING_STRATEGY: Strategy<MutatingAdmissionPolicyBinding> = {
  requiresResourceVersion: true,
  tracksGeneration: true,
  allowsAnyFinalizer: true,
  checksMetaAgain: true,
  validate: ({ spec = {} }) => [
    ...checkBinding(spec),
    ...checkMutatingOperations(
      spec.matchResources?.resourceRules ?? [],
      "spec.matchResources.resourceRules.operations",
    ),
  ],
  warnings: ({ metadata }) => warnOfStaticName(metadata.name),
};
