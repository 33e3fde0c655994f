import { jsonEqual } from "../../../../shared/api/json.ts";
import { failure } from "../../../../shared/api/status.ts";
import type { Pod, PodSpec, RuntimeClass, Toleration } from "../../../../shared/api/types.ts";
import { type AdmissionPlugin, type AdmissionRequest, nameError, refuse, specOf, targetOf } from "../plugin.ts";

const RUNTIME_CLASSES = { group: "node.k8s.io", resource: "runtimeclasses" };
const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const NO_CLASS = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";

/** Gives a new pod what its runtime class costs, and what the class asks of nodes (KEP-688, KEP-894). */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",

  admit(request) {
    const { runtimeClassName } = newPodSpec(request) ?? {};
    if (runtimeClassName !== undefined) return admitPod(request, runtimeClassName);
  },

  validate(request) {
    const spec = newPodSpec(request);
    if (spec?.overhead === undefined && spec?.runtimeClassName === undefined) return;
    return checkOverhead(request, spec);
  },
};

function newPodSpec({ operation, attributes, object }: AdmissionRequest): PodSpec | undefined {
  if (operation !== "CREATE" || targetOf(attributes) !== "pods") return undefined;
  return specOf(object!) as Pod["spec"];
}

/** Past the cache when it is not there: a class is often made together with its first pod. */
async function findClass(request: AdmissionRequest, name: string): Promise<RuntimeClass> {
  const { reader } = request;
  const error = nameError(name);
  if (error) throw failure(500, "", error);
  const found = (await reader.get(RUNTIME_CLASSES, name)) ?? (await reader.getLive(RUNTIME_CLASSES, name));
  if (!found) throw refuse(request, `pod rejected: RuntimeClass "${name}" not found`);
  return found as unknown as RuntimeClass;
}

async function admitPod(request: AdmissionRequest, name: string): Promise<void> {
  const { overhead, scheduling } = await findClass(request, name);
  const spec = newPodSpec(request)!;
  if (overhead) {
    const { podFixed } = overhead;
    if (Object.keys(spec.overhead ?? {}).length > 0 && !sameAmounts(podFixed, spec.overhead)) {
      throw refuse(request, MISMATCH);
    }
    if (podFixed) spec.overhead = { ...podFixed };
  }
  if (!scheduling) return;
  const { nodeSelector, tolerations = [] } = scheduling;
  for (const [key, wanted] of Object.entries(nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === wanted) continue;
    const [ofClass, ofPod] = [`runtimeClass.scheduling.nodeSelector[${key}]`, `pod.spec.nodeSelector[${key}]`];
    throw refuse(request, `conflict: ${ofClass} = ${wanted}; ${ofPod} = ${own}`);
  }
  if (nodeSelector) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  if (tolerations.length > 0) spec.tolerations = mergeTolerations([...(spec.tolerations ?? []), ...tolerations]);
}

async function checkOverhead(request: AdmissionRequest, { overhead, runtimeClassName }: PodSpec): Promise<void> {
  const found = runtimeClassName !== undefined ? await findClass(request, runtimeClassName) : undefined;
  if (found?.overhead && !sameAmounts(found.overhead.podFixed, overhead)) throw refuse(request, MISMATCH);
  if (!found?.overhead && overhead !== undefined) throw refuse(request, NO_CLASS);
}

const sameAmounts = (a: Record<string, string> = {}, b: Record<string, string> = {}) => jsonEqual(a, b);

/** Leaves out each toleration that another one covers; of two equal ones the first stays. */
function mergeTolerations(all: Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const isCovered = merged.some((other) => covers(other, toleration));
    const isCoveredLater = all
      .slice(index + 1)
      .some((later) => covers(later, toleration) && !covers(toleration, later));
    if (!isCovered && !isCoveredLater) merged.push(toleration);
  }
  return merged;
}

/** Whether `wide` tolerates all that `narrow` does. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  const wideOperator = wide.operator || "Equal";
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (narrow.effect === "NoExecute" || !narrow.effect) {
    if (wide.tolerationSeconds !== undefined) {
      if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
    }
  }
  if (!wide.key) return wideOperator === "Exists";
  if (wide.key !== narrow.key) return false;
  return wideOperator === "Exists" || ((narrow.operator || "Equal") === "Equal" && wide.value === narrow.value);
}
