import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";

const named = (...names: (string | undefined)[]): string[] => [...new Set(names.filter((name) => !!name))] as string[];

/** The classes that a claim wants, has, or is on its way to. */
export const classesOfClaim = ({ spec, status }: PersistentVolumeClaim): string[] =>
  named(
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  );

export const classesOfVolume = ({ spec }: PersistentVolume): string[] => named(spec?.volumeAttributesClassName);
