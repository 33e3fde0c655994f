import { FIELD_IMMUTABLE, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { isEmptySelector } from "../../../../shared/api/selector.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { DaemonSet, DaemonSetSpec } from "../../../../shared/api/types.ts";
import { checkAtMostAll, checkIntOrPercent, checkNotDecremented, checkNotNegative, isZero } from "../counts.ts";
import { isEqual } from "../equality.ts";
import { checkLabelSelector, printLabels, printSelector, selectorMatches } from "../label-selector.ts";
import { dropDisabledTemplateFields, validatePodTemplate } from "../pod-spec/index.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";
import { applyTemplateDefaults, checkRunsForEver } from "./template.ts";

/** Where apps/v1 keeps the count of changes of the template that earlier versions had in the spec. */
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

function applyDefaults(set: DaemonSet): void {
  const { spec } = set;
  // What is no number counts as 0; it is the writer's field, so it is set before owners are noted.
  setTemplateGeneration(set, templateGeneration(set));
  if (!spec) return;
  applyTemplateDefaults(spec.template);
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...spec.updateStrategy.rollingUpdate };
  }
  spec.revisionHistoryLimit ??= 10;
}

const templateGeneration = ({ metadata }: DaemonSet): number => {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? "";
  return /^[+-]?\d+$/.test(text) ? Number(text) : 0;
};

function setTemplateGeneration(set: DaemonSet, generation: number): void {
  set.metadata.annotations = { ...set.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

function checkUpdateStrategy({ updateStrategy }: DaemonSetSpec, path: string): StatusCause[] {
  const { type = "", rollingUpdate } = updateStrategy ?? {};
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const printed = {
      Type: type,
      RollingUpdate: rollingUpdate
        ? { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
        : null,
    };
    return [notSupported(path, printed, ["RollingUpdate", "OnDelete"])];
  }
  const field = `${path}.rollingUpdate`;
  if (!rollingUpdate) return [required(field)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const causes = [
    ...checkIntOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...checkIntOrPercent(maxSurge, `${field}.maxSurge`),
    ...checkAtMostAll(maxUnavailable, `${field}.maxUnavailable`),
    ...checkAtMostAll(maxSurge, `${field}.maxSurge`),
  ];
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    causes.push(invalidValue(`${field}.maxSurge`, maxSurge ?? 0, "may not be set when maxUnavailable is non-zero"));
  } else if (isZero(maxUnavailable) && isZero(maxSurge)) {
    causes.push(required(`${field}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  }
  return causes;
}

function validate(set: DaemonSet): StatusCause[] {
  const { selector, template, ...spec } = set.spec;
  const labels = template?.metadata?.labels;
  const causes = checkLabelSelector(selector, "spec.selector");
  if (causes.length === 0 && !selectorMatches(selector, labels ?? {})) {
    causes.push(
      invalidValue("spec.template.metadata.labels", printLabels(labels), "`selector` does not match template `labels`"),
    );
  }
  if (selector && isEmptySelector(selector)) {
    causes.push(invalidValue("spec.selector", printSelector(selector), "empty selector is invalid for daemonset"));
  }
  return [
    ...causes,
    ...validatePodTemplate(template, "spec.template"),
    ...checkRunsForEver(template, "spec.template", "DaemonSet"),
    ...checkNotNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...checkNotNegative(templateGeneration(set), "spec.templateGeneration"),
    ...checkUpdateStrategy(set.spec, "spec.updateStrategy"),
    ...checkNotNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
  ];
}

const COUNTS = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
] as const;

export const DAEMON_SET_STRATEGY: Strategy<DaemonSet> = {
  applyDefaults,
  prepareForCreate: (set) => {
    dropDisabledTemplateFields(set.spec.template);
    set.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
    setTemplateGeneration(set, Math.max(templateGeneration(set), 1));
  },
  prepareForUpdate: (set, old) => {
    dropDisabledTemplateFields(set.spec.template);
    const changed = !isEqual(set.spec.template, old.spec.template);
    setTemplateGeneration(set, templateGeneration(old) + (changed ? 1 : 0));
  },
  validate,
  validateUpdate: (set, old) => [
    ...(isEqual(set.spec.selector, old.spec.selector)
      ? []
      : [invalidValue("spec.selector", printSelector(set.spec.selector), FIELD_IMMUTABLE)]),
    ...validate(set),
  ],
  // A part of the spec, wherever it is written.
  prepareForStatusUpdate: (set, old) => setTemplateGeneration(set, templateGeneration(old)),
  validateStatusUpdate: ({ status }, old) => [
    ...COUNTS.flatMap((name) => checkNotNegative(status?.[name], `status.${name}`)),
    ...checkNotDecremented(status?.collisionCount, old.status?.collisionCount),
  ],
  warnings: ({ spec }, old) =>
    !spec.template || isEqual(spec.template, old?.spec.template) ? [] : podWarnings(spec.template, "spec.template"),
};
