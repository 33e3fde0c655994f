import type { CertificateSigningRequest } from "../../../shared/api/types.ts";
import type { CertificateRequest } from "../../../shared/pki/index.ts";
import { conditionOf } from "../csr-conditions.ts";
import { kubeletClientError, kubeletServingError } from "../kubelet-request.ts";

/** A certificate's life where nobody asks for a shorter one (upstream's --cluster-signing-duration). */
const MAX_TTL_SECONDS = 365 * 24 * 3600;
const MIN_TTL_SECONDS = 600;

export type Plan =
  | { step: "none" }
  /** The signer will not certify it, and says so once and for all. */
  | { step: "fail"; message: string }
  | { step: "sign"; usages: string[]; ttlSeconds: number };

type Check = (request: CertificateRequest, usages: string[]) => string | undefined;

/** What each of Kubernetes' own signers asks of a request. */
const SIGNERS: Record<string, Check> = {
  "kubernetes.io/kube-apiserver-client": (_request, usages) => clientUsageError(usages),
  "kubernetes.io/kube-apiserver-client-kubelet": kubeletClientError,
  "kubernetes.io/kubelet-serving": kubeletServingError,
  "kubernetes.io/legacy-unknown": () => undefined,
};

/** @param parse called only for a request that is to be signed here */
export function decide(csr: CertificateSigningRequest, parse: () => CertificateRequest): Plan {
  const { signerName, usages = [], expirationSeconds } = csr.spec;
  const check = Object.hasOwn(SIGNERS, signerName) ? SIGNERS[signerName] : undefined;
  if (!check || csr.status?.certificate || csr.metadata.deletionTimestamp) return { step: "none" };
  if (!conditionOf(csr, "Approved") || conditionOf(csr, "Denied") || conditionOf(csr, "Failed"))
    return { step: "none" };
  const message = check(parse(), usages);
  if (message !== undefined) return { step: "fail", message };
  const wanted = expirationSeconds ?? MAX_TTL_SECONDS;
  return { step: "sign", usages, ttlSeconds: Math.min(MAX_TTL_SECONDS, Math.max(MIN_TTL_SECONDS, wanted)) };
}

function clientUsageError(usages: string[]): string | undefined {
  const allowed = ["digital signature", "key encipherment", "client auth"];
  const wrong = usages.find((usage) => !allowed.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  if (!usages.includes("client auth")) return "missing required usage for client certificate: client auth";
  return undefined;
}
