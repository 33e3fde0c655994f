import { fieldForbidden, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, nameIsLabel } from "../../../../shared/api/names.ts";
import { validateAnnotations, validateLabels } from "../../../../shared/api/object-meta.ts";
import { isEmptySelector } from "../../../../shared/api/selector.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  PodTemplateSpec,
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetSpec,
} from "../../../../shared/api/types.ts";
import { checkClaimSpec, storageWarnings } from "../core/claim-spec.ts";
import {
  checkAtMostAll,
  checkIntOrPercent,
  checkNotDecremented,
  checkNotNegative,
  checkReplicaCounts,
  isZero,
} from "../counts.ts";
import { isEqual } from "../equality.ts";
import { checkLabelSelector, printLabels, printSelector, selectorMatches } from "../label-selector.ts";
import { checkPodAnnotations, dropDisabledTemplateFields, validatePodTemplate } from "../pod-spec/index.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";
import { applyTemplateDefaults, checkRunsForEver } from "./template.ts";

function applyDefaults({ spec }: StatefulSet): void {
  if (!spec) return;
  applyTemplateDefaults(spec.template);
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy ??= {};
  const { updateStrategy } = spec;
  if (!updateStrategy.type) {
    updateStrategy.type = "RollingUpdate";
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type === "RollingUpdate" && updateStrategy.rollingUpdate) {
    updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = "v1";
    claim.kind = "PersistentVolumeClaim";
    claim.spec ??= {};
    claim.spec.volumeMode ??= "Filesystem";
    claim.status = { phase: "Pending", ...claim.status };
  }
}

const POLICIES = ["Delete", "Retain"];

/** The internal type, as upstream prints it. */
const printRolling = ({ partition, maxUnavailable }: RollingUpdateStatefulSetStrategy) => ({
  Partition: partition ?? 0,
  MaxUnavailable: maxUnavailable ?? null,
});

