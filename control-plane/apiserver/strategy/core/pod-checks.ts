import { fieldForbidden } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Pod } from "../../../../shared/api/types.ts";
import { checkPodAnnotations, checkPodImages, validatePodSpec } from "../pod-spec/index.ts";

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
