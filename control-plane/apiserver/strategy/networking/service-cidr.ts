import { FIELD_IMMUTABLE, invalidEach, invalidValue, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { IPAddress, ServiceCIDR } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { checkStrictCidr, checkStrictIp } from "../ip-rules.ts";
import { checkSegment } from "../references.ts";
import type { Strategy } from "../strategy.ts";

const FIELD = "spec.cidrs";

function checkCidrs(cidrs: string[]): StatusCause[] {
  if (cidrs.length === 0) return [required(FIELD, "at least one CIDR required")];
  if (cidrs.length > 2) return [invalidValue(FIELD, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const causes = cidrs.flatMap((cidr, i) => checkStrictCidr(cidr, `${FIELD}[${i}]`));
  const isV6 = cidrs.map((cidr) => cidr.includes(":"));
  if (cidrs.length === 2 && causes.length === 0 && isV6[0] === isV6[1]) {
    const detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    causes.push(invalidValue(FIELD, cidrs, detail));
  }
  return causes;
}

/** A second family may be added; nothing else changes. */
function checkCidrsUpdate(wanted: string[] | undefined, old: string[]): StatusCause[] {
  const cidrs = wanted ?? [];
  if (cidrs.length !== old.length && !(old.length === 1 && cidrs.length === 2)) {
    return [invalidValue(FIELD, wanted ?? null, FIELD_IMMUTABLE)];
  }
  const changed = old.flatMap((cidr, i) =>
    cidr === cidrs[i] ? [] : [invalidValue(`${FIELD}[${i}]`, cidrs[i], FIELD_IMMUTABLE)],
  );
  return cidrs.length === old.length ? changed : [...changed, ...checkCidrs(cidrs)];
}

export const SERVICE_CIDR_STRATEGY: Strategy<ServiceCIDR> = {
  metaKeptFromStatus: "all",
  validate: ({ spec }) => checkCidrs(spec?.cidrs ?? []),
  validateUpdate: ({ spec }, old) => checkCidrsUpdate(spec?.cidrs, old.spec?.cidrs ?? []),
};

function checkParent({ spec }: IPAddress): StatusCause[] {
  const parent = spec?.parentRef;
  const path = "spec.parentRef";
  if (!parent) return [required(path)];
  const { group = "" } = parent;
  return [
    // The group of Services is empty.
    ...(group === "" ? [] : invalidEach(`${path}.group`, group, checkDns1123Subdomain(group))),
    ...checkSegment(parent.resource, `${path}.resource`),
    ...checkSegment(parent.name, `${path}.name`),
    ...(parent.namespace ? checkSegment(parent.namespace, `${path}.namespace`) : []),
  ];
}

/** The internal type, as upstream prints it. */
function printParent({ spec }: IPAddress) {
  const parent = spec?.parentRef;
  if (!parent) return null;
  const { group = "", resource = "", namespace = "", name = "" } = parent;
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

export const IP_ADDRESS_STRATEGY: Strategy<IPAddress> = {
  checksMetaAgain: true,
  nameRule: (name) => checkStrictIp(name, "").map(({ message = "" }) => message.replace(/^Invalid value: ".*?": /, "")),
  validate: checkParent,
  validateUpdate: (address, old) => [
    ...checkParent(address),
    ...(isEqual(address.spec?.parentRef, old.spec?.parentRef)
      ? []
      : [invalidValue("spec.parentRef", printParent(address), FIELD_IMMUTABLE)]),
  ],
};