function checkUpdateStrategy({ updateStrategy }: StatefulSetSpec, field: string): StatusCause[] {
  const { type, rollingUpdate } = updateStrategy ?? {};
  const rolling = `${field}.rollingUpdate`;
  if (!type) return [required(field)];
  if (type === "OnDelete") {
    return rollingUpdate
      ? [invalidValue(rolling, printRolling(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")]
      : [];
  }
  if (type !== "RollingUpdate") {
    const printed = { Type: type, RollingUpdate: rollingUpdate ? printRolling(rollingUpdate) : null };
    return [invalidValue(field, printed, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  if (!rollingUpdate) return [];
  const causes = checkNotNegative(rollingUpdate.partition, `${rolling}.partition`);
  const { maxUnavailable } = rollingUpdate;
  if (maxUnavailable === undefined) return causes;
  causes.push(...checkIntOrPercent(maxUnavailable, `${rolling}.maxUnavailable`));
  if (isZero(maxUnavailable)) causes.push(invalidValue(`${rolling}.maxUnavailable`, maxUnavailable, "cannot be 0"));
  return [...causes, ...checkAtMostAll(maxUnavailable, `${rolling}.maxUnavailable`)];
}

/** As the controller will make its pods: named and placed by the set, its claims mounted. */
function templateOfPods(spec: StatefulSetSpec): PodTemplateSpec | undefined {
  const { template, volumeClaimTemplates = [] } = spec;
  if (!template?.spec) return template;
  const { subdomain: _subdomain, hostname: _hostname, ...podSpec } = template.spec;
  const claims = new Set(volumeClaimTemplates.map((claim) => claim.metadata?.name ?? ""));
  if (claims.size > 0) {
    podSpec.volumes = [
      ...[...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
      ...(podSpec.volumes ?? []).filter((volume) => !claims.has(volume.name)),
    ];
  }
  return { ...template, spec: podSpec };
}

function checkTemplate(spec: StatefulSetSpec, path: string, skipTemplate: boolean): StatusCause[] {
  const template = templateOfPods(spec);
  const { labels, annotations } = template?.metadata ?? {};
  const causes: StatusCause[] = [];
  const { selector } = spec;
  if (checkLabelSelector(selector, "").length > 0) return [invalidValue("spec.selector", printSelector(selector), "")];
  if ((!selector || !isEmptySelector(selector)) && !selectorMatches(selector, labels ?? {})) {
    causes.push(
      invalidValue(`${path}.metadata.labels`, printLabels(labels), "`selector` does not match template `labels`"),
    );
  }
  if (!skipTemplate) causes.push(...validatePodTemplate(template, path));
  return [
    ...causes,
    ...validateLabels(labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...checkPodAnnotations(annotations, template?.spec ?? { containers: [] }, `${path}.annotations`),
  ];
}

/** What is fixed after creation is not checked again, so that sets stored under older rules can still change. */
function checkSpec(spec: StatefulSetSpec, { isUpdate, skipTemplate }: { isUpdate: boolean; skipTemplate: boolean }) {
  const causes: StatusCause[] = [];
  const policy = spec.podManagementPolicy;
  if (!policy) causes.push(required("spec.podManagementPolicy"));
  else if (policy !== "OrderedReady" && policy !== "Parallel") {
    causes.push(invalidValue("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  causes.push(...checkUpdateStrategy(spec, "spec.updateStrategy"));
  for (const when of ["whenDeleted", "whenScaled"] as const) {
    const value = spec.persistentVolumeClaimRetentionPolicy?.[when] ?? "";
    if (spec.persistentVolumeClaimRetentionPolicy && !POLICIES.includes(value)) {
      causes.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${when}`, value, ["Retain", "Delete"]));
    }
  }
  if (!isUpdate) {
    for (const [i, claim] of (spec.volumeClaimTemplates ?? []).entries()) {
      causes.push(...checkClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${i}].spec`));
    }
  }
  causes.push(
    ...checkNotNegative(spec.replicas, "spec.replicas"),
    ...checkNotNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...checkNotNegative(spec.ordinals?.start, "spec.ordinals.start"),
  );
  if (!isUpdate && spec.serviceName) {
    const name = spec.serviceName;
    causes.push(...checkDns1123Label(name).map((message) => invalidValue("spec.serviceName", name, message)));
  }
  if (!spec.selector) causes.push(required("spec.selector"));
  else {
    causes.push(...checkLabelSelector(spec.selector, "spec.selector"));
    if (isEmptySelector(spec.selector)) {
      causes.push(
        invalidValue("spec.selector", printSelector(spec.selector), "empty selector is invalid for statefulset"),
      );
    }
  }
  return [
    ...causes,
    ...checkTemplate(spec, "spec.template", skipTemplate),
    ...checkRunsForEver(spec.template, "spec.template", "StatefulSet"),
  ];
}

const MAY_CHANGE = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
];
const MAY_NOT =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function validateUpdate(set: StatefulSet, old: StatefulSet): StatusCause[] {
  const skipTemplate = checkSpec(old.spec, { isUpdate: true, skipTemplate: false }).length > 0;
  const causes = checkSpec(set.spec, { isUpdate: true, skipTemplate });
  const fixed = (spec: StatefulSetSpec) =>
    Object.fromEntries(Object.entries(spec).filter(([key]) => !MAY_CHANGE.includes(key)));
  if (!isEqual(fixed(set.spec), fixed(old.spec))) causes.push(fieldForbidden("spec", MAY_NOT));
  return causes;
}

const WITHIN_REPLICAS = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
const COUNTS = {
  counts: ["replicas", ...WITHIN_REPLICAS, "observedGeneration", "collisionCount"],
  withinReplicas: WITHIN_REPLICAS,
  readyName: "status.readyReplicas",
};

export const STATEFUL_SET_STRATEGY: Strategy<StatefulSet> = {
  nameRule: nameIsLabel,
  applyDefaults,
  prepareForCreate: (set) => {
    dropDisabledTemplateFields(set.spec.template);
    // As long as upstream keeps it behind a gate that is off (MaxUnavailableStatefulSet).
    delete set.spec.updateStrategy?.rollingUpdate?.maxUnavailable;
    set.status = { replicas: 0, availableReplicas: 0 };
  },
  prepareForUpdate: ({ spec }, old) => {
    dropDisabledTemplateFields(spec.template);
    if (old.spec.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) {
      delete spec.updateStrategy?.rollingUpdate?.maxUnavailable;
    }
  },
  validate: ({ spec }) => checkSpec(spec, { isUpdate: false, skipTemplate: false }),
  validateUpdate,
  validateStatusUpdate: ({ status }, old) => [
    ...checkReplicaCounts(status, COUNTS),
    ...checkNotDecremented(status?.collisionCount, old.status?.collisionCount),
  ],
  warnings: ({ spec }, old) => {
    const warnings = spec.template && !isEqual(spec, old?.spec) ? podWarnings(spec.template, "spec.template") : [];
    // The odd name on updates is upstream's.
    const claimSpec = old ? ".Spec" : "";
    for (const [i, { spec: claim }] of (spec.volumeClaimTemplates ?? []).entries()) {
      warnings.push(...storageWarnings(claim?.resources, `spec.volumeClaimTemplates[${i}]${claimSpec}`));
    }
    if ((spec.revisionHistoryLimit ?? 0) < 0) {
      warnings.push(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
      );
    }
    return warnings;
  },
};
