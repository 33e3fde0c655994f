import { quote } from "../../shared/api/field-error.ts";
import type { Pod } from "../api/index.ts";

export interface PodAddresses {
  hostIps: string[];
  podIps: string[];
}

/**
 * The value of a fieldRef, for an environment variable or a file of the downward API.
 * @throws Error if the field is not one that may be referred to
 */
export function podFieldValue(pod: Pod, fieldPath: string, { hostIps, podIps }: PodAddresses): string {
  const subscript = /^metadata\.(annotations|labels)\['(.*)'\]$/.exec(fieldPath);
  if (subscript) return pod.metadata[subscript[1] as "annotations" | "labels"]?.[subscript[2]!] ?? "";
  switch (fieldPath) {
    case "metadata.name":
      return pod.metadata.name;
    case "metadata.namespace":
      return pod.metadata.namespace;
    case "metadata.uid":
      return pod.metadata.uid;
    case "metadata.labels":
      return formatMap(pod.metadata.labels);
    case "metadata.annotations":
      return formatMap(pod.metadata.annotations);
    case "spec.nodeName":
      return pod.spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "";
    case "status.hostIP":
      return hostIps[0] ?? "";
    case "status.hostIPs":
      return hostIps.join(",");
    case "status.podIP":
      return podIps[0] ?? "";
    case "status.podIPs":
      return podIps.join(",");
    default:
      throw new Error(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** One `key="value"` a line, sorted. */
function formatMap(map: Record<string, string> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .join("\n");
}
