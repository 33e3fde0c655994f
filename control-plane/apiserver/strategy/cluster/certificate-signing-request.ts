import { invalidValue, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { CertificateSigningRequest } from "../../../../shared/api/types.ts";
import { checkSignerName } from "../pod-spec/index.ts";
import type { Strategy } from "../strategy.ts";

const MIN_EXPIRATION_SECONDS = 600;

function validate({ spec }: CertificateSigningRequest): StatusCause[] {
  const { request, usages, signerName, expirationSeconds: seconds } = spec;
  const causes: StatusCause[] = [];
  if (!request) causes.push(required("spec.request"));
  if ((usages ?? []).length === 0) causes.push(required("spec.usages"));
  causes.push(...(signerName ? checkSignerName(signerName, "spec.signerName") : [required("spec.signerName")]));
  if (seconds !== undefined && seconds < MIN_EXPIRATION_SECONDS) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    causes.push(invalidValue("spec.expirationSeconds", seconds, detail));
  }
  return causes;
}

/** Who asks (`username`, `uid`, `groups`, `extra`) is for the caller to fill in; what was asked for never changes. */
export const CERTIFICATE_SIGNING_REQUEST_STRATEGY: Strategy<CertificateSigningRequest> = {
  prepareForCreate: (request) => {
    request.status = {};
  },
  prepareForUpdate: (request, old) => {
    request.spec = structuredClone(old.spec);
  },
  validate,
  validateUpdate: () => [],
  fields: ({ spec }) => ({ "spec.signerName": spec.signerName }),
};
