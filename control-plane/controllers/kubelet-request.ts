import type { CertificateRequest } from "../../shared/pki/index.ts";

const NODES_ORGANIZATION = "system:nodes";
const NODE_PREFIX = "system:node:";
const CLIENT_USAGES = ["client auth", "digital signature", "key encipherment"];
const SERVING_USAGES = ["digital signature", "key encipherment", "server auth"];

/** Why a request is none for a kubelet's client certificate (its signer's rules); undefined when it is one. */
export function kubeletClientError(request: CertificateRequest, usages: string[]): string | undefined {
  if (!isOfNodes(request)) return "subject organization is not system:nodes";
  if (request.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  if (!request.commonName.startsWith(NODE_PREFIX)) return "subject common name does not begin with system:node:";
  return usageError(usages, CLIENT_USAGES);
}

/** Why a request is none for a kubelet's serving certificate; undefined when it is one. */
export function kubeletServingError(request: CertificateRequest, usages: string[]): string | undefined {
  if (!isOfNodes(request)) return "subject organization is not system:nodes";
  if (request.dnsNames.length + request.ipAddresses.length === 0) return "DNS or IP subjectAltName is required";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  const wrong = usageError(usages, SERVING_USAGES);
  if (wrong) return wrong;
  return request.commonName.startsWith(NODE_PREFIX)
    ? undefined
    : "subject common name does not begin with system:node:";
}

const isOfNodes = ({ organizations }: CertificateRequest): boolean =>
  organizations.length === 1 && organizations[0] === NODES_ORGANIZATION;

/** Keys that encipher nothing (not RSA) need not ask for it. */
function usageError(usages: string[], wanted: string[]): string | undefined {
  const asked = new Set(usages);
  const rest = wanted.filter((usage) => !asked.has(usage));
  const isEnough = rest.length === 0 || (rest.length === 1 && rest[0] === "key encipherment");
  return isEnough && [...asked].every((usage) => wanted.includes(usage))
    ? undefined
    : `usages did not match [${wanted.join(" ")}]`;
}
