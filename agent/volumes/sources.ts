import type { ConfigMap, Pod, Secret } from "../api/index.ts";

/** Where a volume's content comes from: the API, or what is remembered of it while the API is away. */
export interface VolumeSources {
  /** Undefined when there is none of that name. */
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  /** A token bound to the pod, renewed before it expires. */
  serviceAccountToken(pod: Pod, request: { audience?: string; expirationSeconds: number }): Promise<string>;
}
