import { duplicate, fieldForbidden, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { CertificateSigningRequest } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { pemBlockTypes } from "./pem.ts";

type Condition = NonNullable<NonNullable<CertificateSigningRequest["status"]>["conditions"]>[number];

const DECISIONS = ["Approved", "Denied"];
const LASTING = [...DECISIONS, "Failed"];

const conditionsOf = ({ status }: CertificateSigningRequest): Condition[] => status?.conditions ?? [];
const ofType = (request: CertificateSigningRequest, type: string) =>
  conditionsOf(request).filter((condition) => condition.type === type);

/** @param now RFC 3339 */
function fillTimes(request: CertificateSigningRequest, old: CertificateSigningRequest, now: string): void {
  for (const condition of conditionsOf(request)) {
    const before = ofType(old, condition.type).find(({ status }) => status === condition.status);
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now;
  }
}

/** A write to `approval` changes the conditions alone. @param now RFC 3339 */
export function prepareApproval(request: CertificateSigningRequest, old: CertificateSigningRequest, now: string): void {
  fillTimes(request, old, now);
  request.spec = structuredClone(old.spec);
  const conditions = request.status?.conditions;
  const { conditions: _old, ...status } = old.status ?? {};
  request.status = { ...structuredClone(status), ...(conditions ? { conditions } : {}) };
}

/** A write to `status` (the signer's) changes neither what is asked for nor what was decided. @param now RFC 3339 */
export function prepareIssued(request: CertificateSigningRequest, old: CertificateSigningRequest, now: string): void {
  request.spec = structuredClone(old.spec);
  for (const type of DECISIONS) {
    const [wanted, kept] = [ofType(request, type), ofType(old, type)];
    if (wanted.length !== kept.length) continue; // refused below
    for (const [index, condition] of wanted.entries()) Object.assign(condition, kept[index]);
  }
  fillTimes(request, old, now);
}

function checkConditions(request: CertificateSigningRequest, old: CertificateSigningRequest): StatusCause[] {
  const causes: StatusCause[] = [];
  const field = "status.conditions";
  const wasBoth = DECISIONS.every((type) => ofType(old, type).length > 0);
  const seen = new Set<string>();
  for (const [index, { type, status }] of conditionsOf(request).entries()) {
    const path = `${field}[${index}]`;
    if (!type) causes.push(required(`${path}.type`));
    const allowed = LASTING.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (!status) causes.push(required(`${path}.status`));
    else if (!allowed.includes(status)) causes.push(notSupported(`${path}.status`, status, allowed));
    const other = DECISIONS.find((decision) => decision !== type)!;
    if (!wasBoth && DECISIONS.includes(type) && seen.has(other)) {
      causes.push(invalidValue(field, type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (seen.has(type)) causes.push(duplicate(`${path}.type`, type));
    seen.add(type);
  }
  for (const type of LASTING) {
    if (ofType(request, type).length >= ofType(old, type).length) continue;
    causes.push(fieldForbidden(field, `updates may not remove a condition of type "${type}"`));
  }
  return causes;
}

/** Checks of a write to `approval`, ObjectMeta apart. */
export const validateApproval = checkConditions;

function checkCertificate(certificate: string | undefined): StatusCause[] {
  if (!certificate) return [];
  const types = pemBlockTypes(certificate);
  const wrong = types.find((type) => type !== "CERTIFICATE");
  const refuse = (why: string) => [invalidValue("status.certificate", "<certificate data>", why)];
  if (wrong !== undefined) return refuse(`only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(wrong)}`);
  return types.length === 0 ? refuse("must contain at least one CERTIFICATE PEM block") : [];
}

/** Checks of a write to `status`, ObjectMeta apart. */
export function validateIssued(request: CertificateSigningRequest, old: CertificateSigningRequest): StatusCause[] {
  const [certificate, before] = [request.status?.certificate, old.status?.certificate];
  const causes = checkConditions(request, old);
  if (certificate !== before) causes.push(...checkCertificate(certificate));
  for (const type of DECISIONS) {
    const [now, then] = [ofType(request, type), ofType(old, type)];
    if (now.length < then.length || isEqual(now, then)) continue;
    const verb = now.length > then.length ? "add" : "modify";
    causes.push(fieldForbidden("status.conditions", `updates may not ${verb} a condition of type "${type}"`));
  }
  if (before && certificate !== before) {
    causes.push(fieldForbidden("status.certificate", "updates may not modify existing certificate content"));
  }
  return causes;
}
