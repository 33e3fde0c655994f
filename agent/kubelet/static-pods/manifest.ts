import { createHash } from "node:crypto";
import { parse } from "yaml";
import type { Json } from "../../../shared/api/json.ts";
import { applyPodOnlyDefaults, applyPodSpecDefaults } from "../../../shared/api/pod-defaults.ts";
import type { PodSpec } from "../../../shared/api/types.ts";
import { applyDefaults, decodeObject } from "../../../shared/schema/index.ts";
import { type Pod, whyUnusable } from "../../api/index.ts";
import { podReferences } from "../references.ts";
import { CONFIG_HASH, CONFIG_SEEN, CONFIG_SOURCE } from "./annotations.ts";

const POD = "io.k8s.api.core.v1.Pod";

/**
 * The pod of a manifest, in YAML or JSON, as the kubelet makes it its own: defaulted as the API server would do it, named
 * after the node, with a uid that follows from what the manifest says and where it lies, and never to be evicted.
 * @param source.nowMs when the file was seen, epoch ms
 * @throws Error if it is no pod, or one that cannot be run without the API
 */
export function parseManifest(text: string, source: { file: string; nodeName: string; nowMs: number }): Pod {
  const value = parse(text) as Json;
  const { apiVersion, kind } = (value ?? {}) as { apiVersion?: unknown; kind?: unknown };
  if (apiVersion !== "v1" || kind !== "Pod") throw new Error(`invalid pod: it is ${apiVersion}, Kind=${kind}`);
  const { object } = decodeObject(POD, value, "Ignore");
  applyDefaults(POD, object);
  const pod = object as unknown as Pod;
  if (!pod.metadata?.name) throw new Error("invalid pod: name is needed for the pod");
  applyPodSpecDefaults(pod.spec as PodSpec);
  applyPodOnlyDefaults(pod.spec as PodSpec);
  const { file, nodeName, nowMs } = source;
  const uid = pod.metadata.uid || hashOf(pod, `host:${nodeName}file:${file}`);
  const named: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...pod.metadata,
      name: `${pod.metadata.name}-${nodeName.toLowerCase()}`,
      namespace: pod.metadata.namespace || "default",
      uid,
      annotations: {
        ...pod.metadata.annotations,
        [CONFIG_HASH]: uid,
        [CONFIG_SEEN]: new Date(nowMs).toISOString(),
        [CONFIG_SOURCE]: "file",
      },
    },
    spec: {
      ...pod.spec,
      nodeName,
      // No taint of its node moves it: nobody could start it elsewhere.
      tolerations: [...(pod.spec.tolerations ?? []), { operator: "Exists", effect: "NoExecute" }],
    },
  };
  const why = whyUnusable(named) ?? (named.spec.containers.length === 0 ? "it has no containers" : undefined);
  if (why) throw new Error(`invalid pod: ${why}`);
  const reference = findApiReference(named);
  if (reference) throw new Error(`static pods may not reference ${reference}`);
  return named;
}

/** 128 bits in hexadecimal, as upstream's is; it need not be the same. */
const hashOf = (pod: Pod, place: string) =>
  createHash("sha256").update(JSON.stringify(pod)).update(place).digest("hex").slice(0, 32);

/** What a pod needs of the API, which may not be there when it starts: in the plural of the resource, with the way. */
function findApiReference(pod: Pod): string | undefined {
  const { spec } = pod;
  if (spec.serviceAccountName) return "serviceaccounts";
  for (const volume of spec.volumes ?? []) {
    if (volume.configMap) return "configmaps (via configmap volumes)";
    if (volume.secret) return "secrets (via secret volumes)";
    if (volume.csi) return "csidrivers (via CSI volumes)";
    if (volume.persistentVolumeClaim) return "persistentvolumeclaims";
    if (volume.ephemeral) return "persistentvolumeclaims (via ephemeral volumes)";
    if (volume.glusterfs) return "endpoints (via glusterFS volumes)";
    if (volume.azureFile) return "secrets (via azureFile volumes)";
    for (const source of volume.projected?.sources ?? []) {
      if (source.configMap) return "configmaps (via projected volumes)";
      if (source.secret) return "secrets (via projected volumes)";
      if (source.serviceAccountToken) return "serviceaccounts (via projected volumes)";
    }
  }
  const [key] = podReferences(pod);
  if (key) return key.split("_")[0];
  return spec.resourceClaims?.length ? "resourceclaims" : undefined;
}
