import type { CertificateSigningRequest } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";
import { conditionOf } from "../csr-conditions.ts";

const HOUR_MS = 3600_000;
/** Decided requests go after an hour, others after a day (upstream's). */
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

/** When a request goes (epoch ms): an hour after it was approved, denied or failed, or a day after it was made. */
export function expiryMs(csr: CertificateSigningRequest): number {
  const decided = (["Approved", "Denied", "Failed"] as const)
    .map((type) => conditionOf(csr, type)?.lastUpdateTime)
    .filter((time) => time !== undefined)
    .map((time) => parseTime(time) + DECIDED_MS);
  return decided.length > 0 ? Math.min(...decided) : parseTime(csr.metadata.creationTimestamp) + PENDING_MS;
}
