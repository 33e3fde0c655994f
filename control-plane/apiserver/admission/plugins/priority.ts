import type { KubeObject } from "../../../../shared/api/object.ts";
import { type AdmissionPlugin, type AdmissionRequest, refuse, specOf, targetOf } from "../plugin.ts";

const PRIORITY_CLASSES = { group: "scheduling.k8s.io", resource: "priorityclasses" };

interface PriorityClass extends KubeObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

interface PodSpec {
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
}

/** Resolves a new pod's priority class to a number; there is at most one class that is the default. */
export const priority: AdmissionPlugin = {
  name: "Priority",

  admit(request) {
    const target = targetOf(request.attributes);
    if (target === "pods" && request.operation === "CREATE") return admitPod(request);
    if (target === "pods" && request.operation === "UPDATE") keepPriority(request);
  },

  validate(request) {
    const isClass = targetOf(request.attributes) === "priorityclasses.scheduling.k8s.io";
    if (!isClass) return;
    if (request.operation === "DELETE") return keepSystemClass(request);
    return validateClass(request);
  },
};

async function admitPod(request: AdmissionRequest): Promise<void> {
  const spec = specOf(request.object!) as PodSpec;
  const found = spec.priorityClassName ? await findClass(request, spec.priorityClassName) : await defaultClass(request);
  const value = found?.value ?? 0;
  const policy = found?.preemptionPolicy ?? "PreemptLowerPriority";
  if (found) spec.priorityClassName = found.metadata.name;
  if (spec.priority !== undefined && spec.priority !== null && spec.priority !== value) {
    throw refuse(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  // Empty is a value here: it stands behind a pointer.
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = policy;
}

async function findClass(request: AdmissionRequest, name: string): Promise<PriorityClass> {
  const found = await request.reader.get(PRIORITY_CLASSES, name);
  if (!found) throw refuse(request, `no PriorityClass with name ${name} was found`);
  return found as PriorityClass;
}

/** Should there be two, made at the same moment, the lower one counts. */
async function defaultClass({ reader }: AdmissionRequest): Promise<PriorityClass | undefined> {
  const classes = (await reader.list(PRIORITY_CLASSES)) as PriorityClass[];
  return classes.filter(({ globalDefault }) => globalDefault).sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

/** A client that knows nothing of the fields sends them back empty. */
function keepPriority({ object, old }: AdmissionRequest): void {
  const spec = specOf(object!) as PodSpec;
  const before = (old!.spec ?? {}) as PodSpec;
  spec.priority ??= before.priority;
  spec.preemptionPolicy ??= before.preemptionPolicy;
}

const SYSTEM_CLASSES = ["system-cluster-critical", "system-node-critical"];

function keepSystemClass(request: AdmissionRequest): void {
  if (!SYSTEM_CLASSES.includes(request.old?.metadata.name ?? "")) return;
  throw refuse(request, "this is a system priority class and cannot be deleted");
}

async function validateClass(request: AdmissionRequest): Promise<void> {
  const { object, operation } = request;
  if (!(object as PriorityClass).globalDefault) return;
  const present = await defaultClass(request);
  if (!present || (operation === "UPDATE" && present.metadata.name === object!.metadata.name)) return;
  throw refuse(
    request,
    `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`,
  );
}
