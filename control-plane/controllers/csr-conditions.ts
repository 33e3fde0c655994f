import type { CertificateSigningRequest } from "../../shared/api/types.ts";

/** The condition of a type that holds; other statuses than True do not exist for requests. */
export const conditionOf = ({ status }: CertificateSigningRequest, type: "Approved" | "Denied" | "Failed") =>
  status?.conditions?.find((condition) => condition.type === type);

/** The request as PEM. @throws Error for what is no base64 */
export const requestPem = ({ spec }: CertificateSigningRequest): string => atob(spec.request ?? "");
