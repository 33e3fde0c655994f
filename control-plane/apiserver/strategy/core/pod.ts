import { fieldForbidden, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label } from "../../../../shared/api/names.ts";
import { applyPodOnlyDefaults, applyPodSpecDefaults } from "../../../../shared/api/pod-defaults.ts";
import { isPodTerminal } from "../../../../shared/api/pod-phase.ts";
import { qosClass } from "../../../../shared/api/pod-requests.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { LabelSelector, Pod, PodAffinityTerm, PodStatus } from "../../../../shared/api/types.ts";
import { copyAppArmorAnnotations } from "../pod-spec/app-armor.ts";
import { checkProfilesAgree, dropDisabledFields } from "../pod-spec/index.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";
import { validatePodMetaAndSpec } from "./pod-checks.ts";
import { podStatusWarnings, validatePodStatusUpdate } from "./pod-status.ts";
import { validatePodUpdate } from "./pod-update.ts";

function applyDefaults(pod: Pod): void {
  pod.spec ??= { containers: [] };
  applyPodSpecDefaults(pod.spec);
  applyPodOnlyDefaults(pod.spec);
  if (pod.status) settleAddresses(pod.status);
}

/** `podIP` and `podIPs` say the same; where they differ the older field has the last word. */
function settleAddresses(status: NonNullable<Pod["status"]>): void {
  const { podIP = "", podIPs = [] } = status;
  if (podIP !== "" && podIPs[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  const first = status.podIPs?.[0]?.ip;
  if (first) status.podIP = first;
}

/** Selectors of affinity and spreading take in the pod's own values of `matchLabelKeys` (KEP-3633, KEP-3243). */
function mergeLabelKeys(pod: Pod): void {
  const labels = pod.metadata.labels ?? {};
  const merge = (selector: LabelSelector | undefined, keys: string[] | undefined, operator: "In" | "NotIn") => {
    if (!selector) return;
    for (const key of keys ?? []) {
      const value = labels[key];
      if (value === undefined) continue;
      selector.matchExpressions = [...(selector.matchExpressions ?? []), { key, operator, values: [value] }];
    }
  };
  const mergeTerm = (term: PodAffinityTerm | undefined) => {
    merge(term?.labelSelector, term?.matchLabelKeys, "In");
    merge(term?.labelSelector, term?.mismatchLabelKeys, "NotIn");
  };
  for (const affinity of [pod.spec.affinity?.podAffinity, pod.spec.affinity?.podAntiAffinity]) {
    for (const weighted of affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
      mergeTerm(weighted.podAffinityTerm);
    }
    for (const term of affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) mergeTerm(term);
  }
  for (const constraint of pod.spec.topologySpreadConstraints ?? []) {
    merge(constraint.labelSelector, constraint.matchLabelKeys, "In");
  }
}

function prepareForCreate(pod: Pod): void {
  dropDisabledFields(pod.spec);
  copyAppArmorAnnotations(pod.spec, pod.metadata.annotations);
  pod.status = { phase: "Pending", qosClass: qosClass(pod.spec) };
  if ((pod.spec.schedulingGates ?? []).length > 0) {
    pod.status.conditions = [
      {
        type: "PodScheduled",
        status: "False",
        // Written even when it is not set, as upstream does.
        lastProbeTime: null as unknown as undefined,
        // The server's clock has set the creation; the condition is as old.
        lastTransitionTime: pod.metadata.creationTimestamp,
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ];
  }
  mergeLabelKeys(pod);
}

function validate(pod: Pod): StatusCause[] {
  const causes = validatePodMetaAndSpec(pod);
  if ((pod.spec.ephemeralContainers ?? []).length > 0) {
    causes.push(fieldForbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (pod.spec.nodeName && (pod.spec.schedulingGates ?? []).length > 0) {
    causes.push(fieldForbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  return [...causes, ...checkProfilesAgree(pod.metadata.annotations, pod.spec, "spec")];
}

/** What the spec says, a request may shorten; a pod that never ran goes at once. */
function gracePeriodSeconds(pod: Pod, requested: number | undefined): number {
  if (!pod.spec.nodeName || isPodTerminal(pod)) return 0;
  const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

function fields(pod: Pod): Record<string, string> {
  const { spec, status } = pod;
  return {
    "spec.nodeName": spec.nodeName ?? "",
    "spec.restartPolicy": spec.restartPolicy ?? "",
    "spec.schedulerName": spec.schedulerName ?? "",
    "spec.serviceAccountName": spec.serviceAccountName ?? "",
    "spec.hostNetwork": String(spec.hostNetwork ?? false),
    "status.phase": status?.phase ?? "",
    "status.podIP": status?.podIPs?.[0]?.ip ?? status?.podIP ?? "",
    "status.nominatedNodeName": status?.nominatedNodeName ?? "",
  };
}

function warnings(pod: Pod, old?: Pod): string[] {
  if (old) return [];
  const messages = checkDns1123Label(pod.metadata.name);
  const name =
    messages.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${messages.join(" ")}]`,
        ];
  return [...name, ...podWarnings({ metadata: pod.metadata, spec: pod.spec }, "")];
}

function keep<T extends object>(target: T, source: T, field: keyof T): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}

/** Behind feature gates that are off in 1.36 (DRANodeAllocatableResources, ImageVolumeWithDigest). */
function dropDisabledStatus(status: PodStatus): void {
  delete status.nodeAllocatableResourceClaimStatuses;
  for (const list of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    for (const { volumeMounts = [] } of status[list] ?? []) {
      for (const mount of volumeMounts) delete mount.volumeStatus;
    }
  }
}

/** Status writes leave the class alone that was found at creation. */
function prepareForStatusUpdate(pod: Pod, old: Pod): void {
  pod.status ??= {};
  dropDisabledStatus(pod.status);
  if (!pod.status.qosClass) keep(pod.status, old.status ?? {}, "qosClass");
  if (!pod.status.observedGeneration) keep(pod.status, old.status ?? {}, "observedGeneration");
  const generations = new Map<string, number[]>();
  for (const { type, observedGeneration = 0 } of old.status?.conditions ?? []) {
    generations.set(type, [...(generations.get(type) ?? []), observedGeneration]);
  }
  for (const condition of pod.status.conditions ?? []) {
    const before = generations.get(condition.type)?.shift() ?? 0;
    if (!condition.observedGeneration && before > 0) condition.observedGeneration = before;
  }
}

export const POD_STRATEGY: Strategy<Pod> = {
  applyDefaults,
  prepareForCreate,
  prepareForUpdate: ({ spec }) => dropDisabledFields(spec),
  metaKeptFromStatus: ["deletionTimestamp", "ownerReferences"],
  prepareForStatusUpdate,
  validate,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  warnings,
  statusWarnings: podStatusWarnings,
  fields,
  gracePeriodSeconds,
};

/** A Binding of a pod, before it is carried out. */
export function validateBinding(binding: { target?: { kind?: string; name?: string } }): StatusCause[] {
  const { kind = "", name = "" } = binding.target ?? {};
  const causes = kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])];
  if (name === "") causes.push(required("target.name"));
  return causes;
}
