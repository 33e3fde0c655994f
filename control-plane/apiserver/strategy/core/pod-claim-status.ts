import { duplicate, invalidEach, invalidValue, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PodSpec, PodStatus } from "../../../../shared/api/types.ts";

/** The claims made for a pod are those that its spec asks for, each once. */
export function checkClaimStatuses(
  statuses: PodStatus["resourceClaimStatuses"] = [],
  claims: PodSpec["resourceClaims"] = [],
): StatusCause[] {
  const seen = new Set<string>();
  return statuses.flatMap(({ name, resourceClaimName }, index) => {
    const field = `status.resourceClaimStatuses[${index}]`;
    const causes = claims.some((claim) => claim.name === name)
      ? []
      : [invalidValue(`${field}.name`, name, "must match the name of an entry in `spec.resourceClaims`")];
    if (seen.has(name)) causes.push(duplicate(`${field}.name`, name));
    seen.add(name);
    if (resourceClaimName === undefined) return causes;
    return [
      ...causes,
      ...invalidEach(`${field}.resourceClaimName`, resourceClaimName, checkDns1123Subdomain(resourceClaimName)),
    ];
  });
}

const NO_CONTAINER = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
const NO_RESOURCE =
  "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";

/** The claim behind extended resources (KEP-5004), and which request of it stands for which resource. */
export function checkExtendedClaim(status: PodStatus["extendedResourceClaimStatus"], spec: PodSpec): StatusCause[] {
  if (!status) return [];
  const path = "status.extendedResourceClaimStatus";
  const containers = new Map(
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((container) => [container.name, container]),
  );
  const mappings = status.requestMappings ?? [];
  const causes: StatusCause[] = [];
  if (mappings.length === 0) {
    causes.push(required(`${path}.requestMappings`, "at least one request mapping is required"));
  }
  const seen = new Set<string>();
  for (const [index, { containerName, resourceName, requestName }] of mappings.entries()) {
    const field = `${path}.requestMappings[${index}]`;
    const container = containers.get(containerName);
    if (!container) causes.push(invalidValue(`${field}.containerName`, containerName, NO_CONTAINER));
    else if (container.resources?.requests?.[resourceName] === undefined) {
      causes.push(invalidValue(`${field}.resourceName`, resourceName, NO_RESOURCE));
    }
    causes.push(...invalidEach(`${path}.requestName`, requestName, checkDns1123Label(requestName)));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      causes.push(
        duplicate(`${field}.containerName`, containerName),
        duplicate(`${field}.resourceName`, resourceName),
        duplicate(`${field}.requestName`, requestName),
      );
    }
    seen.add(key);
  }
  const name = status.resourceClaimName;
  if (!name) causes.push(required(`${path}.resourceClaimName`));
  else causes.push(...invalidEach(`${path}.resourceClaimName`, name, checkDns1123Subdomain(name)));
  return causes;
}
