import type { EndpointSlice } from "./types.ts";

/** On a slice: the Service of its namespace that it is of (discovery.k8s.io/v1, LabelServiceName). */
export const SERVICE_NAME = "kubernetes.io/service-name";

/** On slices and Endpoints: since when the world is as they say; by it service proxies measure how long they take to follow. */
export const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

/** `<namespace>/<name>` of the Service that a slice is of; undefined if it is of none, or is not there. */
export function serviceKeyOf(slice: Pick<EndpointSlice, "metadata"> | undefined): string | undefined {
  const name = slice?.metadata.labels?.[SERVICE_NAME];
  return name && `${slice?.metadata.namespace}/${name}`;
}
