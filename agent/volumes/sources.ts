import type { PersistentVolume } from "../../shared/api/types.ts";
import type { ConfigMap, Pod, Secret, Volume } from "../api/index.ts";

/** Where a volume's content comes from: the API, or what is remembered of it while the API is away. */
export interface VolumeSources {
  /** Of the pod's namespace; undefined when there is none of that name. */
  configMap(pod: Pod, name: string): Promise<ConfigMap | undefined>;
  secret(pod: Pod, name: string): Promise<Secret | undefined>;
  /** What a claim of the pod's is bound to. @throws ClaimError */
  persistentVolume(pod: Pod, volume: Volume): Promise<PersistentVolume>;
  /** A token bound to the pod, renewed before it expires. */
  serviceAccountToken(pod: Pod, request: { audience?: string; expirationSeconds: number }): Promise<string>;
}
