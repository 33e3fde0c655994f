import { fieldForbidden, invalidValue } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Lease } from "../../../../shared/api/types.ts";
import type { Strategy } from "../strategy.ts";

function validate({ spec }: Lease): StatusCause[] {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions, preferredHolder, strategy } = spec ?? {};
  const causes: StatusCause[] = [];
  if (seconds !== undefined && seconds <= 0) {
    causes.push(invalidValue("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  }
  if (transitions !== undefined && transitions < 0) {
    causes.push(invalidValue("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
  }
  if (preferredHolder && !strategy) {
    causes.push(fieldForbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  }
  return causes;
}

/** As long as upstream keeps them behind a gate that is off (CoordinatedLeaderElection). */
function dropGated({ spec }: Lease): void {
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

export const LEASE_STRATEGY: Strategy<Lease> = {
  allowsAnyFinalizer: true,
  prepareForCreate: dropGated,
  prepareForUpdate: (lease, old) => {
    if (!old.spec?.strategy && !old.spec?.preferredHolder) dropGated(lease);
  },
  validate,
  allowCreateOnUpdate: true,
  requiresResourceVersion: true,
};
