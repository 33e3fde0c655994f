import {
  duplicate,
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label } from "../../../../shared/api/names.ts";
import { validateLabels } from "../../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PriorityClass, RuntimeClass, Toleration } from "../../../../shared/api/types.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { renderInternal } from "../internal-form/index.ts";
import { checkResourceRequirements, checkTolerations } from "../pod-spec/index.ts";
import { DEPRECATED_LABELS } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";

const SYSTEM_PREFIX = "system-";
/** Classes that the cluster itself makes, and their values. */
const SYSTEM_CLASSES: Record<string, number> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};
const HIGHEST_USER_PRIORITY = 1_000_000_000;
const PREEMPTION_POLICIES = ["PreemptLowerPriority", "Never"];

function whyNotSystem({ metadata, value, globalDefault }: PriorityClass): string | undefined {
  const wanted = ownMember(SYSTEM_CLASSES, metadata.name);
  if (wanted === undefined) return `${metadata.name} is not a known system priority class`;
  if (value !== wanted) return `value of ${metadata.name} PriorityClass must be ${wanted}`;
  return globalDefault ? `globalDefault of ${metadata.name} PriorityClass must be false` : undefined;
}

function checkPriorityClass(priorityClass: PriorityClass): StatusCause[] {
  const { metadata, value, preemptionPolicy } = priorityClass;
  const causes: StatusCause[] = [];
  if (metadata.name.startsWith(SYSTEM_PREFIX)) {
    const why = whyNotSystem(priorityClass);
    const detail = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`;
    if (why !== undefined) causes.push(fieldForbidden("metadata.name", detail));
  } else if ((value ?? 0) > HIGHEST_USER_PRIORITY) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`;
    causes.push(fieldForbidden("value", detail));
  }
  if (preemptionPolicy === "") causes.push(required("preemptionPolicy"));
  else if (preemptionPolicy !== undefined && !PREEMPTION_POLICIES.includes(preemptionPolicy)) {
    causes.push(notSupported("preemptionPolicy", preemptionPolicy, PREEMPTION_POLICIES));
  }
  return causes;
}

export const PRIORITY_CLASS_STRATEGY: Strategy<PriorityClass> = {
  tracksGeneration: true,
  // Upstream sets it once, and counts no change.
  bumpsGeneration: () => false,
  applyDefaults: (priorityClass) => {
    priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validate: checkPriorityClass,
  validateUpdate: ({ value, preemptionPolicy }, old) => [
    ...((value ?? 0) === (old.value ?? 0) ? [] : [fieldForbidden("value", "may not be changed in an update.")]),
    ...(preemptionPolicy === old.preemptionPolicy
      ? []
      : [invalidValue("preemptionPolicy", preemptionPolicy, FIELD_IMMUTABLE)]),
  ],
};

function checkTolerationsDiffer(tolerations: Toleration[]): StatusCause[] {
  const seen = new Set<string>();
  return tolerations.flatMap((toleration, index) => {
    const { key = "", operator = "", value = "", effect = "" } = toleration;
    const id = JSON.stringify([key, operator, value, effect]);
    const causes = seen.has(id)
      ? [duplicate(`scheduling.tolerations[${index}]`, renderInternal(toleration, "Toleration"))]
      : [];
    seen.add(id);
    return causes;
  });
}

function checkRuntimeClass({ handler, overhead, scheduling }: RuntimeClass): StatusCause[] {
  const causes = handler
    ? checkDns1123Label(handler).map((message) => invalidValue("handler", handler, message))
    : [required("handler")];
  // Upstream looks at the overhead as the limits of a container.
  checkResourceRequirements({ causes, claimNames: new Set() }, { limits: overhead?.podFixed }, "overhead");
  if (scheduling) {
    causes.push(
      ...validateLabels(scheduling.nodeSelector, "scheduling.nodeSelector"),
      ...checkTolerations(scheduling.tolerations, "scheduling.tolerations"),
      ...checkTolerationsDiffer(scheduling.tolerations ?? []),
    );
  }
  return causes;
}

export const RUNTIME_CLASS_STRATEGY: Strategy<RuntimeClass> = {
  allowsAnyFinalizer: true,
  checksMetaAgain: true,
  allowCreateOnUpdate: true,
  requiresResourceVersion: true,
  validate: checkRuntimeClass,
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((label) => {
      const text = ownMember(DEPRECATED_LABELS, label);
      return text ? [`scheduling.nodeSelector: ${text}`] : [];
    }),
  validateUpdate: (runtimeClass, old) => [
    ...checkRuntimeClass(runtimeClass),
    ...(runtimeClass.handler === old.handler
      ? []
      : [invalidValue("handler", runtimeClass.handler ?? "", FIELD_IMMUTABLE)]),
  ],
};
