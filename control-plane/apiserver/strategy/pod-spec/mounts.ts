import {
  fieldForbidden,
  invalidValue,
  notSupported,
  required,
  valueNotFound,
} from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Container, EphemeralContainer, VolumeMount } from "../../../../shared/api/types.ts";
import type { PodCheck } from "./context.ts";
import { checkDescendingPath, checkNoBacksteps } from "./paths.ts";

type AnyContainer = Container | EphemeralContainer;

function checkPropagation(mode: string, container: AnyContainer, field: string): StatusCause[] {
  const supported = ["Bidirectional", "HostToContainer", "None"];
  const causes = supported.includes(mode) ? [] : [notSupported(field, mode, supported)];
  if (mode === "Bidirectional" && !container.securityContext?.privileged) {
    causes.push(fieldForbidden(field, "Bidirectional mount propagation is available only to privileged containers"));
  }
  return causes;
}

function checkRecursiveReadOnly(mount: VolumeMount, field: string): StatusCause[] {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined || mode === "Disabled") return [];
  if (mode !== "Enabled" && mode !== "IfPossible") {
    return [notSupported(field, mode, ["Disabled", "Enabled", "IfPossible"])];
  }
  const causes: StatusCause[] = [];
  if (!mount.readOnly) causes.push(fieldForbidden(field, "may only be specified when readOnly is true"));
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== "None") {
    causes.push(fieldForbidden(field, "may only be specified when mountPropagation is None or not specified"));
  }
  return causes;
}

export function checkMounts({ causes, volumes }: PodCheck, container: AnyContainer, path: string): void {
  const list = `${path}.volumeMounts`;
  const devices = container.volumeDevices ?? [];
  const seen = new Set<string>();
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const field = `${list}[${index}]`;
    const { name = "", mountPath = "" } = mount;
    if (name === "") causes.push(required(`${field}.name`));
    if (!volumes.has(name)) causes.push(valueNotFound(`${field}.name`, name));
    if (mountPath === "") causes.push(required(`${field}.mountPath`));
    if (seen.has(mountPath)) causes.push(invalidValue(`${field}.mountPath`, mountPath, "must be unique"));
    seen.add(mountPath);
    if (devices.some((device) => device.name === name)) {
      causes.push(invalidValue(`${field}.name`, name, "must not already exist in volumeDevices"));
    }
    if (devices.some((device) => device.devicePath === mountPath)) {
      causes.push(invalidValue(`${field}.mountPath`, mountPath, "must not already exist as a path in volumeDevices"));
    }
    if (mount.subPath) causes.push(...checkDescendingPath(mount.subPath, `${list}.subPath`));
    if (mount.subPathExpr) {
      if (mount.subPath) {
        causes.push(
          invalidValue(`${field}.subPathExpr`, mount.subPathExpr, "subPathExpr and subPath are mutually exclusive"),
        );
      }
      causes.push(...checkDescendingPath(mount.subPathExpr, `${list}.subPathExpr`));
    }
    if (mount.mountPropagation !== undefined) {
      causes.push(...checkPropagation(mount.mountPropagation, container, `${list}.mountPropagation`));
    }
    causes.push(...checkRecursiveReadOnly(mount, `${list}.recursiveReadOnly`));
  }
}

export function checkDevices({ causes, volumes }: PodCheck, container: AnyContainer, path: string): void {
  const list = `${path}.volumeDevices`;
  const mounts = container.volumeMounts ?? [];
  const paths = new Set<string>();
  const names = new Set<string>();
  for (const [index, { name = "", devicePath = "" }] of (container.volumeDevices ?? []).entries()) {
    const field = `${list}[${index}]`;
    const volume = volumes.get(name);
    if (name === "") causes.push(required(`${field}.name`));
    if (names.has(name)) causes.push(invalidValue(`${field}.name`, name, "must be unique"));
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      causes.push(
        invalidValue(
          `${field}.name`,
          name,
          "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
        ),
      );
    }
    if (!volume) causes.push(valueNotFound(`${field}.name`, name));
    if (devicePath === "") causes.push(required(`${field}.devicePath`));
    if (paths.has(devicePath)) causes.push(invalidValue(`${field}.devicePath`, devicePath, "must be unique"));
    if (devicePath !== "" && checkNoBacksteps(devicePath, field).length > 0) {
      causes.push(invalidValue(`${field}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name)) {
      causes.push(invalidValue(`${field}.name`, name, "must not already exist in volumeMounts"));
    }
    if (mounts.some((mount) => mount.mountPath === devicePath)) {
      causes.push(invalidValue(`${field}.devicePath`, devicePath, "must not already exist as a path in volumeMounts"));
    }
    if (name !== "") names.add(name);
  }
}
