import { duplicate, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { parseIp } from "../../../../shared/api/ip.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import { checkLegacyIp, isDualStack } from "../ip-rules.ts";
import { isHeadless } from "./service-fields.ts";

const FAMILIES = ["IPv4", "IPv6"];
const POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const FIELD = "spec.clusterIPs";

/** Addresses, families and policy as they stand, whether or not they have been allocated. */
export function checkClusterIps(service: Service, old?: Service): StatusCause[] {
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy, type } = service.spec;
  if (type === "ExternalName") return [];
  const causes: StatusCause[] = [];
  if (clusterIP === "") {
    if (clusterIPs.length > 0) {
      causes.push(invalidValue(FIELD, clusterIPs, "must be empty when `clusterIP` is not specified"));
    }
  } else if (clusterIPs.length === 0) causes.push(required(FIELD));
  else if (clusterIPs[0] !== clusterIP) {
    causes.push(invalidValue(FIELD, clusterIPs, "first value must match `clusterIP`"));
  }
  const seen = new Set<string>();
  for (const [index, family] of ipFamilies.entries()) {
    const field = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) causes.push(notSupported(field, family, FAMILIES));
    if (seen.has(family)) causes.push(duplicate(field, family));
    seen.add(family);
  }
  if (ipFamilyPolicy !== undefined && !POLICIES.includes(ipFamilyPolicy)) {
    causes.push(notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, POLICIES));
  }
  const bad: StatusCause[] = [];
  for (const [index, ip] of clusterIPs.entries()) {
    if (index > 0 || ip !== "None") bad.push(...checkLegacyIp(ip, `${FIELD}[${index}]`, old?.spec.clusterIPs));
    else if (clusterIPs.length > 1) {
      bad.push(invalidValue(FIELD, clusterIPs, "'None' must be the first and only value"));
    }
  }
  causes.push(...bad);
  if (clusterIPs.length > 2) causes.push(invalidValue(FIELD, clusterIPs, "may only hold up to 2 values"));
  if (bad.length > 0) return causes;
  if (clusterIPs.length > 1) {
    const stranger = clusterIPs.findIndex((ip) => !parseIp(ip));
    if (stranger >= 0) causes.push(notDualStack(stranger, clusterIPs[stranger]!));
    if (stranger >= 0 || !isDualStack(clusterIPs)) {
      causes.push(invalidValue(FIELD, clusterIPs, "may specify no more than one IP for each IP family"));
    }
  }
  if (!isHeadless(service)) {
    for (const [index, ip] of clusterIPs.entries()) {
      const family = ipFamilies[index];
      const actual = parseIp(ip)?.family === 6 ? "IPv6" : "IPv4";
      if (family !== undefined && family !== actual && FAMILIES.includes(family)) {
        const rule = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
        causes.push(invalidValue(`${FIELD}[${index}]`, ip, rule));
      }
    }
  }
  return causes;
}

/** What was let through since it stood in the list before: `None`. */
const notDualStack = (index: number, text: string): StatusCause => ({
  reason: "InternalError",
  message: `Internal error: failed to check for dual stack with error:invalid IP[${index}]: ${text}`,
  field: FIELD,
});

const FIXED = "may not change once set";

/** The primary address and family never change; secondary ones come and go with the policy. */
export function checkClusterIpsUpdate(service: Service, old: Service): StatusCause[] {
  if (service.spec.type === "ExternalName" || old.spec.type === "ExternalName") return [];
  const [headless, wasHeadless] = [isHeadless(service), isHeadless(old)];
  if (headless && wasHeadless) return [];
  const policy = service.spec.ipFamilyPolicy;
  const { clusterIPs = [], ipFamilies = [] } = service.spec;
  const { clusterIPs: oldIps = [], ipFamilies: oldFamilies = [] } = old.spec;
  const causes: StatusCause[] = [];
  const singleStackToRelease = (what: string) => {
    if (policy !== "SingleStack") {
      const rule = `must be set to 'SingleStack' when releasing the secondary ${what}`;
      causes.push(invalidValue("spec.ipFamilyPolicy", policy ?? null, rule));
    }
  };
  if (clusterIPs.length === oldIps.length) {
    for (const [index, ip] of oldIps.entries()) {
      if (ip !== clusterIPs[index]) causes.push(invalidValue(`${FIELD}[${index}]`, clusterIPs, FIXED));
    }
  } else {
    if (clusterIPs.length === 0) {
      causes.push(invalidValue(`${FIELD}[0]`, clusterIPs, "primary clusterIP can not be unset"));
    } else if (oldIps.length > 0 && clusterIPs[0] !== oldIps[0]) {
      causes.push(invalidValue(`${FIELD}[0]`, clusterIPs, FIXED));
    }
    if (oldIps.length > clusterIPs.length && clusterIPs.length === 1) singleStackToRelease("clusterIP");
  }
  if (headless !== wasHeadless) return causes;
  const first = "spec.ipFamilies[0]";
  if (ipFamilies.length === oldFamilies.length) {
    for (const [index, family] of oldFamilies.entries()) {
      if (family !== ipFamilies[index]) causes.push(invalidValue(first, ipFamilies, FIXED));
    }
    return causes;
  }
  if (oldFamilies.length > ipFamilies.length && clusterIPs.length === 0) {
    causes.push(invalidValue(first, ipFamilies, "primary ipFamily can not be unset"));
  }
  if (ipFamilies.length > 0 && oldFamilies.length > 0 && ipFamilies[0] !== oldFamilies[0]) {
    causes.push(invalidValue(first, clusterIPs, FIXED));
  }
  if (oldFamilies.length > ipFamilies.length && ipFamilies.length === 1) singleStackToRelease("ipFamily");
  return causes;
}
