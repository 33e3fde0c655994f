import { COMPUTE_QUOTAS, COMPUTE_RESOURCES } from "../../../../shared/api/compute-resources.ts";
import {
  duplicate,
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
  valueNotFound,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkQualifiedName } from "../../../../shared/api/names.ts";
import {
  aggregateContainerLimits,
  aggregateContainerRequests,
  isPodLevelResource,
} from "../../../../shared/api/pod-requests.ts";
import {
  compareQuantities,
  hasFraction,
  parseQuantity,
  printQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { CoreV1ResourceClaim, PodSpec, ResourceRequirements } from "../../../../shared/api/types.ts";
import type { PodCheck } from "./context.ts";

const HUGE_PAGES = "hugepages-";
const CONTAINER_RESOURCES = new Set(COMPUTE_RESOURCES);
/** Names without a prefix that mean something somewhere (quota, limit ranges, nodes). */
const STANDARD_RESOURCES = new Set([
  ...COMPUTE_QUOTAS,
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);
const HUGE_PAGE_QUOTA = /^(requests\.|limits\.)?hugepages-/;

export const isHugePages = (name: string) => name.startsWith(HUGE_PAGES);
export const isStandardResource = (name: string) => STANDARD_RESOURCES.has(name) || HUGE_PAGE_QUOTA.test(name);
/** Without a prefix, or under kubernetes.io. */
export const isNativeResource = (name: string) => !name.includes("/") || name.includes("kubernetes.io/");
const isOvercommitAllowed = (name: string) => isNativeResource(name) && !isHugePages(name);

/** `example.com/gpu`: neither native nor a quota's name, and still valid with `requests.` before it. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith("requests.")) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

export function checkResourceName(name: string, field: string): StatusCause[] {
  const causes = invalidEach(field, name, checkQualifiedName(name));
  if (causes.length === 0 && !name.includes("/") && !isStandardResource(name)) {
    causes.push(invalidValue(field, name, "must be a standard resource type or fully qualified"));
  }
  return causes;
}

export function checkContainerResourceName(name: string, field: string): StatusCause[] {
  const causes = checkResourceName(name, field);
  if (!name.includes("/")) {
    if (!CONTAINER_RESOURCES.has(name) && !isHugePages(name)) {
      causes.push(invalidValue(field, name, "must be a standard resource for containers"));
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    causes.push(invalidValue(field, name, "doesn't follow extended resource name standard"));
  }
  return causes;
}

function checkPodResourceName(name: string, field: string): StatusCause[] {
  const causes = checkResourceName(name, field);
  if (causes.length === 0 && !isPodLevelResource(name)) {
    causes.push(notSupported(field, name, ["cpu", HUGE_PAGES, "memory"]));
  }
  return causes;
}

/** Resources that are counted in whole things. */
const INTEGER_RESOURCES = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

/** Not negative, and whole where only whole ones exist. */
export function checkResourceQuantity(name: string, quantity: Quantity, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (compareQuantities(quantity, ZERO_QUANTITY) < 0) {
    causes.push(invalidValue(field, printQuantity(quantity), "must be greater than or equal to 0"));
  }
  if ((INTEGER_RESOURCES.has(name) || isExtendedResource(name)) && hasFraction(quantity)) {
    causes.push(invalidValue(field, printQuantity(quantity), "must be an integer"));
  }
  return causes;
}

/** Huge pages come in multiples of their size, which the name tells: `hugepages-2Mi`. */
function checkHugePages(name: string, quantity: Quantity, field: string): StatusCause[] {
  let size = ZERO_QUANTITY;
  try {
    size = parseQuantity(name.slice(HUGE_PAGES.length));
  } catch {
    // An unreadable size divides nothing: refused below.
  }
  if (size.nanos > 0n && !hasFraction(size) && quantity.nanos >= 0n && quantity.nanos % size.nanos === 0n) {
    return [];
  }
  const printed = printQuantity(quantity);
  return [invalidValue(field, printed, `${printed} is not positive integer multiple of ${name}`)];
}

/** Requests and limits of a container, or of a pod (`level`). */
export function checkResourceRequirements(
  check: Pick<PodCheck, "causes" | "claimNames">,
  resources: ResourceRequirements | undefined,
  path: string,
  level: "container" | "pod" = "container",
): void {
  if (!resources) return;
  const { causes } = check;
  const checkName = level === "pod" ? checkPodResourceName : checkContainerResourceName;
  const { limits = {}, requests = {} } = resources;
  for (const [name, text] of Object.entries(limits)) {
    const field = `${path}.limits[${name}]`;
    const quantity = parseQuantity(text);
    causes.push(...checkName(name, field), ...checkResourceQuantity(name, quantity, field));
    if (isHugePages(name)) causes.push(...checkHugePages(name, quantity, field));
  }
  for (const [name, text] of Object.entries(requests)) {
    const field = `${path}.requests[${name}]`;
    const quantity = parseQuantity(text);
    causes.push(...checkName(name, field), ...checkResourceQuantity(name, quantity, field));
    causes.push(...checkAgainstLimit(name, quantity, limits[name], path));
    if (isHugePages(name)) causes.push(...checkHugePages(name, quantity, field));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    causes.push(fieldForbidden(path, "HugePages require cpu or memory"));
  }
  checkClaimNames(check, resources.claims ?? [], `${path}.claims`);
}

function checkAgainstLimit(
  name: string,
  request: Quantity,
  limitText: string | undefined,
  path: string,
): StatusCause[] {
  if (limitText === undefined) {
    return isOvercommitAllowed(name)
      ? []
      : [required(`${path}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const limit = parseQuantity(limitText);
  const order = compareQuantities(request, limit);
  const refuse = (rule: string) => [
    invalidValue(
      `${path}.requests`,
      printQuantity(request),
      `must be ${rule} to ${name} limit of ${printQuantity(limit)}`,
    ),
  ];
  if (order !== 0 && !isOvercommitAllowed(name)) return refuse("equal");
  return order > 0 ? refuse("less than or equal") : [];
}

function checkClaimNames(
  { causes, claimNames }: Pick<PodCheck, "causes" | "claimNames">,
  claims: CoreV1ResourceClaim[],
  path: string,
): void {
  const seen = new Set<string>();
  for (const [index, { name, request }] of claims.entries()) {
    const field = `${path}[${index}]`;
    if (!name) {
      causes.push(required(field));
      continue;
    }
    if (seen.has(name)) causes.push(duplicate(field, name));
    else {
      if (request) causes.push(...invalidEach(`${field}.request`, request, checkDns1123Label(request)));
      const key = request ? `${name}/${request}` : name;
      if (seen.has(key)) causes.push(duplicate(field, key));
      else if (!request) {
        for (const other of seen) if (other.startsWith(`${name}/`)) causes.push(duplicate(field, name));
      }
      seen.add(key);
    }
    if (!claimNames.has(name)) {
      const known = [...claimNames].sort().join(", ");
      const cause = valueNotFound(field, name);
      cause.message += `: must be one of the names in pod.spec.resourceClaims${known === "" ? " which is empty" : `: ${known}`}`;
      causes.push(cause);
    }
  }
}

/** Resources of the pod as a whole (KEP-2837). */
export function checkPodLevelResources(check: PodCheck, path: string): void {
  const { causes, spec } = check;
  if (!spec.resources) return;
  const field = `${path}.resources`;
  if (spec.os?.name === "windows") {
    causes.push(fieldForbidden(field, "may not be set for a windows pod"));
    return;
  }
  if (spec.resources.claims) {
    causes.push(fieldForbidden(`${field}.claims`, "claims may not be set for Resources at pod-level"));
  }
  checkResourceRequirements(check, spec.resources, field, "pod");
  causes.push(...checkPodLevelConsistency(spec, field));
}

function checkPodLevelConsistency(spec: PodSpec, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const { requests = {}, limits = {} } = spec.resources ?? {};
  for (const [name, sum] of aggregateContainerRequests(spec)) {
    const own = requests[name];
    if (own === undefined || compareQuantities(sum, parseQuantity(own)) <= 0) continue;
    causes.push(
      invalidValue(
        `${path}.requests[${name}]`,
        own,
        `must be greater than or equal to aggregate container requests of ${printQuantity(sum)}`,
      ),
    );
  }
  for (const [name, sum] of aggregateContainerLimits(spec)) {
    const own = limits[name];
    if (!isHugePages(name) || own === undefined || compareQuantities(sum, parseQuantity(own)) <= 0) continue;
    causes.push(
      invalidValue(
        `${path}.limits[${name}]`,
        own,
        `must be greater than or equal to aggregate container limits of ${printQuantity(sum)}`,
      ),
    );
  }
  for (const [index, container] of (spec.containers ?? []).entries()) {
    for (const [name, text] of Object.entries(container.resources?.limits ?? {})) {
      const own = limits[name];
      if (own === undefined || compareQuantities(parseQuantity(text), parseQuantity(own)) <= 0) continue;
      causes.push(
        invalidValue(
          `${path}.containers[${index}][${name}].limits`,
          text,
          `must be less than or equal to pod limits of ${own}`,
        ),
      );
    }
  }
  return causes;
}
