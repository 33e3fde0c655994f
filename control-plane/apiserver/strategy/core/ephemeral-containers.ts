import { fieldForbidden } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Pod } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { diffInternal } from "../internal-form/index.ts";
import { isMirrorPod, validatePodChange } from "./pod-checks.ts";

/** Checks of a write to `pods/ephemeralcontainers`, ObjectMeta apart: containers are added and never change. */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod): StatusCause[] {
  if (isMirrorPod(old)) return [fieldForbidden("[]", "static pods do not support ephemeral containers")];
  const causes = validatePodChange(pod, old);
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
