import { fieldForbidden, invalidValue } from "../../../../shared/api/field-error.ts";
import { isSidecar, qosClass } from "../../../../shared/api/pod-requests.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Container, Pod, ResourceRequirements } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { isMirrorPod, validatePodChange } from "./pod-checks.ts";

type Amounts = Record<string, string> | undefined;

const ONLY_CPU_AND_MEMORY = "only cpu and memory resources";

/** Checks of a write to `pods/resize` (KEP-1287, KEP-5419), ObjectMeta apart. */
export function validateResize(pod: Pod, old: Pod): StatusCause[] {
  if (isMirrorPod(old)) return [fieldForbidden("[]", "static pods cannot be resized")];
  if (old.spec.os?.name === "windows") return [fieldForbidden("[]", "windows pods cannot be resized")];
  const causes = validatePodChange(pod, old);
  if (qosClass(pod.spec) !== (old.status?.qosClass ?? qosClass(old.spec))) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    causes.push(invalidValue("spec", pod.status?.qosClass ?? "", detail));
  }
  if (!isSupportedByNode(old)) {
    causes.push(fieldForbidden("spec", "Pod running on node without support for resize"));
  }
  const munged = { ...pod.spec };
  if (hasAmounts(pod.spec.resources) || hasAmounts(old.spec.resources)) {
    causes.push(...checkPodLevel(pod.spec.resources, old.spec.resources));
    munged.resources = withAmountsOf(pod.spec.resources, old.spec.resources);
  }
  const order = LISTS.flatMap((list) => checkOrder(pod.spec[list] ?? [], old.spec[list] ?? [], list));
  if (order.length > 0) return [...causes, ...order];
  for (const list of ["initContainers", "containers"] as const) {
    for (const [i, before] of (old.spec[list] ?? []).entries()) {
      causes.push(...checkKept(pod.spec[list]?.[i]?.resources, before.resources, `spec.${list}[${i}].resources`));
    }
  }
  for (const list of LISTS) {
    const before = old.spec[list] ?? [];
    const mungedList = (pod.spec[list] ?? []).map((container, i) => withResourcesOf(container, before[i]!));
    for (const [i, container] of mungedList.entries()) {
      const change = { container, wanted: pod.spec[list]![i]!, before: before[i]! };
      causes.push(...(list === "containers" ? checkContainer(change) : checkInitContainer(change, i)));
    }
    munged[list] = mungedList;
  }
  if (causes.length > 0 || isEqual(munged, old.spec)) return causes;
  return [fieldForbidden("spec", `${ONLY_CPU_AND_MEMORY} are mutable`)];
}

const LISTS = ["containers", "initContainers"] as const;

/** A kubelet that knows of resizing reports the resources of running containers. */
function isSupportedByNode({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running);
  return !running || running.resources !== undefined;
}

const hasAmounts = (resources: ResourceRequirements | undefined): boolean =>
  Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;

const isRemoved = (now: Amounts = {}, before: Amounts = {}): boolean =>
  Object.keys(before).length > Object.keys(now).length || Object.keys(before).some((name) => !(name in now));

/** Amounts may change, and not go away. */
function checkKept(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
  path: string,
  what = "resource",
): StatusCause[] {
  return (["requests", "limits"] as const)
    .filter((list) => isRemoved(now?.[list], before?.[list]))
    .map((list) => fieldForbidden(`${path}.${list}`, `${what} ${list} cannot be removed`));
}

function checkPodLevel(now: ResourceRequirements | undefined, before: ResourceRequirements | undefined): StatusCause[] {
  if (before && !now) return [fieldForbidden("spec.resources", "pod-level resources cannot be removed")];
  const causes = before ? checkKept(now, before, "spec.resources", "pod-level resource") : [];
  if (isEqual(withAmountsOf(now, before), before)) return causes;
  return [...causes, fieldForbidden("spec", `${ONLY_CPU_AND_MEMORY} are mutable at pod-level`)];
}

/** With cpu and memory as they were, so that what is left of the difference is forbidden. */
function withAmountsOf(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
): ResourceRequirements | undefined {
  if (!now) return undefined;
  const munged = {
    ...now,
    requests: withCpuAndMemoryOf(now.requests, before?.requests),
    limits: withCpuAndMemoryOf(now.limits, before?.limits),
  };
  const isNothing = !hasAmounts(munged) && (munged.claims ?? []).length === 0;
  return !before && isNothing ? undefined : munged;
}

function withCpuAndMemoryOf(now: Amounts, before: Amounts): Amounts {
  const { cpu: _cpu, memory: _memory, ...others } = now ?? {};
  const munged = {
    ...others,
    ...(before?.cpu === undefined ? {} : { cpu: before.cpu }),
    ...(before?.memory === undefined ? {} : { memory: before.memory }),
  };
  return Object.keys(munged).length > 0 ? munged : undefined;
}

/** A container's claims are left out, as upstream does: one that has any cannot be resized. */
function withResourcesOf(container: Container, before: Container): Container {
  const { requests, limits } = withAmountsOf(container.resources ?? {}, before.resources ?? {}) ?? {};
  return { ...container, resources: { ...(requests ? { requests } : {}), ...(limits ? { limits } : {}) } };
}

function checkOrder(now: Container[], before: Container[], list: string): StatusCause[] {
  if (now.length !== before.length) {
    return [fieldForbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return before.flatMap(({ name }, i) =>
    now[i]!.name === name
      ? []
      : [fieldForbidden(`spec.${list}[${i}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

/** A container as it is wanted, the same with the old cpu and memory, and as it was. */
interface Change {
  container: Container;
  wanted: Container;
  before: Container;
}

/** No resources and none set are one: the wire form leaves an empty struct out of old objects. */
const isUnchanged = (container: Container, before: Container): boolean =>
  isEqual({ ...container, resources: container.resources ?? {} }, { ...before, resources: before.resources ?? {} });

const checkContainer = ({ container, before }: Change): StatusCause[] =>
  isUnchanged(container, before) ? [] : [fieldForbidden("spec", `${ONLY_CPU_AND_MEMORY} are mutable`)];

function checkInitContainer({ container, wanted, before }: Change, index: number): StatusCause[] {
  const field = `spec.initContainers[${index}]`;
  const causes = isUnchanged(container, before)
    ? []
    : [fieldForbidden(field, `${ONLY_CPU_AND_MEMORY} for init or sidecar containers are mutable`)];
  if (isSidecar(wanted) || isUnchanged(wanted, before)) return causes;
  for (const { restartPolicy } of wanted.resizePolicy ?? []) {
    if (restartPolicy !== "RestartContainer") continue;
    const why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
    causes.push(fieldForbidden(field, why));
  }
  return causes;
}
