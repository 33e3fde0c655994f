import { fieldForbidden, inclusiveRange, invalidValue, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Affinity, Container, NodeSelectorTerm, Pod, PodSpec, Toleration } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { diffInternal } from "../internal-form/index.ts";
import { checkTolerations } from "../pod-spec/index.ts";
import { validatePodChange } from "./pod-checks.ts";

const UPDATABLE =
  "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

function checkContainersUpdate(now: Container[], before: Container[], path: string): StatusCause[] {
  if (now.length !== before.length) return [fieldForbidden(path, "pod updates may not add or remove containers")];
  return now.flatMap(({ image = "" }, index) => {
    const field = `${path}[${index}].image`;
    const missing = image === "" ? [required(field)] : [];
    return image.trim() === image
      ? missing
      : [...missing, invalidValue(field, image, "must not have leading or trailing whitespace")];
  });
}

const MAX_INT32 = 2_147_483_647;

/** `activeDeadlineSeconds` may be set or shortened. */
function checkDeadlineUpdate(pod: Pod, old: Pod): StatusCause[] {
  const field = "spec.activeDeadlineSeconds";
  const [now, before] = [pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds];
  if (now === undefined) {
    return before === undefined
      ? []
      : [invalidValue(field, null, "must not update from a positive integer to nil value")];
  }
  if (now < 0 || now > MAX_INT32) return [invalidValue(field, now, inclusiveRange(0, MAX_INT32))];
  return before !== undefined && before < now
    ? [invalidValue(field, now, "must be less than or equal to previous value")]
    : [];
}

/** Old tolerations stay, at most with another time; new ones may join. */
function checkTolerationsUpdate(now: Toleration[], before: Toleration[], path: string): StatusCause[] {
  const kept = before.every((old) =>
    now.some((toleration) => isEqual({ ...old, tolerationSeconds: toleration.tolerationSeconds }, toleration)),
  );
  return kept
    ? checkTolerations(now, path)
    : [fieldForbidden(path, "existing toleration can not be modified except its tolerationSeconds")];
}

/** Gates are only ever taken away. */
function checkGatesUpdate({ spec }: Pod, { spec: old }: Pod): StatusCause[] {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    known.has(name)
      ? []
      : [
          fieldForbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

function checkNodeSelectorUpdate(now: Record<string, string> = {}, before: Record<string, string> = {}): StatusCause[] {
  return Object.entries(before).every(([key, value]) => now[key] === value)
    ? []
    : [
        invalidValue(
          "spec.nodeSelector",
          now,
          "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
        ),
      ];
}

/** Requirements may be added to a term that has some. */
function onlyAdds(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  if (lists.every((name) => (old[name] ?? []).length === 0))
    return lists.every((name) => (term[name] ?? []).length === 0);
  return lists.every((name) => {
    const before = old[name] ?? [];
    return isEqual((term[name] ?? []).slice(0, before.length), before);
  });
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

function checkNodeAffinityUpdate(now: Affinity["nodeAffinity"], before: Affinity["nodeAffinity"]): StatusCause[] {
  const oldTerms = before?.[REQUIRED]?.nodeSelectorTerms;
  if (!oldTerms) return [];
  const terms = now?.[REQUIRED]?.nodeSelectorTerms ?? [];
  const path = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
    return [invalidValue(path, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")];
  }
  return oldTerms.flatMap((old, index) =>
    onlyAdds(terms[index] ?? {}, old)
      ? []
      : [invalidValue(`${path}[${index}]`, terms[index], "only additions are allowed (no mutations or deletions)")],
  );
}

const withImagesOf = (containers: Container[] | undefined, old: Container[] | undefined) =>
  containers?.map((container, index) => ({ ...container, image: old?.[index]?.image }));

/** The new spec with all that may change set back: what still differs must not. */
function withoutAllowedChanges(spec: PodSpec, old: PodSpec): PodSpec {
  const graceFixed =
    (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1
      ? old.terminationGracePeriodSeconds
      : spec.terminationGracePeriodSeconds;
  return {
    ...spec,
    containers: withImagesOf(spec.containers, old.containers) ?? [],
    initContainers: withImagesOf(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    terminationGracePeriodSeconds: graceFixed,
  };
}

/** A gated pod's node selector and affinity may be narrowed; both are set back in `munged` once checked. */
function checkGatedUpdate(munged: PodSpec, old: PodSpec): StatusCause[] {
  const causes: StatusCause[] = [];
  if (!isEqual(munged.nodeSelector, old.nodeSelector)) {
    causes.push(...checkNodeSelectorUpdate(munged.nodeSelector, old.nodeSelector));
    munged.nodeSelector = old.nodeSelector;
  }
  const [now, before] = [munged.affinity?.nodeAffinity, old.affinity?.nodeAffinity];
  if (!isEqual(now, before)) {
    causes.push(...checkNodeAffinityUpdate(now, before));
    const { nodeAffinity: _now, ...others } = munged.affinity ?? {};
    const rest = before ? { ...others, nodeAffinity: before } : others;
    munged.affinity = Object.keys(rest).length > 0 || old.affinity ? rest : undefined;
  }
  return causes;
}

/** An update of a pod itself; subresources have their own rules. */
export function validatePodUpdate(pod: Pod, old: Pod): StatusCause[] {
  const causes = validatePodChange(pod, old);
  for (const name of ["containers", "initContainers"] as const) {
    const [now, before] = [pod.spec[name] ?? [], old.spec[name] ?? []];
    causes.push(...checkContainersUpdate(now, before, `spec.${name}`));
    if (now.length !== before.length) return causes;
  }
  const deadline = checkDeadlineUpdate(pod, old);
  causes.push(...deadline);
  if (deadline.length > 0 && pod.spec.activeDeadlineSeconds !== undefined) return causes;
  causes.push(
    ...checkTolerationsUpdate(pod.spec.tolerations ?? [], old.spec.tolerations ?? [], "spec.tolerations"),
    ...checkGatesUpdate(pod, old),
  );
  if (isEqual(pod.spec, old.spec)) return causes;
  const munged = withoutAllowedChanges(pod.spec, old.spec);
  if ((old.spec.schedulingGates ?? []).length > 0) causes.push(...checkGatedUpdate(munged, old.spec));
  if (!isEqual(munged, old.spec)) {
    causes.push(
      fieldForbidden(
        "spec",
        `pod updates may not change fields other than ${UPDATABLE}\n${diffInternal(old.spec, munged, "PodSpec")}`,
      ),
    );
  }
  return causes;
}
