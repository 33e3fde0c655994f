import type { Pod } from "../../../shared/api/types.ts";
import { normalizedImageName } from "../framework/node-info.ts";
import { MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";

const MIB = 1024 * 1024;
/** Below it an image is not worth a detour; above the other, per container, there is nothing more to gain. */
const MIN_THRESHOLD_BYTES = 23 * MIB;
const MAX_CONTAINER_THRESHOLD_BYTES = 1000 * MIB;

/** Prefers nodes that hold the pod's images already; an image that few nodes have counts less, lest one node fills up. */
export const imageLocality: ScorePlugin = {
  name: "ImageLocality",
  weight: 1,
  score: ({ pod }, node, cluster) => {
    const images = imagesOf(pod);
    if (images.length === 0) return 0;
    const bytes = images.reduce((sum, image) => {
      const size = node.imageBytes.get(image);
      return size === undefined ? sum : sum + Math.trunc((size * cluster.nodesWithImage(image)) / cluster.nodeCount);
    }, 0);
    const containers = (pod.spec?.initContainers?.length ?? 0) + (pod.spec?.containers.length ?? 0);
    const most = MAX_CONTAINER_THRESHOLD_BYTES * containers;
    const bounded = Math.min(most, Math.max(MIN_THRESHOLD_BYTES, bytes));
    return Math.trunc((MAX_NODE_SCORE * (bounded - MIN_THRESHOLD_BYTES)) / (most - MIN_THRESHOLD_BYTES));
  },
};

function imagesOf({ spec }: Pod): string[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const volumes = (spec?.volumes ?? []).map((volume) => volume.image?.reference);
  return [...containers.map((c) => c.image), ...volumes].filter((image) => !!image).map((i) => normalizedImageName(i!));
}
