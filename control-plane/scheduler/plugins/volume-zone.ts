import type { PersistentVolume } from "../../../shared/api/types.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import { type FilterPlugin, unresolvable } from "../framework/plugin.ts";
import { sortClaims } from "../volumes/index.ts";

export const REASON = "node(s) had no available volume zone";

/** Labels of zones and regions, with their older names. */
const TOPOLOGY_LABELS: readonly (readonly [label: string, current: string])[] = [
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["topology.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["topology.kubernetes.io/region", "topology.kubernetes.io/region"],
];
/** Between the zones of a volume that has several. */
const SEPARATOR = "__";

/** A pod goes into the zone and region of its bound volumes. A node that has neither label takes any. */
export const volumeZone: FilterPlugin = {
  name: "VolumeZone",
  preFilter: ({ pod }, { storage }) => {
    const claims = sortClaims(pod, storage);
    if (!claims || "never" in claims) return undefined;
    const gone = claims.bound.find(({ spec }) => !storage.volume(spec!.volumeName!));
    return gone && { never: `persistentvolume ${JSON.stringify(gone.spec!.volumeName)} not found` };
  },
  prepare: ({ pod }, { storage }) => {
    const claims = sortClaims(pod, storage);
    if (!claims || "never" in claims) return undefined;
    const volumes = claims.bound.flatMap(({ spec }) => storage.volume(spec!.volumeName!) ?? []);
    const wanted = volumes.flatMap(zonesOf);
    if (wanted.length === 0) return undefined;
    return {
      filter: ({ labels }) => {
        if (!TOPOLOGY_LABELS.some(([label]) => label in labels)) return undefined;
        return wanted.every((zone) => isIn(zone, labels)) ? undefined : unresolvable(REASON);
      },
    };
  },
};

interface Zone {
  label: string;
  current: string;
  values: string[];
}

const zonesOf = ({ metadata }: PersistentVolume): Zone[] =>
  TOPOLOGY_LABELS.flatMap(([label, current]) => {
    const values = metadata.labels?.[label]?.split(SEPARATOR).map((value) => value.trim());
    return values ? [{ label, current, values }] : [];
  });

const isIn = ({ label, current, values }: Zone, labels: NodeInfo["labels"]): boolean =>
  values.includes(labels[label] ?? labels[current] ?? "");
