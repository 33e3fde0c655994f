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
  prepare: ({ pod }, feasible, { nodes }) => {
    const images = imagesOf(pod).filter((image) => feasible.some(({ imageBytes }) => imageBytes.has(image)));
    if (images.length === 0) return undefined;
    const shares = images.map((image) => ({
      image,
      share: nodes.filter(({ imageBytes }) => imageBytes.has(image)).length / nodes.length,
    }));
    const containers = (pod.spec?.initContainers?.length ?? 0) + (pod.spec?.containers.length ?? 0);
    const most = MAX_CONTAINER_THRESHOLD_BYTES * containers;
    return {
      score: ({ imageBytes }) => {
        const bytes = shares.reduce(
          (sum, { image, share }) => sum + Math.trunc((imageBytes.get(image) ?? 0) * share),
          0,
        );
        const bounded = Math.min(most, Math.max(MIN_THRESHOLD_BYTES, bytes));
        return Math.trunc((MAX_NODE_SCORE * (bounded - MIN_THRESHOLD_BYTES)) / (most - MIN_THRESHOLD_BYTES));
      },
    };
  },
};

function imagesOf({ spec }: Pod): string[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const volumes = (spec?.volumes ?? []).map((volume) => volume.image?.reference);
  return [...containers.map((c) => c.image), ...volumes].filter((image) => !!image).map((i) => normalizedImageName(i!));
}
