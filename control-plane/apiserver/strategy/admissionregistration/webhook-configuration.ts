import { duplicate, invalidEach, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkDns1035Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../../../../shared/api/types.ts";
import { type CelBudget, celBudget } from "../cel/check.ts";
import { isEqual } from "../equality.ts";
import { checkLabelSelector } from "../label-selector.ts";
import type { Strategy } from "../strategy.ts";
import { checkWebhookClient } from "../webhook-client.ts";
import { checkMatchConditions } from "./conditions.ts";
import { FAILURE_POLICIES, MATCH_POLICIES, REINVOCATION_POLICIES, warnOfStaticName } from "./policy-words.ts";
import { checkRule } from "./rules.ts";

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
type Webhook = NonNullable<MutatingWebhookConfiguration["webhooks"]>[number];

const NO_SIDE_EFFECTS = ["None", "NoneOnDryRun"];
const SIDE_EFFECTS = ["None", "NoneOnDryRun", "Some", "Unknown"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const MAX_TIMEOUT_SECONDS = 30;

/** An update may keep what is wrong with the old object. */
interface Leniency {
  sideEffects: boolean;
  reviewVersions: boolean;
  names: boolean;
  selectors: boolean;
  conditions: boolean;
}

const STRICT: Leniency = {
  sideEffects: false,
  reviewVersions: false,
  names: false,
  selectors: false,
  conditions: false,
};

function checkHookName(name: string, field: string): StatusCause[] {
  if (name === "") return [required(field)];
  const messages = checkDns1123Subdomain(name);
  if (messages.length > 0) return [invalidValue(field, name, messages.join(","))];
  return name.split(".").length < 3
    ? [invalidValue(field, name, "should be a domain with at least three segments separated by dots")]
    : [];
}

const checkOneOf = (value: string | undefined, field: string, supported: string[]): StatusCause[] =>
  value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)];

function checkHook(hook: Webhook, path: string, lenient: Leniency, budget: CelBudget): StatusCause[] {
  const { sideEffects, timeoutSeconds } = hook;
  const causes = checkHookName(hook.name ?? "", `${path}.name`);
  causes.push(
    ...(hook.rules ?? []).flatMap((rule, i) => checkRule(rule, `${path}.rules[${i}]`)),
    ...checkOneOf(hook.failurePolicy, `${path}.failurePolicy`, FAILURE_POLICIES),
    ...checkOneOf(hook.matchPolicy, `${path}.matchPolicy`, MATCH_POLICIES),
  );
  const allowed = lenient.sideEffects ? SIDE_EFFECTS : NO_SIDE_EFFECTS;
  // Always written: null where nothing is said.
  if (sideEffects === undefined || sideEffects === null)
    causes.push(required(`${path}.sideEffects`, `must specify one of ${allowed.join(", ")}`));
  else causes.push(...checkOneOf(sideEffects, `${path}.sideEffects`, allowed));
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > MAX_TIMEOUT_SECONDS)) {
    const why = `the timeout value must be between 1 and ${MAX_TIMEOUT_SECONDS} seconds`;
    causes.push(invalidValue(`${path}.timeoutSeconds`, timeoutSeconds, why));
  }
  causes.push(
    ...checkLabelSelector(hook.namespaceSelector, `${path}.namespaceSelector`, lenient.selectors),
    ...checkLabelSelector(hook.objectSelector, `${path}.objectSelector`, lenient.selectors),
    ...checkOneOf(hook.reinvocationPolicy, `${path}.reinvocationPolicy`, REINVOCATION_POLICIES),
    ...checkWebhookClient(hook.clientConfig ?? {}, `${path}.clientConfig`),
  );
  if (!lenient.conditions)
    causes.push(...checkMatchConditions(hook.matchConditions ?? [], `${path}.matchConditions`, false, budget));
  return causes;
}

function checkReviewVersions(versions: string[], field: string, lenient: boolean): StatusCause[] {
  if (versions.length === 0) return [required(field, `must specify one of ${REVIEW_VERSIONS.join(", ")}`)];
  const causes: StatusCause[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) causes.push(invalidValue(`${field}[${i}]`, version, "duplicate version"));
    else causes.push(...invalidEach(`${field}[${i}]`, version, checkDns1035Label(version)));
    seen.add(version);
  }
  if (!lenient && !knowsReview(versions)) {
    causes.push(invalidValue(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`));
  }
  return causes;
}

const knowsReview = (versions: string[]) => versions.some((version) => REVIEW_VERSIONS.includes(version));

const hooksOf = (configuration: Configuration): Webhook[] => configuration.webhooks ?? [];

function checkConfiguration(configuration: Configuration, lenient: Leniency): StatusCause[] {
  const seen = new Set<string>();
  const budget = celBudget();
  return hooksOf(configuration).flatMap((hook, i) => {
    const path = `webhooks[${i}]`;
    const versions = hook.admissionReviewVersions ?? [];
    const causes = [
      ...checkHook(hook, path, lenient, budget),
      ...checkReviewVersions(versions, `${path}.admissionReviewVersions`, lenient.reviewVersions),
    ];
    if (!lenient.names && hook.name && seen.has(hook.name)) causes.push(duplicate(`${path}.name`, hook.name));
    seen.add(hook.name);
    return causes;
  });
}

function leniencyOf(configuration: Configuration, old: Configuration): Leniency {
  const before = hooksOf(old);
  const now = hooksOf(configuration);
  return {
    sideEffects: before.some(({ sideEffects }) => !NO_SIDE_EFFECTS.includes(sideEffects)),
    reviewVersions: before.some(
      ({ admissionReviewVersions: versions }) => versions?.length > 0 && !knowsReview(versions),
    ),
    names: new Set(before.map(({ name }) => name)).size < before.length,
    selectors: before.some(
      ({ namespaceSelector, objectSelector }) =>
        checkLabelSelector(namespaceSelector, "").length > 0 || checkLabelSelector(objectSelector, "").length > 0,
    ),
    conditions:
      now.length === before.length &&
      now.every(({ matchConditions }, i) => isEqual(matchConditions, before[i]?.matchConditions)),
  };
}

const strategy: Strategy<Configuration> = {
  requiresResourceVersion: true,
  tracksGeneration: true,
  validate: (configuration) => checkConfiguration(configuration, STRICT),
  // Upstream checks the name and the labels of a webhook configuration as a new object's.
  allowsAnyFinalizer: true,
  checksMetaAgain: true,
  validateUpdate: (configuration, old) => checkConfiguration(configuration, leniencyOf(configuration, old)),
  warnings: ({ metadata }) => warnOfStaticName(metadata.name),
};

export const VALIDATING_WEBHOOK_CONFIGURATION_STRATEGY: Strategy<ValidatingWebhookConfiguration> =
  strategy as Strategy<ValidatingWebhookConfiguration>;
export const MUTATING_WEBHOOK_CONFIGURATION_STRATEGY: Strategy<MutatingWebhookConfiguration> =
  strategy as Strategy<MutatingWebhookConfiguration>;
