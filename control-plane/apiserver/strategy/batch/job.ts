import { FIELD_IMMUTABLE, invalidValue, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkLabelValue } from "../../../../shared/api/names.ts";
import { validateObjectMetaUpdate } from "../../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Job, JobSpec, ObjectMeta, PodSpec, PodTemplateSpec } from "../../../../shared/api/types.ts";
import { hostnameWarnings } from "../apps/template.ts";
import { isEqual } from "../equality.ts";
import { validateStandardFinalizers } from "../finalizers.ts";
import { renderInternal } from "../internal-form/index.ts";
import { checkLabelSelector, printLabels, printSelector, selectorMatches } from "../label-selector.ts";
import { dropDisabledTemplateFields } from "../pod-spec/index.ts";
import type { Strategy } from "../strategy.ts";
import { printFailurePolicy, printSuccessPolicy } from "./job-policies.ts";
import { applyJobDefaults, applyJobTemplateDefaults, checkJobSpec, jobWarnings } from "./job-spec.ts";
import { checkJobStatusUpdate, isSuspendedByStatus } from "./job-status.ts";

const UID = "batch.kubernetes.io/controller-uid";
const NAME = "batch.kubernetes.io/job-name";
const LEGACY_UID = "controller-uid";
const LEGACY_NAME = "job-name";

