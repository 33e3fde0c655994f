import type { DaemonSet, Pod } from "../../../shared/api/types.ts";
import { isPodAvailable } from "../pod-state.ts";
import type { NodePods } from "./by-node.ts";
import { isUpdated } from "./pod.ts";
import { rollingLimits } from "./rolling-limits.ts";

export interface Rollout {
  set: DaemonSet;
  nodes: NodePods[];
  hash: string;
}

interface Step {
  /** Names of nodes that get a new pod beside the old one. */
  create: string[];
  /** Old pods. */
  remove: Pod[];
}

/** The old pods to give up now, or the nodes to start new ones on, within maxUnavailable or maxSurge. */
export function decideRollingUpdate(rollout: Rollout, nowMs: number): Step {
  const { set, nodes } = rollout;
  const wanted = nodes.filter(({ shouldRun }) => shouldRun).length;
  const { maxSurge, maxUnavailable } = rollingLimits(set, wanted);
  const sites = nodes
    .filter(({ shouldRun, pods }) => shouldRun || pods.length > 0)
    .map((node) => siteOf(node, rollout, nowMs));
  return maxSurge === 0 ? replace(sites, maxUnavailable) : surge(sites, { maxSurge, wanted });
}

/** What a node has of old and new pods that stay; undefined `old` and `new` with `isCrowded`. */
interface Site {
  node: NodePods;
  new: Candidate | undefined;
  old: Candidate | undefined;
  /** More than one of the old or of the new: to be cleared up first. */
  isCrowded: boolean;
}

interface Candidate {
  pod: Pod;
  isAvailable: boolean;
}

function siteOf(node: NodePods, { set, hash }: Rollout, nowMs: number): Site {
  const staying = node.pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const candidates = staying.map((pod) => ({
    pod,
    isNew: isUpdated(set, pod, hash),
    isAvailable: isPodAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs),
  }));
  const ofNew = candidates.filter(({ isNew }) => isNew);
  const ofOld = candidates.filter(({ isNew }) => !isNew);
  const isCrowded = ofNew.length > 1 || ofOld.length > 1;
  return { node, new: ofNew[0], old: ofOld[0], isCrowded };
}

/** Old pods that serve nobody go at once; of the others as many as may be missing beside the nodes without a good pod. */
function replace(sites: Site[], maxUnavailable: number): Step {
  const unavailable: Pod[] = [];
  const available: Pod[] = [];
  let missing = 0;
  for (const { isCrowded, old, new: fresh } of sites) {
    const isOldAlone = !isCrowded && old !== undefined && fresh === undefined;
    if (isOldAlone) (old.isAvailable ? available : unavailable).push(old.pod);
    const isGood = !isCrowded && (isOldAlone ? old.isAvailable : !old && fresh?.isAvailable === true);
    if (!isGood) missing += 1;
  }
  return { create: [], remove: [...unavailable, ...available.slice(0, Math.max(0, maxUnavailable - missing))] };
}

/** New pods come beside old ones, which go when the new are available; where the old serves nobody, no room is needed. */
function surge(sites: Site[], { maxSurge, wanted }: { maxSurge: number; wanted: number }): Step {
  const step: Step = { create: [], remove: [] };
  const candidates: string[] = [];
  const misplaced: Pod[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, isCrowded, old, new: fresh } of sites) {
    if (isCrowded) {
      surging += 1;
      continue;
    }
    if ((old ?? fresh)?.isAvailable) available += 1;
    if (!old) continue;
    if (fresh) {
      if (fresh.isAvailable) step.remove.push(old.pod);
      else surging += 1;
    } else if (node.shouldRun) (old.isAvailable ? candidates : step.create).push(node.name);
    else (old.isAvailable ? misplaced : step.remove).push(old.pod);
  }
  // A pod that no longer belongs on its node serves until another one does in its stead.
  step.remove.push(...misplaced.slice(0, Math.max(0, available - wanted)));
  step.create.push(...candidates.slice(0, Math.max(0, maxSurge - surging)));
  return step;
}
