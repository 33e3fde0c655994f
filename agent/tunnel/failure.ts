/**
 * Why the control plane could not be reached, as a sentence that says where to look.
 * @param failure the socket's error, or the HTTP status of a refused handshake
 */
export function explainFailure(failure: (Error & { code?: string }) | number, endpoint: string): string {
  if (typeof failure === "number") {
    if (failure === 401 || failure === 403) {
      return `the control plane does not accept this node's credential (HTTP ${failure}); join the node again with a new token`;
    }
    return `the control plane refused the connection (HTTP ${failure})`;
  }
  switch (failure.code) {
    case "ECONNREFUSED":
      return `nothing listens at ${endpoint}`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the host of ${endpoint} cannot be resolved`;
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `${endpoint} cannot be reached over the network`;
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return `the certificate of ${endpoint} is not signed by the cluster's CA`;
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return `the certificate of ${endpoint} is not valid at this machine's time; check both clocks`;
    default:
      return failure.message || String(failure.code ?? "unknown error");
  }
}
