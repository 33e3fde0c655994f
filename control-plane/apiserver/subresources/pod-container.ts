import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest, notFound } from "../../../shared/api/status.ts";
import type { ApiContext, RequestAttributes } from "../attributes.ts";
import { clusterReader } from "../cluster-reader.ts";

const PODS = { group: "", resource: "pods" };

/** What these subresources read of a pod. */
export interface PodOfContainers extends KubeObject {
  spec: {
    nodeName?: string;
    containers: { name: string }[];
    initContainers?: { name: string }[];
    ephemeralContainers?: { name: string }[];
  };
}

/** @throws ApiError 404 */
export async function readPod(context: ApiContext, attributes: RequestAttributes): Promise<PodOfContainers> {
  const { name = "", namespace } = attributes;
  const pod = await clusterReader(context.env, context.cluster).getLive(PODS, name, namespace);
  if (!pod) throw notFound(PODS, name);
  return pod as PodOfContainers;
}

/**
 * The container that a request for logs or a session means: the one it names, else the pod's only one.
 * @throws ApiError 400 with upstream's words (registry/core/pod, validateContainer)
 */
export function chooseContainer(pod: PodOfContainers, asked: string): string {
  const { name } = pod.metadata;
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const names = [...initContainers, ...containers, ...ephemeralContainers].map((container) => container.name);
  if (asked !== "") {
    if (!names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  if (containers.length === 1) return containers[0]!.name;
  if (containers.length === 0) throw badRequest(`a container name must be specified for pod ${name}`);
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(" ")}]`);
}

/** @throws ApiError 400 when the pod has no node yet */
export function nodeOf(pod: PodOfContainers): string {
  if (!pod.spec.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  return pod.spec.nodeName;
}

/** `/<area>/<namespace>/<pod>[/<container>]` on the kubelet. */
export function kubeletPath(area: string, pod: PodOfContainers, container?: string): string {
  const parts = [area, pod.metadata.namespace ?? "", pod.metadata.name, ...(container ? [container] : [])];
  return `/${parts.map(encodeURIComponent).join("/")}`;
}
