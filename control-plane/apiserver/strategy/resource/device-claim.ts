import { duplicate, invalidEach, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ResourceClaim } from "../../../../shared/api/types.ts";
import {
  checkBounded,
  checkConfiguration,
  checkDeviceToleration,
  checkFullAttributeName,
  checkSelectors,
} from "./device-selectors.ts";

type Spec = ResourceClaim["spec"];
type Claim = NonNullable<Spec["devices"]>;
type Request = NonNullable<Claim["requests"]>[number];
type ExactRequest = NonNullable<Request["exactly"]>;
type Constraint = NonNullable<Claim["constraints"]>[number];

const MAX_REQUESTS = 32;
const MAX_CONSTRAINTS = 32;
const MAX_CONFIGURATIONS = 32;
const MAX_ALTERNATIVES = 8;
const MODES = ["All", "ExactCount"];

/** An exact count is one, unless it is told. */
export function defaultCounts({ devices }: Partial<Spec>): void {
  for (const { exactly, firstAvailable } of devices?.requests ?? []) {
    for (const request of [...(exactly ? [exactly] : []), ...(firstAvailable ?? [])]) {
      if (request.allocationMode === "ExactCount") request.count ||= 1;
    }
  }
}

function checkAmount({ allocationMode = "", count = 0 }: Partial<ExactRequest>, path: string): StatusCause[] {
  if (allocationMode === "ExactCount") {
    return count <= 0 ? [invalidValue(`${path}.count`, count, "must be greater than zero")] : [];
  }
  if (allocationMode !== "All") return [notSupported(`${path}.allocationMode`, allocationMode, MODES)];
  return count === 0
    ? []
    : [invalidValue(`${path}.count`, count, `must not be specified when allocationMode is '${allocationMode}'`)];
}

function checkExact(request: ExactRequest, path: string): StatusCause[] {
  const { deviceClassName = "", selectors, tolerations = [] } = request;
  const field = `${path}.deviceClassName`;
  return [
    ...(deviceClassName === ""
      ? [required(field)]
      : invalidEach(field, deviceClassName, checkDns1123Subdomain(deviceClassName))),
    ...checkSelectors(selectors, `${path}.selectors`),
    ...checkAmount(request, path),
    ...tolerations.flatMap((toleration, i) => checkDeviceToleration(toleration, `${path}.tolerations[${i}]`)),
  ];
}

const checkRequestName = (name: string, field: string) => invalidEach(field, name, checkDns1123Label(name));

/** The items must have different names. */
function checkUnique(names: string[], field: string): StatusCause[] {
  return names.flatMap((name, i) => (names.indexOf(name) < i ? [duplicate(`${field}[${i}]`, name)] : []));
}

/** A list that is too long is not looked into. */
function checkNamed<T>(
  list: T[],
  field: string,
  maxItems: number,
  check: (item: T, path: string) => StatusCause[],
  nameOf: (item: T) => string,
): StatusCause[] {
  const causes = checkBounded(list, field, maxItems, check);
  return list.length > maxItems ? causes : [...causes, ...checkUnique(list.map(nameOf), field)];
}

function checkRequest({ name = "", exactly, firstAvailable = [] }: Request, path: string): StatusCause[] {
  const causes = checkRequestName(name, `${path}.name`);
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly && firstAvailable.length > 0) {
    return [...causes, invalidValue(path, null, `${one}, but multiple fields are set`)];
  }
  if (exactly) return [...causes, ...checkExact(exactly, `${path}.exactly`)];
  if (firstAvailable.length === 0) return [...causes, required(path, one)];
  const checkAlternative = (alternative: (typeof firstAvailable)[number], field: string) => [
    ...checkRequestName(alternative.name ?? "", `${field}.name`),
    ...checkExact(alternative, field),
  ];
  const field = `${path}.firstAvailable`;
  return [
    ...causes,
    ...checkNamed(firstAvailable, field, MAX_ALTERNATIVES, checkAlternative, (item) => item.name ?? ""),
  ];
}

/** What constraints and configurations may name: requests, and their alternatives after a slash. */
export function requestNames({ requests }: Claim): Set<string> {
  const names = (requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
    name,
    ...firstAvailable.map((alternative) => `${name}/${alternative.name}`),
  ]);
  return new Set(names);
}

export function checkReferences(references: string[] = [], field: string, known: Set<string>): StatusCause[] {
  const check = (name: string, path: string) => checkReference(name, path, known);
  return checkNamed(references, field, MAX_REQUESTS, check, (name) => name);
}

/** The name of a request, or of one of its alternatives. */
export function checkReference(name: string, path: string, known: Set<string>): StatusCause[] {
  const unknown =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const parts = name.split("/");
  if (parts.length > 2) return [invalidValue(path, name, unknown)];
  const causes = parts.flatMap((part) => checkRequestName(part, path));
  return known.has(name) ? causes : [...causes, invalidValue(path, name, unknown)];
}

function checkConstraint(constraint: Constraint, path: string, known: Set<string>): StatusCause[] {
  const { requests, matchAttribute: same, distinctAttribute: distinct } = constraint;
  const causes = checkReferences(requests, `${path}.requests`, known);
  if (same !== undefined) return [...causes, ...checkFullAttributeName(same, `${path}.matchAttribute`)];
  if (distinct !== undefined) return [...causes, ...checkFullAttributeName(distinct, `${path}.distinctAttribute`)];
  // The text is that of another fault: upstream's is.
  const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...causes, required(path, why)];
}

/** `path`: of the claim's spec. */
export function checkClaimSpec({ devices }: Partial<Spec>, path: string): StatusCause[] {
  if (!devices) return [];
  const field = `${path}.devices`;
  const known = requestNames(devices);
  return [
    ...checkNamed(devices.requests ?? [], `${field}.requests`, MAX_REQUESTS, checkRequest, ({ name }) => name),
    ...checkBounded(devices.constraints, `${field}.constraints`, MAX_CONSTRAINTS, (constraint, at) =>
      checkConstraint(constraint, at, known),
    ),
    ...checkBounded(devices.config, `${field}.config`, MAX_CONFIGURATIONS, (configuration, at) => [
      ...checkReferences(configuration.requests, `${at}.requests`, known),
      ...checkConfiguration(configuration, at),
    ]),
  ];
}
