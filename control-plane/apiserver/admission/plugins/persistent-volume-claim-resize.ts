import { compareQuantities, parseQuantity } from "../../../../shared/api/quantity.ts";
import { STORAGE_CLASSES } from "../../../../shared/api/refs.ts";
import type { PersistentVolumeClaim, StorageClass } from "../../../../shared/api/types.ts";
import { BETA_STORAGE_CLASS } from "../../strategy/index.ts";
import { type AdmissionPlugin, type AdmissionRequest, refuse, targetOf } from "../plugin.ts";

const NOT_BOUND = "Only bound persistent volume claims can be expanded";
const NOT_ALLOWED =
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";

/** A claim may grow only when it is bound and its storage class allows it. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",

  validate(request) {
    if (request.operation !== "UPDATE" || targetOf(request.attributes) !== "persistentvolumeclaims") return;
    const claim = request.object as PersistentVolumeClaim;
    const old = request.old as PersistentVolumeClaim;
    if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
    if (old.status?.phase !== "Bound") throw refuse(request, NOT_BOUND);
    return checkClass(request, claim, old);
  },
};

const sizeOf = ({ spec }: PersistentVolumeClaim) => parseQuantity(spec?.resources?.requests?.storage ?? "0");

const classOf = ({ metadata, spec }: PersistentVolumeClaim) =>
  metadata.annotations?.[BETA_STORAGE_CLASS] ?? spec?.storageClassName ?? "";

async function checkClass(
  request: AdmissionRequest,
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): Promise<void> {
  const name = classOf(claim);
  if (name === "" || name !== classOf(old)) throw refuse(request, NOT_ALLOWED);
  const found = (await request.reader.get(STORAGE_CLASSES, name)) as StorageClass | undefined;
  if (!found?.allowVolumeExpansion) throw refuse(request, NOT_ALLOWED);
}
