import { fieldForbidden, notSupported, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PodSpec } from "../../../../shared/api/types.ts";
import { type PodCheck, visitContainers } from "./context.ts";

const NOT_ON_WINDOWS = "cannot be set for a windows pod";
const WINDOWS_POD_FIELDS = ["fsGroup", "fsGroupChangePolicy"] as const;
const WINDOWS_POD_ID_FIELDS = [
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;
const WINDOWS_CONTAINER_FIELDS = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

/** What the pod's declared system does not have. */
export function checkOs({ causes, spec }: PodCheck, path: string): void {
  if (!spec.os) return;
  if (!spec.os.name) {
    causes.push(required(`${path}.os.name`));
    return;
  }
  if (spec.os.name === "linux") checkLinux(causes, spec, path);
  else if (spec.os.name === "windows") checkWindows(causes, spec, path);
  else causes.push(notSupported(`${path}.os`, spec.os.name, ["linux", "windows"]));
}

function checkLinux(causes: StatusCause[], spec: PodSpec, path: string): void {
  const refuse = (owner: string) =>
    causes.push(
      fieldForbidden(`${owner}.securityContext.windowsOptions`, "windows options cannot be set for a linux pod"),
    );
  if (spec.securityContext?.windowsOptions) refuse(path);
  for (const { container, path: containerPath } of visitContainers(spec, path)) {
    if (container.securityContext?.windowsOptions) refuse(containerPath);
  }
}

function checkWindows(causes: StatusCause[], spec: PodSpec, path: string): void {
  const context = spec.securityContext ?? {};
  const refuse = (field: string, isSet: boolean) => {
    if (isSet) causes.push(fieldForbidden(field, NOT_ON_WINDOWS));
  };
  const inContext = `${path}.securityContext`;
  refuse(`${inContext}.appArmorProfile`, context.appArmorProfile !== undefined);
  refuse(`${inContext}.seLinuxOptions`, context.seLinuxOptions !== undefined);
  refuse(`${path}.hostUsers`, spec.hostUsers !== undefined);
  refuse(`${path}.hostPID`, !!spec.hostPID);
  refuse(`${path}.hostIPC`, !!spec.hostIPC);
  refuse(`${inContext}.seccompProfile`, context.seccompProfile !== undefined);
  for (const name of WINDOWS_POD_FIELDS) refuse(`${inContext}.${name}`, context[name] !== undefined);
  refuse(`${inContext}.sysctls`, (context.sysctls ?? []).length > 0);
  refuse(`${path}.shareProcessNamespace`, spec.shareProcessNamespace !== undefined);
  for (const name of WINDOWS_POD_ID_FIELDS) refuse(`${inContext}.${name}`, context[name] !== undefined);
  for (const { container, path: containerPath } of visitContainers(spec, path)) {
    const own = container.securityContext;
    if (!own) continue;
    for (const name of WINDOWS_CONTAINER_FIELDS) {
      refuse(`${containerPath}.securityContext.${name}`, own[name] !== undefined);
    }
  }
}
