import { invalidValue, notSupported, required, tooLong } from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { JobSpec } from "../../../../shared/api/types.ts";
import { applyTemplateDefaults } from "../apps/template.ts";
import { checkNotNegative } from "../counts.ts";
import { validatePodTemplate } from "../pod-spec/index.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import { checkPodFailurePolicy, checkPodReplacementPolicy, checkSuccessPolicy } from "./job-policies.ts";

const INT32_MAX = 2 ** 31 - 1;
/** An indexed job with more completions than this cannot note every failed index. */
const MANY_COMPLETIONS = 100_000;
const MAX_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
const MAX_WITH_MANY_COMPLETIONS = 10_000;
const MAX_MANAGED_BY = 63;

/** Defaults that jobs have, and templates of jobs do not. */
export function applyJobDefaults(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : INT32_MAX;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
}

export const applyJobTemplateDefaults = (spec: JobSpec): void => applyTemplateDefaults(spec.template);

function checkManagedBy(name: string, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const [domain = "", ...rest] = name.split("/");
  if (name === "") return [required(field)];
  if (rest.length === 0 || domain === "")
    causes.push(invalidValue(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  else {
    causes.push(...checkDns1123Subdomain(domain).map((message) => invalidValue(field, domain, message)));
    const path = rest.join("/");
    if (path === "") causes.push(invalidValue(field, path, "must be a domain-prefixed path"));
  }
  if (name.length > MAX_MANAGED_BY) causes.push(tooLong(field, MAX_MANAGED_BY));
  return causes;
}

function checkIndexed(spec: JobSpec, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const { completions, parallelism, maxFailedIndexes } = spec;
  const atMost = (name: "parallelism" | "maxFailedIndexes", limit: number, suffix = "") =>
    (spec[name] ?? 0) > limit
      ? [invalidValue(`${path}.${name}`, spec[name], `must be less than or equal to ${limit}${suffix}`)]
      : [];
  if (completions === undefined) causes.push(required(`${path}.completions`, "when completion mode is Indexed"));
  causes.push(...atMost("parallelism", MAX_PARALLELISM, " when completion mode is Indexed"));
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    causes.push(
      invalidValue(`${path}.maxFailedIndexes`, maxFailedIndexes, "must be less than or equal to completions"),
    );
  }
  causes.push(...atMost("maxFailedIndexes", MAX_FAILED_INDEXES));
  if ((completions ?? 0) <= MANY_COMPLETIONS || spec.backoffLimitPerIndex === undefined) return causes;
  if (maxFailedIndexes === undefined) {
    const detail = `must be specified when completions is above ${MANY_COMPLETIONS}`;
    causes.push(required(`${path}.maxFailedIndexes`, detail));
  }
  const suffix = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (parallelism !== undefined) causes.push(...atMost("parallelism", MAX_WITH_MANY_COMPLETIONS, suffix));
  return [...causes, ...atMost("maxFailedIndexes", MAX_WITH_MANY_COMPLETIONS, suffix)];
}

function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, field: string): StatusCause[] {
  const policy = template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupported(field, policy, ["OnFailure", "Never"])];
  return podFailurePolicy && policy !== "Never"
    ? [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** Everything but the selector. */
export function checkJobSpec(spec: JobSpec, path: string): StatusCause[] {
  const causes = COUNTS.flatMap((name) => checkNotNegative(spec[name], `${path}.${name}`));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    causes.push(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (spec.managedBy !== undefined) causes.push(...checkManagedBy(spec.managedBy, `${path}.managedBy`));
  const mode = spec.completionMode ?? "NonIndexed";
  if (mode !== "NonIndexed" && mode !== "Indexed") {
    causes.push(notSupported(`${path}.completionMode`, mode, ["NonIndexed", "Indexed"]));
  }
  if (mode === "Indexed") causes.push(...checkIndexed(spec, path));
  if (mode === "NonIndexed") {
    for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[name] !== undefined) {
        causes.push(invalidValue(`${path}.${name}`, spec[name], "requires indexed completion mode"));
      }
    }
  }
  return [
    ...causes,
    ...checkPodFailurePolicy(spec, `${path}.podFailurePolicy`),
    ...checkSuccessPolicy(spec, `${path}.successPolicy`),
    ...checkPodReplacementPolicy(spec, `${path}.podReplacementPolicy`),
    ...validatePodTemplate(spec.template, `${path}.template`),
    ...checkRestartPolicy(spec, `${path}.template.spec.restartPolicy`),
  ];
}

export function jobWarnings(spec: JobSpec, path: string): string[] {
  const isHuge =
    spec.completionMode === "Indexed" && (spec.completions ?? 0) > MANY_COMPLETIONS && (spec.parallelism ?? 0) > 10_000;
  return [
    ...(isHuge
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...(spec.template ? podWarnings(spec.template, `${path}.template`) : []),
  ];
}
