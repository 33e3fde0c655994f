import { FIELD_IMMUTABLE, invalidValue, required } from "../../../../shared/api/field-error.ts";
import { type NameRule, nameIsPathSegment, nameIsSubdomain } from "../../../../shared/api/names.ts";
import { isEmptySelector } from "../../../../shared/api/selector.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ReplicaSet, ReplicationController } from "../../../../shared/api/types.ts";
import { checkNotNegative, checkReplicaCounts } from "../counts.ts";
import { isEqual } from "../equality.ts";
import { checkLabelSelector, printSelector } from "../label-selector.ts";
import { dropDisabledTemplateFields } from "../pod-spec/index.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";
import { applyTemplateDefaults, checkRunningTemplate, hostnameWarnings } from "./template.ts";

function validateReplicaSet({ spec }: ReplicaSet): StatusCause[] {
  const causes = [
    ...checkNotNegative(spec.replicas, "spec.replicas"),
    ...checkNotNegative(spec.minReadySeconds, "spec.minReadySeconds"),
  ];
  if (!spec.selector) causes.push(required("spec.selector"));
  else {
    causes.push(...checkLabelSelector(spec.selector, "spec.selector"));
    if (isEmptySelector(spec.selector)) {
      // Upstream says "deployment" here too.
      causes.push(
        invalidValue("spec.selector", printSelector(spec.selector), "empty selector is invalid for deployment"),
      );
    }
  }
  return [
    ...causes,
    ...checkRunningTemplate(spec.template, "spec.template", { selector: spec.selector, kind: "ReplicaSet" }),
  ];
}

const WITHIN_REPLICAS = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
const COUNTS = {
  counts: ["replicas", ...WITHIN_REPLICAS, "observedGeneration", "terminatingReplicas"],
  withinReplicas: WITHIN_REPLICAS,
};

export const REPLICA_SET_STRATEGY: Strategy<ReplicaSet> = {
  applyDefaults: ({ spec }) => {
    if (!spec) return;
    applyTemplateDefaults(spec.template);
    spec.replicas ??= 1;
  },
  prepareForCreate: (set) => {
    dropDisabledTemplateFields(set.spec.template);
    set.status = { replicas: 0 };
  },
  prepareForUpdate: ({ spec }) => dropDisabledTemplateFields(spec.template),
  validate: validateReplicaSet,
  validateUpdate: (set, old) => [
    ...validateReplicaSet(set),
    ...(isEqual(set.spec.selector, old.spec.selector)
      ? []
      : [invalidValue("spec.selector", printSelector(set.spec.selector), FIELD_IMMUTABLE)]),
  ],
  validateStatusUpdate: ({ status }) => checkReplicaCounts(status, COUNTS),
  warnings: ({ metadata, spec }, old) => {
    if (!spec.template) return [];
    if (!old) return [...hostnameWarnings(metadata.name), ...podWarnings(spec.template, "spec.template")];
    return isEqual(spec, old.spec) ? [] : podWarnings(spec.template, "spec.template");
  },
  fields: ({ status }) => ({ "status.replicas": String(status?.replicas ?? 0) }),
};

function validateController({ spec }: ReplicationController): StatusCause[] {
  const causes = checkNotNegative(spec?.minReadySeconds, "spec.minReadySeconds");
  const selector = { matchLabels: spec?.selector };
  if (isEmptySelector(selector)) causes.push(required("spec.selector"));
  causes.push(...checkNotNegative(spec?.replicas, "spec.replicas"));
  if (!spec?.template) return [...causes, required("spec.template")];
  return [
    ...causes,
    ...checkRunningTemplate(spec.template, "spec.template", {
      selector,
      kind: "ReplicationController",
      takesAnySelector: true,
    }),
  ];
}

/** Labels of the template stand for a selector and labels that are not given. */
function applyControllerDefaults(controller: ReplicationController): void {
  controller.spec ??= {};
  const { spec } = controller;
  applyTemplateDefaults(spec.template);
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  applyLabelDefaults(controller);
  spec.replicas ??= 1;
}

function applyLabelDefaults({ metadata, spec }: ReplicationController): void {
  const labels = spec?.template?.metadata?.labels;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

/** A prefix may be anything that a path can hold. */
const controllerNameRule: NameRule = (name, prefix) =>
  prefix ? nameIsPathSegment(name, prefix) : nameIsSubdomain(name, prefix);

export const REPLICATION_CONTROLLER_STRATEGY: Strategy<ReplicationController> = {
  nameRule: controllerNameRule,
  applyDefaults: applyControllerDefaults,
  prepareForCreate: (controller) => {
    dropDisabledTemplateFields(controller.spec?.template);
    controller.status = { replicas: 0 };
  },
  prepareForUpdate: ({ spec }) => dropDisabledTemplateFields(spec?.template),
  // The template is there only now: the body of a status need not have one.
  prepareForStatusUpdate: applyLabelDefaults,
  validate: validateController,
  validateStatusUpdate: ({ status }) => checkReplicaCounts(status, COUNTS),
  warnings: ({ metadata, spec }, old) => {
    if (!spec?.template) return [];
    if (!old) return [...hostnameWarnings(metadata.name), ...podWarnings(spec.template, "spec.template")];
    // Of what was there before: upstream takes the one for the other here.
    return isEqual(spec, old.spec) || !old.spec?.template ? [] : podWarnings(old.spec.template, "spec.template");
  },
  fields: ({ status }) => ({ "status.replicas": String(status?.replicas ?? 0) }),
};
