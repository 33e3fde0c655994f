import { fieldForbidden, invalidValue, quote } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PodSpec, SeccompProfile } from "../../../../shared/api/types.ts";
import { APP_ARMOR_ANNOTATION as APP_ARMOR } from "./app-armor.ts";
import { visitContainers } from "./context.ts";
import { checkDescendingPath } from "./paths.ts";

export const MIRROR_POD = "kubernetes.io/config.mirror";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const LOCALHOST = "localhost/";

/** A 32-bit integer without a plus sign or leading zeros. */
function isDeletionCost(text: string): boolean {
  if (text !== "0" && !/^-?[1-9][0-9]*$/.test(text)) return false;
  const cost = Number(text);
  return cost >= -2_147_483_648 && cost <= 2_147_483_647;
}

function checkSeccompValue(value: string, field: string): StatusCause[] {
  if (["runtime/default", "docker/default", "unconfined"].includes(value)) return [];
  if (value.startsWith(LOCALHOST)) return checkDescendingPath(value.slice(LOCALHOST.length), field);
  return [invalidValue(field, value, "must be a valid seccomp profile")];
}

/** Annotations that once were, or still are, part of a pod's API. */
export function checkPodAnnotations(
  annotations: Record<string, string> | undefined,
  spec: PodSpec,
  path: string,
): StatusCause[] {
  if (!annotations) return [];
  const causes: StatusCause[] = [];
  const mirror = annotations[MIRROR_POD];
  if (mirror !== undefined && !spec.nodeName) {
    causes.push(
      invalidValue(`${path}[${MIRROR_POD}]`, mirror, "must set spec.nodeName if mirror pod annotation is set"),
    );
  }
  const cost = annotations[DELETION_COST];
  if (cost !== undefined && !isDeletionCost(cost)) {
    causes.push(invalidValue(`${path}[${DELETION_COST}]`, cost, "must be a 32bit integer"));
  }
  const seccomp = annotations[SECCOMP_POD];
  if (seccomp !== undefined) causes.push(...checkSeccompValue(seccomp, `${path}.${SECCOMP_POD}`));
  for (const [key, value] of Object.entries(annotations)) {
    if (key.startsWith(SECCOMP_CONTAINER)) causes.push(...checkSeccompValue(value, `${path}.${key}`));
  }
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(APP_ARMOR)) continue;
    const name = key.slice(APP_ARMOR.length);
    const field = `${path}[${key}]`;
    if (![...visitContainers(spec, "")].some(({ container }) => container.name === name)) {
      causes.push(invalidValue(field, name, "container not found"));
    }
    if (!["", "runtime/default", "unconfined"].includes(value) && !value.startsWith(LOCALHOST)) {
      causes.push(invalidValue(field, value, `invalid AppArmor profile name: ${quote(value)}`));
    }
  }
  return causes;
}

const ANNOTATION_OF_TYPE: Record<string, string[]> = {
  Unconfined: ["unconfined"],
  RuntimeDefault: ["runtime/default", "docker/default"],
};

function checkMatch(
  annotation: string | undefined,
  profile: SeccompProfile | undefined,
  { path, what }: { path: string; what: "seccomp" | "apparmor" },
): StatusCause[] {
  if (annotation === undefined || !profile) return [];
  const typeCause = fieldForbidden(`${path}.type`, `${what} type in annotation and field must match`);
  if (profile.type === "Localhost") {
    if (!annotation.startsWith(LOCALHOST)) return [typeCause];
    return annotation.slice(LOCALHOST.length) === profile.localhostProfile
      ? []
      : [fieldForbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`)];
  }
  const fitting = ANNOTATION_OF_TYPE[profile.type ?? ""];
  return !fitting || fitting.includes(annotation) ? [] : [typeCause];
}

/** Profiles said twice, in a field and in an old annotation, must be the same. Checked on create and in templates. */
export function checkProfilesAgree(
  annotations: Record<string, string> | undefined,
  spec: PodSpec,
  path: string,
): StatusCause[] {
  if (!annotations) return [];
  const causes = checkMatch(annotations[SECCOMP_POD], spec.securityContext?.seccompProfile, {
    path: `${path}.securityContext.seccompProfile`,
    what: "seccomp",
  });
  for (const { container, path: field } of visitContainers(spec, path)) {
    causes.push(
      ...checkMatch(annotations[SECCOMP_CONTAINER + container.name], container.securityContext?.seccompProfile, {
        path: `${field}.securityContext.seccompProfile`,
        what: "seccomp",
      }),
    );
  }
  if (spec.os?.name === "windows") return causes;
  for (const { container, path: field } of visitContainers(spec, path)) {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    causes.push(
      ...checkMatch(annotations[APP_ARMOR + container.name], profile, {
        path: `${field}.securityContext.appArmorProfile`,
        what: "apparmor",
      }),
    );
  }
  return causes;
}

/** Annotations of a pod that may not change once it exists. */
export function checkPodAnnotationsUpdate(
  annotations: Record<string, string> = {},
  old: Record<string, string> = {},
  path = "metadata.annotations",
): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const [key, value] of Object.entries(old)) {
    if (annotations[key] === value) continue;
    if (key.startsWith(APP_ARMOR)) {
      causes.push(fieldForbidden(`${path}[${key}]`, "may not remove or update AppArmor annotations"));
    }
    if (key === MIRROR_POD) {
      causes.push(fieldForbidden(`${path}[${key}]`, "may not remove or update mirror pod annotation"));
    }
  }
  for (const key of Object.keys(annotations)) {
    if (key in old) continue;
    if (key.startsWith(APP_ARMOR)) causes.push(fieldForbidden(`${path}[${key}]`, "may not add AppArmor annotations"));
    if (key === MIRROR_POD) causes.push(fieldForbidden(`${path}[${key}]`, "may not add mirror pod annotation"));
  }
  return causes;
}
