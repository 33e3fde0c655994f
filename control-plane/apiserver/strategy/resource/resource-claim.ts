import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidValue,
  required,
  tooMany,
} from "../../../../shared/api/field-error.ts";
import { validateLabels } from "../../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ResourceClaim, ResourceClaimTemplate } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import type { Strategy } from "../strategy.ts";
import { checkClaimSpec, defaultCounts } from "./device-claim.ts";

const MAX_CONSUMERS = 256;

const checkSpecUnchanged = (spec: unknown, old: unknown): StatusCause[] =>
  isEqual(spec, old) ? [] : [invalidValue("spec", spec, FIELD_IMMUTABLE)];

/** Devices of an allocation are checked by what allocates them; here: who uses the claim, and that it stays as it is. */
function checkStatus({ metadata, status = {} }: ResourceClaim, { status: before = {} }: ResourceClaim): StatusCause[] {
  const { reservedFor = [], allocation } = status;
  const field = "status.reservedFor";
  const causes = reservedFor.length > MAX_CONSUMERS ? [tooMany(field, reservedFor.length, MAX_CONSUMERS)] : [];
  for (const [i, consumer] of reservedFor.slice(0, MAX_CONSUMERS).entries()) {
    for (const name of ["resource", "name", "uid"] as const) {
      if (!consumer[name]) causes.push(required(`${field}[${i}].${name}`));
    }
  }
  if (reservedFor.length > 0 && !allocation) {
    causes.push(fieldForbidden(field, "may not be specified when `allocated` is not set"));
  } else if (metadata.deletionTimestamp !== undefined) {
    const isNew = reservedFor.some((consumer) => !(before.reservedFor ?? []).some((old) => isEqual(old, consumer)));
    const why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
    if (isNew) causes.push(fieldForbidden(field, why));
  }
  if (before.allocation && allocation && !isEqual(before.allocation, allocation)) {
    causes.push(invalidValue("status.allocation", allocation, FIELD_IMMUTABLE));
  }
  return causes;
}

export const RESOURCE_CLAIM_STRATEGY: Strategy<ResourceClaim> = {
  tracksGeneration: false,
  checksMetaAgain: true,
  applyDefaults: ({ spec }) => defaultCounts(spec ?? {}),
  prepareForCreate: (claim) => {
    claim.status = {};
  },
  validate: ({ spec }) => checkClaimSpec(spec ?? {}, "spec"),
  validateUpdate: ({ spec }, old) => checkSpecUnchanged(spec, old.spec),
  validateStatusUpdate: checkStatus,
};

export const RESOURCE_CLAIM_TEMPLATE_STRATEGY: Strategy<ResourceClaimTemplate> = {
  applyDefaults: ({ spec }) => defaultCounts(spec?.spec ?? {}),
  validate: ({ spec }) => [
    ...validateLabels(spec?.metadata?.labels, "spec.metadata.labels"),
    ...checkClaimSpec(spec?.spec ?? {}, "spec.spec"),
  ],
  validateUpdate: ({ spec }, old) => checkSpecUnchanged(spec, old.spec),
};
