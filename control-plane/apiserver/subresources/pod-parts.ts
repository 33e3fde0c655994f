import type { KubeObject } from "../../../shared/api/object.ts";
import { patchPart } from "../handlers/patch.ts";
import { updatePart } from "../handlers/update.ts";
import type { UpdatePart } from "../handlers/update-object.ts";
import type { Handler } from "../resource-request.ts";
import { isEqual } from "../strategy/equality.ts";
import {
  type Strategy,
  validateEphemeralContainersUpdate,
  validateForUpdate,
  validateResize,
} from "../strategy/index.ts";

interface Container {
  name: string;
  resources?: unknown;
  resizePolicy?: unknown;
}

interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  resources?: unknown;
  [field: string]: unknown;
}

const specOf = (pod: KubeObject) => (pod.spec ?? {}) as PodSpec;

type PodCheck = typeof validateResize;

/**
 * All of the pod but what the part may change comes from what is stored, labels and annotations included.
 * @param change the spec to be; undefined leaves the pod as it was sent, to be refused
 */
function restrictTo(change: (spec: PodSpec, old: PodSpec) => PodSpec | undefined, check: PodCheck): UpdatePart {
  const validateUpdate = check as unknown as Strategy["validateUpdate"];
  return {
    prepare(pod, old) {
      const spec = change(specOf(pod), specOf(old));
      if (spec === undefined) return;
      for (const field of Object.keys(pod)) if (field !== "metadata") delete pod[field];
      const { metadata, ...rest } = old;
      Object.assign(pod, rest, { spec });
      for (const field of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
        delete pod.metadata[field];
        if (metadata[field] !== undefined) Object.assign(pod.metadata, { [field]: metadata[field] });
      }
      if (!isEqual(spec, specOf(old))) pod.metadata.generation = (metadata.generation ?? 0) + 1;
    },
    validate: (pod, old) => validateForUpdate({ validateUpdate }, pod, old, true),
  };
}

/** `pods/<name>/ephemeralcontainers`: debug containers can be added, and that is all. */
const ephemeralContainersPart = restrictTo(({ ephemeralContainers }, { ephemeralContainers: _old, ...rest }) => {
  return { ...rest, ...(ephemeralContainers ? { ephemeralContainers } : {}) };
}, validateEphemeralContainersUpdate);

/** `pods/<name>/resize`: the resources of running containers. Other containers than there are remain, to be refused. */
const resizePart = restrictTo((spec, old) => {
  const { resources } = spec;
  // Required lists are null when they were not sent.
  const [containers, initContainers] = [spec.containers ?? [], spec.initContainers ?? []];
  if (containers.length !== old.containers?.length) return undefined;
  if (initContainers.length !== (old.initContainers?.length ?? 0)) return undefined;
  const { resources: _old, ...rest } = old;
  return {
    ...rest,
    containers: resized(containers, old.containers),
    ...(old.initContainers ? { initContainers: resized(initContainers, old.initContainers) } : {}),
    ...(resources === undefined ? {} : { resources }),
  };
}, validateResize);

function resized(wanted: Container[], old: Container[]): Container[] {
  if (wanted.some(({ name }, index) => name !== old[index]?.name)) return wanted;
  return old.map(({ resources: _resources, resizePolicy: _policy, ...container }, index) => {
    const { resources, resizePolicy } = wanted[index]!;
    return {
      ...container,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}

export const updateEphemeralContainers: Handler = (request) => updatePart(request, ephemeralContainersPart);
export const patchEphemeralContainers: Handler = (request) => patchPart(request, ephemeralContainersPart);
export const updateResize: Handler = (request) => updatePart(request, resizePart);
export const patchResize: Handler = (request) => patchPart(request, resizePart);
