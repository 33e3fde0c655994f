import { fieldForbidden, invalidValue } from "../../../../shared/api/field-error.ts";
import { qosClass } from "../../../../shared/api/pod-requests.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Container, Pod, ResourceRequirements } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { diffInternal } from "../internal-form/index.ts";
import { checkPodAnnotationsUpdate, MIRROR_POD } from "../pod-spec/index.ts";
import { validatePodMetaAndSpec } from "./pod-checks.ts";

const isMirror = ({ metadata }: Pod) => metadata.annotations?.[MIRROR_POD] !== undefined;

/** Checks of a write to `pods/ephemeralcontainers`, ObjectMeta apart: containers are added and never change. */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod): StatusCause[] {
  if (isMirror(old)) return [fieldForbidden("[]", "static pods do not support ephemeral containers")];
  const causes = [
    ...validatePodMetaAndSpec(pod),
    ...checkPodAnnotationsUpdate(pod.metadata.annotations, old.metadata.annotations),
  ];
  const field = "spec.ephemeralContainers";
  for (const before of old.spec.ephemeralContainers ?? []) {
    const after = pod.spec.ephemeralContainers?.find(({ name }) => name === before.name);
    const which = `existing ephemeral containers ${JSON.stringify(before.name)}`;
    if (!after) causes.push(fieldForbidden(field, `${which} may not be removed\n`));
    else if (!isEqual(after, before)) {
      const diff = diffInternal(before, after, "EphemeralContainer");
      causes.push(fieldForbidden(field, `${which} may not be changed\n${diff}`));
    }
  }
  return causes;
}

const RESIZABLE = ["cpu", "memory"];

/** What a container uses of other resources than those that can be resized. */
function withoutResizable(container: Container): unknown {
  const rest = (amounts: Record<string, string> | undefined) =>
    Object.fromEntries(Object.entries(amounts ?? {}).filter(([name]) => !RESIZABLE.includes(name)));
  const { requests, limits, ...resources } = container.resources ?? {};
  return {
    ...container,
    resources: { ...resources, requests: rest(requests), limits: rest(limits) },
  };
}

/** Amounts may change, and not go away. */
function checkKept(now: ResourceRequirements | undefined, old: ResourceRequirements | undefined, path: string) {
  return (["requests", "limits"] as const)
    .filter((list) => Object.keys(old?.[list] ?? {}).some((name) => now?.[list]?.[name] === undefined))
    .map((list) => fieldForbidden(`${path}.${list}`, `resource ${list} cannot be removed`));
}

/** Checks of a write to `pods/resize`, ObjectMeta apart. */
export function validateResize(pod: Pod, old: Pod): StatusCause[] {
  if (isMirror(old)) return [fieldForbidden("[]", "static pods cannot be resized")];
  if (old.spec.os?.name === "windows") return [fieldForbidden("[]", "windows pods cannot be resized")];
  const causes = validatePodMetaAndSpec(pod);
  if (qosClass(pod.spec) !== (old.status?.qosClass ?? qosClass(old.spec))) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    causes.push(invalidValue("spec", pod.status?.qosClass ?? "", detail));
  }
  for (const list of ["initContainers", "containers"] as const) {
    const before: Container[] = old.spec[list] ?? [];
    for (const [i, container] of (pod.spec[list] ?? []).entries()) {
      const original = before[i];
      if (!original) continue;
      const path = `spec.${list}[${i}]`;
      causes.push(...checkKept(container.resources, original.resources, `${path}.resources`));
      if (isEqual(withoutResizable(container), withoutResizable(original))) continue;
      causes.push(
        list === "containers"
          ? fieldForbidden("spec", "only cpu and memory resources are mutable")
          : fieldForbidden(path, "only cpu and memory resources for init or sidecar containers are mutable"),
      );
    }
  }
  return causes;
}
