import type { KubeObject } from "../../../shared/api/object.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import type { CertificateSigningRequest } from "../../../shared/api/types.ts";
import { patchPart } from "../handlers/patch.ts";
import { updatePart } from "../handlers/update.ts";
import type { UpdatePart } from "../handlers/update-object.ts";
import type { Handler } from "../resource-request.ts";
import {
  prepareApproval,
  prepareIssued,
  type Strategy,
  validateApproval,
  validateForUpdate,
  validateIssued,
} from "../strategy/index.ts";

function partOf(prepare: typeof prepareApproval, check: typeof validateApproval): UpdatePart {
  const typed = (object: KubeObject) => object as unknown as CertificateSigningRequest;
  const validateUpdate: Strategy["validateUpdate"] = (object, old) => check(typed(object), typed(old));
  return {
    prepare: (object, old) => prepare(typed(object), typed(old), printTime(Date.now())),
    validate: (object, old) => validateForUpdate({ validateUpdate }, object, old, false),
  };
}

/** `certificatesigningrequests/<name>/approval`: whether the certificate shall be issued. */
const approvalPart = partOf(prepareApproval, validateApproval);
/** `certificatesigningrequests/<name>/status`: the certificate, from the signer. */
const issuedPart = partOf(prepareIssued, validateIssued);

export const updateApproval: Handler = (request) => updatePart(request, approvalPart);
export const patchApproval: Handler = (request) => patchPart(request, approvalPart);
export const updateIssued: Handler = (request) => updatePart(request, issuedPart);
export const patchIssued: Handler = (request) => patchPart(request, issuedPart);
