import { fieldForbidden } from "../../../../shared/api/field-error.ts";
import { validateObjectMeta } from "../../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Pod } from "../../../../shared/api/types.ts";
import { validateStandardFinalizers } from "../finalizers.ts";
import {
  checkPodAnnotations,
  checkPodAnnotationsUpdate,
  checkPodImages,
  MIRROR_POD,
  validatePodSpec,
} from "../pod-spec/index.ts";

/** A pod that a kubelet made from a file; what the API server has is only its reflection. */
export const isMirrorPod = ({ metadata }: Pod): boolean => metadata.annotations?.[MIRROR_POD] !== undefined;

/** What every update of a pod but one of its status is checked for; ObjectMeta once more, as upstream does. */
export function validatePodChange(pod: Pod, old: Pod): StatusCause[] {
  const { metadata, spec } = pod;
  return [
    ...validateObjectMeta(metadata, { namespaced: true }),
    ...validateStandardFinalizers(metadata),
    ...validatePodMetaAndSpec(pod),
    ...checkPodAnnotationsUpdate(metadata.annotations, old.metadata.annotations),
    ...checkPodAnnotations(metadata.annotations, spec, "metadata.annotations"),
  ];
}

/** The checks that create and update share. */
export function validatePodMetaAndSpec(pod: Pod): StatusCause[] {
  const { metadata, spec } = pod;
  const causes = [
    ...checkPodAnnotations(metadata.annotations, spec, "metadata.annotations"),
    ...validatePodSpec(spec, "spec", { pod: metadata }),
  ];
  if (!spec.serviceAccountName) {
    for (const [index, { projected }] of (spec.volumes ?? []).entries()) {
      for (const [i, source] of (projected?.sources ?? []).entries()) {
        if (!source.serviceAccountToken) continue;
        causes.push(
          fieldForbidden(
            `spec.volumes[${index}].projected.sources[${i}].serviceAccountToken`,
            "must not be specified when serviceAccountName is not set",
          ),
        );
      }
    }
  }
  return [...causes, ...checkPodImages(spec, "spec")];
}
