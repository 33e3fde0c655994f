import { isReady } from "../../../shared/api/conditions.ts";
import { parseTime } from "../../runtime/index.ts";
import { decide, type Plan, type VolumeNode } from "./decide.ts";
import { type AttachDeps, BY_VOLUME, type Known, noteKey } from "./deps.ts";
import { isOutOfService } from "./node.ts";
import type { AttachableVolume } from "./volume.ts";

/** Looks at the nodes and the notes, and decides. */
export function planFor({ volume, pods, attachments, scope }: Known, deps: AttachDeps): Plan {
  const prefix = noteKey(scope);
  const noted = new Map([...deps.notes.list<number>(prefix)].map(([key, ms]) => [key.slice(prefix.length), ms]));
  const plan = decide({
    isExclusive: volume.isExclusive,
    pods,
    attachments: [...attachments].map(([nodeName, { metadata, status }]) => ({
      nodeName,
      isAttached: status?.attached === true,
      createdMs: parseTime(metadata.creationTimestamp),
      isGoing: metadata.deletionTimestamp !== undefined,
    })),
    nodes: nodesOf(volume, [...attachments.keys(), ...pods.map(({ nodeName }) => nodeName)], noted, deps),
    nowMs: deps.clock.nowMs(),
  });
  if (Object.values(plan).some((part) => Array.isArray(part) && part.length > 0)) {
    deps.log.info("attach-detach plan", { volume: volume.name, plan });
  }
  return plan;
}

/** @param noted since when nodes have not needed it */
function nodesOf(
  { uniqueName }: AttachableVolume,
  names: string[],
  noted: ReadonlyMap<string, number>,
  { nodes }: AttachDeps,
): Map<string, VolumeNode> {
  const reporting = nodes.byIndex(BY_VOLUME, uniqueName).map(({ metadata }) => metadata.name);
  return new Map(
    [...names, ...reporting, ...noted.keys()].map((nodeName) => {
      const node = nodes.get(nodeName);
      const facts: VolumeNode = {
        isInUse: node?.status?.volumesInUse?.includes(uniqueName) ?? node === undefined,
        isHealthy: node !== undefined && isReady(node),
        isOutOfService: node !== undefined && isOutOfService(node),
        isReported: reporting.includes(nodeName),
        unneededSinceMs: noted.get(nodeName),
      };
      return [nodeName, facts];
    }),
  );
}
