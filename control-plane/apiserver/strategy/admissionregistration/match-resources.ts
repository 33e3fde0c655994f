import {
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1035Label, checkDns1123Subdomain, checkPathSegment } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { LabelSelector, ValidatingAdmissionPolicy } from "../../../../shared/api/types.ts";
import { checkLabelSelector } from "../label-selector.ts";
import { MATCH_POLICIES } from "./policy-words.ts";
import { checkNamedRule, type Rule } from "./rules.ts";

type PolicySpec = NonNullable<ValidatingAdmissionPolicy["spec"]>;
export type MatchResources = NonNullable<PolicySpec["matchConstraints"]>;

/** Deletions have nothing to mutate. */
const MUTATING_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];
const NOT_FOUND_ACTIONS = ["Deny", "Allow"];

export function checkMatchResources(match: MatchResources | undefined, path: string): StatusCause[] {
  if (!match) return [];
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  const causes: StatusCause[] = [];
  if (matchPolicy === undefined) causes.push(required(`${path}.matchPolicy`));
  else if (!MATCH_POLICIES.includes(matchPolicy)) {
    causes.push(notSupported(`${path}.matchPolicy`, matchPolicy, MATCH_POLICIES));
  }
  for (const [name, selector] of [
    ["namespaceSelector", namespaceSelector],
    ["objectSelector", objectSelector],
  ] as const) {
    if (selector === undefined) causes.push(required(`${path}.${name}`));
    else causes.push(...checkLabelSelector(selector, `${path}.${name}`));
  }
  return [
    ...causes,
    ...resourceRules.flatMap((rule, i) => checkNamedRule(rule, `${path}.resourceRules[${i}]`)),
    ...excludeResourceRules.flatMap((rule, i) => checkNamedRule(rule, `${path}.excludeResourceRules[${i}]`)),
  ];
}

/** What a policy applies to: it needs one rule at least, which tells the types of its expressions. */
export function checkMatchConstraints(match: MatchResources | undefined, path: string): StatusCause[] {
  if (!match) return [required(path)];
  const causes = checkMatchResources(match, path);
  return (match.resourceRules ?? []).length > 0 ? causes : [...causes, required(`${path}.resourceRules`)];
}

export const checkMutatingOperations = (rules: Rule[], field: string): StatusCause[] =>
  rules
    .flatMap(({ operations = [] }) => operations)
    .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
    .map((operation) => notSupported(field, operation, MUTATING_OPERATIONS));

export function checkParamKind(
  { apiVersion = "", kind = "" }: { apiVersion?: string; kind?: string },
  path: string,
): StatusCause[] {
  const causes =
    apiVersion === "" ? [required(`${path}.apiVersion`)] : checkApiVersion(apiVersion, `${path}.apiVersion`);
  if (kind === "") return [...causes, required(`${path}.kind`)];
  const messages = checkDns1035Label(kind.toLowerCase());
  if (messages.length > 0) {
    const why = `may have mixed case, but should otherwise match: ${messages.join(",")}`;
    causes.push(invalidValue(`${path}.kind`, kind, why));
  }
  return causes;
}

function checkApiVersion(apiVersion: string, field: string): StatusCause[] {
  const parts = apiVersion === "/" ? [""] : apiVersion.split("/");
  if (parts.length > 2) return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1) ?? "";
  const group = parts.length === 2 ? (parts[0] ?? "") : "";
  const causes: StatusCause[] = [];
  const ofGroup = group === "" ? [] : checkDns1123Subdomain(group);
  if (ofGroup.length > 0) causes.push(invalidValue(field, group, ofGroup.join(",")));
  if (version === "") return [...causes, invalidValue(field, apiVersion, "version must be specified")];
  const ofVersion = checkDns1035Label(version);
  return ofVersion.length > 0 ? [...causes, invalidValue(field, version, ofVersion.join(","))] : causes;
}

interface ParamRef {
  name?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: string;
}

export function checkParamRef(ref: ParamRef | undefined, path: string): StatusCause[] {
  if (!ref) return [];
  const { name = "", selector, parameterNotFoundAction: action = "" } = ref;
  const exclusive = "name and selector are mutually exclusive";
  const causes = name === "" ? [] : invalidEach(`${path}.name`, name, checkPathSegment(name));
  if (name !== "" && selector) causes.push(fieldForbidden(`${path}.name`, exclusive));
  causes.push(...checkLabelSelector(selector, `${path}.selector`));
  if (name !== "" && selector) causes.push(fieldForbidden(`${path}.selector`, exclusive));
  if (name === "" && !selector) causes.push(required(path, "one of name or selector must be specified"));
  if (action === "") causes.push(required(`${path}.parameterNotFoundAction`));
  else if (!NOT_FOUND_ACTIONS.includes(action)) {
    causes.push(notSupported(`${path}.parameterNotFoundAction`, action, NOT_FOUND_ACTIONS));
  }
  return causes;
}