/** Finds the job's own pods and no others. Labels that the user gave are left for the checks to refuse. */
function generateSelector({ metadata, spec }: Job): void {
  if (spec.manualSelector || !spec.template) return;
  spec.template.metadata ??= {};
  const { name, uid = "" } = metadata;
  const labels = spec.template.metadata.labels ?? {};
  // In place, since a job without labels of its own shares those of its template (see applyDefaults).
  spec.template.metadata.labels = labels;
  labels[LEGACY_NAME] ??= name;
  labels[NAME] ??= name;
  labels[LEGACY_UID] ??= uid;
  labels[UID] ??= uid;
  const isValid = checkLabelValue(name).length === 0;
  if (isValid && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
  spec.selector ??= {};
  spec.selector.matchLabels = { [UID]: uid, ...spec.selector.matchLabels };
}

function checkHasLabel(labels: Record<string, string>, key: string, wanted: string): StatusCause[] {
  const field = "spec.template.metadata.labels";
  if (labels[key] === undefined) return [required(`${field}[${key}]`, `must be '${wanted}'`)];
  return labels[key] === wanted ? [] : [invalidValue(`${field}[${key}]`, labels, `must be '${wanted}'`)];
}

function checkGeneratedSelector({ metadata, spec }: Job, old?: Job): StatusCause[] {
  if (spec.manualSelector || !spec.selector) return [];
  const labels = spec.template?.metadata?.labels ?? {};
  const { name, uid = "" } = metadata;
  const causes = uid === "" ? [required("metadata.uid")] : [];
  const oldLabels = old?.spec.template?.metadata?.labels ?? {};
  const wanted: Record<string, string> = { [LEGACY_UID]: uid, [LEGACY_NAME]: name };
  if (!old || (UID in oldLabels && NAME in oldLabels)) Object.assign(wanted, { [UID]: uid, [NAME]: name });
  for (const [key, value] of Object.entries(wanted)) causes.push(...checkHasLabel(labels, key, value));
  if (!selectorMatches(spec.selector, wanted)) {
    causes.push(invalidValue("spec.selector", printSelector(spec.selector), "`selector` not auto-generated"));
  }
  return causes;
}

function checkSpec(spec: JobSpec): StatusCause[] {
  const causes = checkJobSpec(spec, "spec");
  if (!spec.selector) causes.push(required("spec.selector"));
  else causes.push(...checkLabelSelector(spec.selector, "spec.selector"));
  const labels = spec.template?.metadata?.labels;
  if (!selectorMatches(spec.selector, labels ?? {})) {
    causes.push(
      invalidValue("spec.template.metadata.labels", printLabels(labels), "`selector` does not match template `labels`"),
    );
  }
  return causes;
}

/** Pods of indexed jobs are called after their index. */
function checkPodNames({ metadata, spec }: Job): StatusCause[] {
  if (spec.completionMode !== "Indexed" || !spec.completions || spec.completions < 0) return [];
  const longest = `${metadata.name}-${spec.completions - 1}`;
  return checkDns1123Label(longest).length === 0
    ? []
    : [invalidValue("metadata.name", metadata.name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

const checkJob = (job: Job, old?: Job) => [
  ...checkGeneratedSelector(job, old),
  ...checkSpec(job.spec),
  ...checkPodNames(job),
];

function checkCompletions(spec: JobSpec, old: JobSpec): StatusCause[] {
  if (spec.completions === old.completions) return [];
  if (spec.completionMode !== "Indexed") {
    return [invalidValue("spec.completions", spec.completions, FIELD_IMMUTABLE)];
  }
  return spec.completions === undefined || spec.completions === spec.parallelism
    ? []
    : [invalidValue("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism")];
}

/** Where pods of a job that does not run may go, and what they may use, can still be decided. */
function withSchedulingOf(old: PodTemplateSpec, template: PodTemplateSpec): PodTemplateSpec {
  const { nodeAffinity: _before, ...affinity } = old.spec?.affinity ?? {};
  const nodeAffinity = template.spec?.affinity?.nodeAffinity;
  const merged = { ...affinity, ...(nodeAffinity ? { nodeAffinity } : {}) };
  const isNone = Object.keys(merged).length === 0 && template.spec?.affinity === undefined;
  const spec: PodSpec = {
    ...(old.spec ?? { containers: [] }),
    affinity: isNone ? undefined : merged,
    nodeSelector: template.spec?.nodeSelector,
    tolerations: template.spec?.tolerations,
    schedulingGates: template.spec?.schedulingGates,
  };
  return {
    ...old,
    metadata: {
      ...old.metadata,
      labels: template.metadata?.labels,
      annotations: template.metadata?.annotations,
    },
    spec,
  };
}

function withResourcesOf(old: PodSpec, spec: PodSpec): PodSpec {
  const merged = { ...old };
  for (const list of ["containers", "initContainers"] as const) {
    const [before, after] = [old[list] ?? [], spec[list] ?? []];
    if (before.length !== after.length || before.length === 0) continue;
    merged[list] = before.map((container, i) =>
      container.name === after[i]?.name ? { ...container, resources: after[i]?.resources } : container,
    );
  }
  return merged;
}

/** The internal type, as upstream prints it: ObjectMeta is embedded in it. */
const printTemplate = ({ metadata, spec }: PodTemplateSpec) => ({
  ...orderedMeta(metadata ?? {}),
  Spec: renderInternal(spec, "PodSpec"),
});

/** In the order of the Go type. */
function orderedMeta({ labels, annotations, ...meta }: Partial<ObjectMeta>): Record<string, unknown> {
  const { ownerReferences, finalizers, managedFields, ...first } = meta;
  const fields = { ...first, labels: printLabels(labels), annotations: printLabels(annotations) };
  return Object.fromEntries(
    Object.entries({ ...fields, ownerReferences, finalizers, managedFields }).filter(([, value]) => value != null),
  );
}

function checkTemplateUpdate({ spec }: Job, old: Job): StatusCause[] {
  const isIdle =
    old.spec.suspend === true &&
    (old.status?.startTime === undefined || isSuspendedByStatus(old)) &&
    (old.status?.active ?? 0) === 0;
  const { template } = spec;
  if (!isIdle) {
    return isEqual(template, old.spec.template)
      ? []
      : [invalidValue("spec.template", printTemplate(template), FIELD_IMMUTABLE)];
  }
  const before = withSchedulingOf(old.spec.template, template);
  const allowed = before.spec && template.spec ? withResourcesOf(before.spec, template.spec) : before.spec;
  if (isEqual(template.spec, allowed)) return [];
  return [invalidValue("spec.template.spec", renderInternal(template.spec, "PodSpec"), FIELD_IMMUTABLE)];
}

function validateUpdate(job: Job, old: Job): StatusCause[] {
  const fixed = (name: "selector" | "completionMode" | "backoffLimitPerIndex" | "managedBy") =>
    isEqual(job.spec[name], old.spec[name]) ? [] : [invalidValue(`spec.${name}`, job.spec[name], FIELD_IMMUTABLE)];
  const { podFailurePolicy, successPolicy } = job.spec;
  return [
    ...checkJob(job, old),
    ...validateObjectMetaUpdate(job.metadata, old.metadata),
    ...validateStandardFinalizers(job.metadata),
    ...checkSpec(job.spec),
    ...checkCompletions(job.spec, old.spec),
    ...fixed("selector"),
    ...checkTemplateUpdate(job, old),
    ...fixed("completionMode"),
    ...(isEqual(podFailurePolicy, old.spec.podFailurePolicy)
      ? []
      : [
          invalidValue(
            "spec.podFailurePolicy",
            podFailurePolicy ? printFailurePolicy(podFailurePolicy) : null,
            FIELD_IMMUTABLE,
          ),
        ]),
    ...fixed("backoffLimitPerIndex"),
    ...fixed("managedBy"),
    ...(isEqual(successPolicy, old.spec.successPolicy)
      ? []
      : [
          invalidValue("spec.successPolicy", successPolicy ? printSuccessPolicy(successPolicy) : null, FIELD_IMMUTABLE),
        ]),
  ];
}

/** Labels of the template stand for those of a job that has none. */
function applyLabelDefaults({ metadata, spec }: Job): void {
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}

export const JOB_STRATEGY: Strategy<Job> = {
  checksMetaAgain: true,
  // Its own check of the changes comes later, after that of the spec.
  checksMetaUpdateOnce: true,
  applyDefaults: (job) => {
    if (!job.spec) return;
    applyJobTemplateDefaults(job.spec);
    applyJobDefaults(job.spec);
    applyLabelDefaults(job);
  },
  prepareForCreate: (job) => {
    generateSelector(job);
    dropDisabledTemplateFields(job.spec.template);
    job.status = {};
  },
  prepareForUpdate: ({ spec }) => dropDisabledTemplateFields(spec.template),
  validate: (job) => checkJob(job),
  validateUpdate,
  // The template is there only now: the body of a status need not have one.
  prepareForStatusUpdate: applyLabelDefaults,
  validateStatusUpdate: checkJobStatusUpdate,
  warnings: ({ metadata, spec }, old) => {
    if (!old) return [...hostnameWarnings(metadata.name), ...jobWarnings(spec, "spec")];
    return isEqual(spec, old.spec) ? [] : jobWarnings(spec, "spec");
  },
  fields: ({ status }) => ({ "status.successful": String(status?.succeeded ?? 0) }),
};
