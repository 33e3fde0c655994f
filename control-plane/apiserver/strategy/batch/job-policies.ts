import {
  duplicate,
  invalidUnprinted,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "../../../../shared/api/field-error.ts";
import { checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "../../../../shared/api/types.ts";
import { checkNotNegative } from "../counts.ts";
import { countIndexes, parseIndexes } from "./indexes.ts";

const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS = ["In", "NotIn"];
const STATUSES = ["False", "True", "Unknown"];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_PATTERNS = 20;

/** A list as Go's `%q` prints it. */
const quoted = (names: string[]) => `[${names.map((name) => JSON.stringify(name)).join(" ")}]`;

function checkChoice(value: string | undefined, field: string, choices: string[]): StatusCause[] {
  if (!value) return [required(field, `valid values: ${quoted(choices)}`)];
  return choices.includes(value) ? [] : [notSupported(field, value, choices)];
}

function checkExitCodes(codes: PodFailurePolicyOnExitCodesRequirement, path: string, containers: Set<string>) {
  const causes = checkChoice(codes.operator, `${path}.operator`, OPERATORS);
  if (codes.containerName !== undefined && !containers.has(codes.containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    causes.push(invalidValue(`${path}.containerName`, codes.containerName, detail));
  }
  const values = codes.values ?? [];
  if (values.length === 0) causes.push(invalidValue(`${path}.values`, codes.values, "at least one value is required"));
  else if (values.length > MAX_EXIT_CODES) causes.push(tooMany(`${path}.values`, values.length, MAX_EXIT_CODES));
  for (const [i, value] of values.entries()) {
    const field = `${path}.values[${i}]`;
    if (codes.operator === "In" && value === 0)
      causes.push(invalidValue(field, 0, "must not be 0 for the In operator"));
    if (values.indexOf(value) < i) causes.push(duplicate(field, value));
  }
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value)) {
    causes.push(invalidValue(`${path}.values`, values, "must be ordered"));
  }
  return causes;
}

function checkFailureRule(rule: PodFailurePolicyRule, path: string, spec: JobSpec, containers: Set<string>) {
  const causes =
    rule.action === "FailIndex" && spec.backoffLimitPerIndex === undefined
      ? [invalidValue(`${path}.action`, rule.action, "requires the backoffLimitPerIndex to be set")]
      : checkChoice(rule.action, `${path}.action`, ACTIONS);
  const patterns = rule.onPodConditions ?? [];
  if (rule.onExitCodes) causes.push(...checkExitCodes(rule.onExitCodes, `${path}.onExitCodes`, containers));
  if (patterns.length > MAX_PATTERNS) causes.push(tooMany(`${path}.onPodConditions`, patterns.length, MAX_PATTERNS));
  for (const [i, { type, status }] of patterns.entries()) {
    const field = `${path}.onPodConditions[${i}]`;
    causes.push(...checkQualifiedName(type).map((message) => invalidValue(`${field}.type`, type, message)));
    causes.push(...checkChoice(status, `${field}.status`, STATUSES));
  }
  if (rule.onExitCodes && patterns.length > 0) {
    causes.push(invalidUnprinted(path, "specifying both OnExitCodes and OnPodConditions is not supported"));
  }
  if (!rule.onExitCodes && patterns.length === 0) {
    causes.push(invalidUnprinted(path, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
  return causes;
}

export function checkPodFailurePolicy(spec: JobSpec, path: string): StatusCause[] {
  if (!spec.podFailurePolicy) return [];
  const rules = spec.podFailurePolicy.rules ?? [];
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  return [
    ...(rules.length > MAX_RULES ? [tooMany(`${path}.rules`, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, i) => checkFailureRule(rule, `${path}.rules[${i}]`, spec, names)),
  ];
}

/** Without a policy for failures pods may also be replaced while they terminate. */
export function checkPodReplacementPolicy(spec: JobSpec, path: string): StatusCause[] {
  const policy = spec.podReplacementPolicy;
  if (policy === undefined) return [];
  const choices = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return choices.includes(policy) ? [] : [notSupported(path, policy, choices)];
}

function checkSuccessRule({ succeededIndexes, succeededCount }: SuccessPolicyRule, path: string, completions: number) {
  const causes: StatusCause[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined) {
    causes.push(required(path, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const { intervals, error } = parseIndexes(succeededIndexes, completions);
    if (error === undefined) total = countIndexes(intervals);
    else {
      const detail = `error parsing succeededIndexes: ${error}`;
      causes.push(invalidValue(`${path}.succeededIndexes`, succeededIndexes, detail));
    }
  }
  if (succeededCount === undefined) return causes;
  const field = `${path}.succeededCount`;
  causes.push(...checkNotNegative(succeededCount, field));
  const bound = (limit: number, what: string) =>
    invalidValue(field, succeededCount, `must be less than or equal to ${limit} (the number of ${what})`);
  if (succeededCount > completions) causes.push(bound(completions, "specified completions"));
  if (succeededIndexes !== undefined && succeededCount > total) {
    causes.push(bound(total, "indexes in the specified succeededIndexes field"));
  }
  return causes;
}

export function checkSuccessPolicy(spec: JobSpec, path: string): StatusCause[] {
  if (!spec.successPolicy) return [];
  const rules = spec.successPolicy.rules ?? [];
  if (spec.completionMode !== "Indexed") {
    return [invalidValue(path, printSuccessPolicy(spec.successPolicy), "requires indexed completion mode")];
  }
  const causes: StatusCause[] = [];
  if (rules.length === 0) {
    causes.push(required(`${path}.rules`, "at least one rules must be specified when the successPolicy is specified"));
  }
  if (rules.length > MAX_RULES) causes.push(tooMany(`${path}.rules`, rules.length, MAX_RULES));
  const completions = spec.completions ?? 0;
  return [...causes, ...rules.flatMap((rule, i) => checkSuccessRule(rule, `${path}.rules[${i}]`, completions))];
}

const listOrNull = <T, R>(list: T[] | undefined, print: (item: T) => R): R[] | null => list?.map(print) ?? null;

/** Internal types, as upstream prints them. */
export const printSuccessPolicy = ({ rules }: { rules?: SuccessPolicyRule[] }) => ({
  Rules: listOrNull(rules, ({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null,
  })),
});

export const printFailurePolicy = ({ rules }: { rules?: PodFailurePolicyRule[] }) => ({
  Rules: listOrNull(rules, ({ action, onExitCodes, onPodConditions }) => ({
    Action: action,
    OnExitCodes: onExitCodes
      ? {
          ContainerName: onExitCodes.containerName ?? null,
          Operator: onExitCodes.operator,
          Values: onExitCodes.values,
        }
      : null,
    OnPodConditions: onPodConditions
      ? onPodConditions.map(({ type, status }) => ({ Type: type, Status: status }))
      : null,
  })),
});
