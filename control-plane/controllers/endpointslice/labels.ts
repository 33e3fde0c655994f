import { SERVICE_NAME } from "../../../shared/api/endpoint-slice.ts";
import type { Service } from "../../../shared/api/types.ts";
import { isHeadless } from "../service-pods.ts";

export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const CONTROLLER_NAME = "endpointslice-controller.k8s.io";
const HEADLESS = "service.kubernetes.io/headless";

/** Those of the Service, and the ones by which slices are found; the Service cannot set these. */
export function labelsOf(service: Service): Record<string, string> {
  const { [SERVICE_NAME]: _name, [MANAGED_BY]: _by, [HEADLESS]: _headless, ...own } = service.metadata.labels ?? {};
  return {
    ...own,
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: CONTROLLER_NAME,
    ...(isHeadless(service) ? { [HEADLESS]: "" } : {}),
  };
}
