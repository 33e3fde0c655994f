import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { isEmptySelector } from "../../../../shared/api/selector.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Deployment, DeploymentStrategy } from "../../../../shared/api/types.ts";
import {
  checkAtMostAll,
  checkIntOrPercent,
  checkNotDecremented,
  checkNotNegative,
  checkReplicaCounts,
  isZero,
} from "../counts.ts";
import { isEqual } from "../equality.ts";
import { checkLabelSelector, printSelector } from "../label-selector.ts";
import { dropDisabledTemplateFields } from "../pod-spec/index.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";
import { applyTemplateDefaults, checkRunningTemplate, hostnameWarnings } from "./template.ts";

function applyDefaults({ spec }: Deployment): void {
  if (!spec) return;
  applyTemplateDefaults(spec.template);
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ||= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate = { maxUnavailable: "25%", maxSurge: "25%", ...spec.strategy.rollingUpdate };
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}

function checkStrategy(strategy: DeploymentStrategy, path: string): StatusCause[] {
  const { type = "", rollingUpdate } = strategy;
  const field = `${path}.rollingUpdate`;
  if (type === "Recreate") {
    return rollingUpdate ? [fieldForbidden(field, "may not be specified when strategy `type` is 'Recreate'")] : [];
  }
  if (type !== "RollingUpdate") return [notSupported(path, printStrategy(strategy), ["Recreate", "RollingUpdate"])];
  if (!rollingUpdate) return [required(field, "this should be defaulted and never be nil")];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const causes = [
    ...checkIntOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...checkIntOrPercent(maxSurge, `${field}.maxSurge`),
  ];
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    causes.push(invalidValue(`${field}.maxUnavailable`, maxUnavailable ?? 0, "may not be 0 when `maxSurge` is 0"));
  }
  return [...causes, ...checkAtMostAll(maxUnavailable, `${field}.maxUnavailable`)];
}

/** The internal type, as upstream prints it. */
const printStrategy = ({ type = "", rollingUpdate }: DeploymentStrategy) => ({
  Type: type,
  RollingUpdate: rollingUpdate
    ? { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
    : null,
});

function validate({ spec }: Deployment): StatusCause[] {
  const causes = checkNotNegative(spec.replicas, "spec.replicas");
  if (!spec.selector) causes.push(required("spec.selector"));
  else {
    causes.push(...checkLabelSelector(spec.selector, "spec.selector"));
    if (isEmptySelector(spec.selector)) {
      causes.push(
        invalidValue("spec.selector", printSelector(spec.selector), "empty selector is invalid for deployment"),
      );
    }
  }
  causes.push(
    ...checkRunningTemplate(spec.template, "spec.template", { selector: spec.selector, kind: "ReplicaSet" }),
    ...checkStrategy(spec.strategy ?? {}, "spec.strategy"),
    ...checkNotNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...checkNotNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
  );
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined) {
    causes.push(...checkNotNegative(deadline, "spec.progressDeadlineSeconds"));
    if (deadline <= (spec.minReadySeconds ?? 0)) {
      causes.push(invalidValue("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
    }
  }
  return causes;
}

const COUNTS = {
  counts: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  withinReplicas: ["updatedReplicas", "readyReplicas", "availableReplicas"],
};

const bumpsGeneration = ({ metadata, spec }: Deployment, old: Deployment): boolean =>
  !isEqual(spec, old.spec) || !isEqual(metadata.annotations, old.metadata.annotations);

export const DEPLOYMENT_STRATEGY: Strategy<Deployment> = {
  applyDefaults,
  prepareForCreate: ({ spec }) => dropDisabledTemplateFields(spec.template),
  prepareForUpdate: ({ spec }) => dropDisabledTemplateFields(spec.template),
  validate,
  validateUpdate: (deployment, old) => [
    ...validate(deployment),
    ...(isEqual(deployment.spec.selector, old.spec.selector)
      ? []
      : [invalidValue("spec.selector", printSelector(deployment.spec.selector), FIELD_IMMUTABLE)]),
  ],
  metaKeptFromStatus: ["labels"],
  validateStatusUpdate: ({ status }, old) => {
    const causes = checkReplicaCounts(status, COUNTS);
    return [...causes, ...checkNotDecremented(status?.collisionCount, old.status?.collisionCount)];
  },
  warnings: (deployment, old) => {
    if (old && !bumpsGeneration(deployment, old)) return [];
    const { metadata, spec } = deployment;
    return [...(old ? [] : hostnameWarnings(metadata.name)), ...podWarnings(spec.template, "spec.template")];
  },
  bumpsGeneration,
};
