import type { CertificateSigningRequest } from "../../../shared/api/types.ts";
import type { CertificateRequest } from "../../../shared/pki/index.ts";
import { conditionOf } from "../csr-conditions.ts";
import { kubeletClientError } from "../kubelet-request.ts";

const KUBELET_CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";

/** A right that lets a request be approved without a person: `create` on this subresource of requests. */
export interface Approval {
  subresource: "selfnodeclient" | "nodeclient";
  message: string;
}

/** A node's own client certificate: renewed by the node itself, or asked for by whoever joins it. */
const SELF: Approval = {
  subresource: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const ANY: Approval = {
  subresource: "nodeclient",
  message: "Auto approving kubelet client certificate after SubjectAccessReview.",
};

/**
 * The rights that would do, in the order to ask for them; empty when a person must decide, or has decided.
 * @param parse called only for a request of the kubelets' signer
 */
export function approvalsFor(csr: CertificateSigningRequest, parse: () => CertificateRequest): Approval[] {
  const { signerName, username, usages = [] } = csr.spec;
  if (signerName !== KUBELET_CLIENT_SIGNER || csr.status?.certificate || csr.metadata.deletionTimestamp) return [];
  if (conditionOf(csr, "Approved") || conditionOf(csr, "Denied")) return [];
  const request = parse();
  if (kubeletClientError(request, usages) !== undefined) return [];
  return username === request.commonName ? [SELF, ANY] : [ANY];
}
