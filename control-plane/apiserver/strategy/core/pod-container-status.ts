import {
  duplicate,
  fieldForbidden,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Container, ContainerStatus, Pod, ResourceHealth } from "../../../../shared/api/types.ts";
import { checkId } from "../pod-spec/index.ts";

const LISTS = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

/** What kubelets report of containers: who they run as, and how the devices that they got are. */
export function checkContainerStatuses({ spec, status }: Pod): StatusCause[] {
  const os = spec.os?.name ?? "linux";
  const users = LISTS.flatMap((list) =>
    (status?.[list] ?? []).flatMap(({ user }, index) => checkUser(user, os, `status.${list}[${index}].user.linux`)),
  );
  return [
    ...users,
    ...checkHealth(status?.containerStatuses, spec.containers, "status.containerStatuses"),
    ...checkHealth(status?.initContainerStatuses, spec.initContainers, "status.initContainerStatuses"),
    ...(status?.ephemeralContainerStatuses ?? []).flatMap(({ allocatedResourcesStatus = [] }, index) =>
      allocatedResourcesStatus.length === 0
        ? []
        : [
            fieldForbidden(
              `status.ephemeralContainerStatuses[${index}].allocatedResourcesStatus`,
              "must not be specified in container status",
            ),
          ],
    ),
  ];
}

function checkUser(user: ContainerStatus["user"], os: string, path: string): StatusCause[] {
  const linux = user?.linux;
  if (!linux) return [];
  if (os === "windows") return [fieldForbidden(path, "cannot be set for a windows pod")];
  if (os !== "linux") return [];
  return [
    ...checkId(linux.uid, `${path}.uid`),
    ...checkId(linux.gid, `${path}.gid`),
    ...(linux.supplementalGroups ?? []).flatMap((gid, index) => checkId(gid, `${path}.supplementalGroups[${index}]`)),
  ];
}

const NO_CLAIM =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
const NO_REQUEST = "must match one of the container's resource requests";

/** Of a container that is not there, any name will do. */
function checkHealth(
  statuses: ContainerStatus[] = [],
  containers: Container[] | undefined,
  path: string,
): StatusCause[] {
  return statuses.flatMap(({ name, allocatedResourcesStatus = [] }, i) => {
    const container = containers?.find((other) => other.name === name);
    return allocatedResourcesStatus.flatMap(({ name: resource, resources = [] }, j) => {
      const field = `${path}[${i}].allocatedResourcesStatus[${j}]`;
      const isKnown = !container || namesOf(container, resource).includes(resource);
      const why = resource.startsWith("claim:") ? NO_CLAIM : NO_REQUEST;
      return [
        ...(isKnown ? [] : [invalidValue(`${field}.name`, resource, why)]),
        ...checkDevices(resources, `${field}.resources`),
      ];
    });
  });
}

function namesOf({ resources }: Container, resource: string): string[] {
  if (!resource.startsWith("claim:")) return Object.keys(resources?.requests ?? {});
  return (resources?.claims ?? []).map(({ name, request }) => `claim:${name}${request ? `/${request}` : ""}`);
}

const HEALTH = ["Healthy", "Unhealthy", "Unknown"];
const MAX_MESSAGE_BYTES = 1024;

function checkDevices(devices: ResourceHealth[], path: string): StatusCause[] {
  const seen = new Set<string>();
  return devices.flatMap(({ resourceID = "", health = "", message }, index) => {
    const field = `${path}[${index}]`;
    const causes = HEALTH.includes(health) ? [] : [notSupported(`${field}.health`, health, HEALTH)];
    if (message === "") causes.push(required(`${field}.message`, "must be non-empty if specified"));
    else if (message !== undefined && new TextEncoder().encode(message).length > MAX_MESSAGE_BYTES) {
      causes.push(tooLong(`${field}.message`, MAX_MESSAGE_BYTES));
    }
    if (seen.has(resourceID)) causes.push(duplicate(`${field}.resourceID`, resourceID));
    seen.add(resourceID);
    return causes;
  });
}
