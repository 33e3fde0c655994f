import { FIELD_IMMUTABLE, invalidValue, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ControllerRevision } from "../../../../shared/api/types.ts";
import { checkNotNegative } from "../counts.ts";
import { isEqual } from "../equality.ts";
import type { Strategy } from "../strategy.ts";

function checkData(data: unknown): StatusCause[] {
  if (data === undefined || data === null) return [required("data", "data is mandatory")];
  return typeof data === "object" && !Array.isArray(data) ? [] : [required("data", "data must be a valid JSON object")];
}

export const CONTROLLER_REVISION_STRATEGY: Strategy<ControllerRevision> = {
  checksMetaAgain: true,
  validate: ({ revision, data }) => [...checkNotNegative(revision, "revision"), ...checkData(data)],
  validateUpdate: ({ revision, data }, old) => [
    ...checkNotNegative(revision, "revision"),
    ...(isEqual(data, old.data) ? [] : [invalidValue("data", data ?? null, FIELD_IMMUTABLE)]),
  ],
};
