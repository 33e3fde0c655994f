import type { AppArmorProfile, PodSpec } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { visitContainers } from "./context.ts";

export const APP_ARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";
const LOCALHOST = "localhost/";

/** The field that an old annotation stands for; undefined for one that means nothing. */
export function profileOfAnnotation(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const name = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : "";
  return name === "" ? undefined : { type: "Localhost", localhostProfile: name };
}

/** Profiles that a new pod names in annotations only become fields (KEP-24). */
export function copyAppArmorAnnotations(spec: PodSpec, annotations: Record<string, string> = {}): void {
  if (spec.os?.name === "windows") return;
  const ofPod = spec.securityContext?.appArmorProfile;
  for (const { container } of visitContainers(spec, "")) {
    const annotation = annotations[APP_ARMOR_ANNOTATION + container.name];
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = profileOfAnnotation(annotation);
    if (!profile || isEqual(profile, ofPod)) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}
