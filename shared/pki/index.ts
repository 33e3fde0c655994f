/** Certificate requests, read and checked. Certificates are written where the keys are (control-plane/hosting). */
export { type CertificateRequest, parseCertificateRequest } from "./certificate-request.ts";
export { isSignedByItsKey } from "./request-signature.ts";
