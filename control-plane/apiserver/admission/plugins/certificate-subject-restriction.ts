import type { CertificateSigningRequest } from "../../../../shared/api/types.ts";
import { messageOf } from "../../../../shared/message-of.ts";
import { type CertificateRequest, parseCertificateRequest } from "../../../../shared/pki/index.ts";
import { type AdmissionPlugin, refuse, specOf, targetOf } from "../plugin.ts";

const SIGNER = "kubernetes.io/kube-apiserver-client";
/** The group that may do everything, whatever the rules say: no certificate of the cluster's signers carries it. */
const MASTERS = "system:masters";

/** Refuses requests for client certificates that would be of the group system:masters. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",

  validate(request) {
    const { operation, attributes, object } = request;
    if (operation !== "CREATE" || targetOf(attributes) !== "certificatesigningrequests.certificates.k8s.io") return;
    const spec = specOf(object!) as CertificateSigningRequest["spec"];
    if (spec.signerName !== SIGNER) return;
    let parsed: CertificateRequest;
    try {
      parsed = parseCertificateRequest(atob(spec.request ?? ""));
    } catch (error) {
      throw refuse(request, `failed to parse CSR: ${messageOf(error)}`);
    }
    if (parsed.organizations.includes(MASTERS))
      throw refuse(request, `use of ${SIGNER} signer with ${MASTERS} group is not allowed`);
  },
};
