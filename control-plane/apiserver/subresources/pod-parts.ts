import type { KubeObject } from "../../../shared/api/object.ts";
import { patchPart } from "../handlers/patch.ts";
import { updatePart } from "../handlers/update.ts";
import type { UpdatePart } from "../handlers/update-object.ts";
import { sameObject } from "../object-text.ts";
import type { Handler } from "../resource-request.ts";
import { strategyFor, validateForStatusUpdate } from "../strategy/index.ts";

const PODS = { group: "", resource: "pods" };

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

/** All of the pod but what the part may change comes from what is stored. */
function restrictTo(change: (spec: PodSpec, old: PodSpec) => PodSpec): UpdatePart {
  return {
    prepare(pod, old) {
      const spec = change(specOf(pod), specOf(old));
      for (const field of Object.keys(pod)) if (field !== "metadata") delete pod[field];
      const { metadata: _metadata, ...rest } = old;
      Object.assign(pod, rest, { spec });
      if (!sameObject(spec, specOf(old))) pod.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    validate: (pod, old) => validateForStatusUpdate(strategyFor(PODS), pod, old, true),
  };
}

/** `pods/<name>/ephemeralcontainers`: debug containers can be added, and that is all. */
const ephemeralContainersPart = restrictTo(({ ephemeralContainers }, old) => ({
  ...old,
  ...(ephemeralContainers ? { ephemeralContainers } : {}),
}));

/** `pods/<name>/resize`: the resources of running containers. */
const resizePart = restrictTo((spec, old) => ({
  ...old,
  containers: resized(spec.containers, old.containers),
  ...(old.initContainers ? { initContainers: resized(spec.initContainers, old.initContainers) } : {}),
  ...(spec.resources === undefined ? {} : { resources: spec.resources }),
}));

function resized(wanted: Container[] | undefined, old: Container[] | undefined): Container[] {
  const byName = new Map((wanted ?? []).map((container) => [container.name, container]));
  return (old ?? []).map((container) => {
    const { resources, resizePolicy } = byName.get(container.name) ?? container;
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
