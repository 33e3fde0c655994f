import { duplicate, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { CertificateSigningRequest } from "../../../../shared/api/types.ts";
import { checkSignerName } from "../pod-spec/index.ts";
import type { Strategy } from "../strategy.ts";
import { pemBlockTypes } from "./pem.ts";

const MIN_EXPIRATION_SECONDS = 600;
const LEGACY_SIGNER = "kubernetes.io/legacy-unknown";

const USAGES = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

function checkUsages(usages: string[]): StatusCause[] {
  const at = (index: number) => `spec.usages[${index}]`;
  return [
    ...(usages.length === 0 ? [required("spec.usages")] : []),
    ...usages.flatMap((usage, index) => (USAGES.includes(usage) ? [] : [notSupported(at(index), usage, USAGES)])),
    ...usages.flatMap((usage, index) => (usages.indexOf(usage) < index ? [duplicate(at(index), usage)] : [])),
  ];
}

function checkSigner(signerName: string): StatusCause[] {
  const field = "spec.signerName";
  if (!signerName) return [required(field)];
  return signerName === LEGACY_SIGNER
    ? [invalidValue(field, signerName, "the legacy signerName is not allowed via this API version")]
    : checkSignerName(signerName, field);
}

/** What was asked for, at creation: it never changes. The request's signature is the signer's to check. */
function validate({ spec }: CertificateSigningRequest): StatusCause[] {
  const { request, usages = [], signerName, expirationSeconds: seconds } = spec;
  const causes: StatusCause[] = [];
  if (pemBlockTypes(request)[0] !== "CERTIFICATE REQUEST") {
    causes.push(invalidValue("spec.request", request ?? null, "PEM block type must be CERTIFICATE REQUEST"));
  }
  causes.push(...checkUsages(usages), ...checkSigner(signerName));
  if (seconds !== undefined && seconds < MIN_EXPIRATION_SECONDS) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    causes.push(invalidValue("spec.expirationSeconds", seconds, detail));
  }
  return causes;
}

/** Signers trust what a request says of its author: it is the server that says it. */
export const CERTIFICATE_SIGNING_REQUEST_STRATEGY: Strategy<CertificateSigningRequest> = {
  checksMetaAgain: true,
  nameRule: () => [],
  prepareForCreate: (request, user) => {
    const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...spec } = request.spec;
    const { username, uid, groups = [], extra = {} } = user ?? {};
    request.spec = {
      ...spec,
      ...(username ? { username } : {}),
      ...(uid ? { uid } : {}),
      ...(groups.length > 0 ? { groups: [...groups] } : {}),
      ...(Object.keys(extra).length > 0 ? { extra: structuredClone(extra) } : {}),
    };
    request.status = {};
  },
  prepareForUpdate: (request, old) => {
    request.spec = structuredClone(old.spec);
  },
  validate,
  validateUpdate: () => [],
  fields: ({ spec }) => ({ "spec.signerName": spec.signerName }),
};
