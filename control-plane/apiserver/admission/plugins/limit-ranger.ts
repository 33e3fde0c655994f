import { LIMIT_RANGES } from "../../../../shared/api/refs.ts";
import type { LimitRange, PersistentVolumeClaim, Pod } from "../../../../shared/api/types.ts";
import { type AdmissionPlugin, type AdmissionRequest, refuse, specOf, targetOf } from "../plugin.ts";
import { applyLimitRange, checkClaimAgainst, checkPodAgainst } from "./limit-range-rules.ts";

/** Gives new pods the defaults of their namespace's LimitRanges, and holds pods and claims to the bounds there. */
export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",

  admit(request) {
    if (isOfPod(request)) return complete(request);
  },

  validate(request) {
    if (isOfPod(request) || isOfClaim(request)) return check(request);
  },
};

/** A pod's resources change in two ways only: it is made, or resized. One that is being deleted is left alone. */
function isOfPod({ operation, attributes, old }: AdmissionRequest): boolean {
  if (old?.metadata.deletionTimestamp) return false;
  const target = targetOf(attributes);
  return (operation === "CREATE" && target === "pods") || (operation === "UPDATE" && target === "pods/resize");
}

function isOfClaim({ operation, attributes, old }: AdmissionRequest): boolean {
  if (operation === "DELETE" || old?.metadata.deletionTimestamp) return false;
  return targetOf(attributes) === "persistentvolumeclaims";
}

const limitRanges = ({ reader, attributes }: AdmissionRequest) =>
  reader.list(LIMIT_RANGES, attributes.namespace) as Promise<LimitRange[]>;

async function complete(request: AdmissionRequest): Promise<void> {
  specOf(request.object!);
  for (const range of await limitRanges(request)) applyLimitRange(range, request.object as Pod);
}

async function check(request: AdmissionRequest): Promise<void> {
  for (const range of await limitRanges(request)) {
    const broken = isOfPod(request)
      ? checkPodAgainst(range, request.object as Pod)
      : checkClaimAgainst(range, request.object as PersistentVolumeClaim);
    const messages = [...new Set(broken)];
    if (messages.length > 0) throw refuse(request, messages.length === 1 ? messages[0]! : `[${messages.join(", ")}]`);
  }
}
