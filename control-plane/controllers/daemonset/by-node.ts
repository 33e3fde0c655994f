import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import type { DaemonSet, Node, Pod } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";
import { decidePlacement, type Placement } from "./placement.ts";
import { targetNode } from "./pod.ts";

/** A node and the pods that are for it. */
export interface NodePods extends Placement {
  name: string;
  /** Scheduled ones first, then the older. */
  pods: Pod[];
  /** There is no such node (any more). */
  isGone: boolean;
}

/** The nodes there are, then those that are gone and still have pods. Ended pods on their way out are nobody's. */
export function groupByNode(set: DaemonSet, nodes: Node[], pods: Pod[]): NodePods[] {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = targetNode(pod);
    if (name === undefined || (isPodTerminal(pod) && pod.metadata.deletionTimestamp)) continue;
    const others = byNode.get(name);
    if (others) others.push(pod);
    else byNode.set(name, [pod]);
  }
  for (const of of byNode.values()) of.sort(byAge);
  const present = nodes.map((node): NodePods => {
    const { name } = node.metadata;
    return { name, pods: byNode.get(name) ?? [], isGone: false, ...decidePlacement(set, node) };
  });
  for (const { name } of present) byNode.delete(name);
  const left = [...byNode].map(
    ([name, of]): NodePods => ({ name, pods: of, isGone: true, shouldRun: false, mayStay: false }),
  );
  return [...present, ...left];
}

function byAge(a: Pod, b: Pod): number {
  if (!!a.spec.nodeName !== !!b.spec.nodeName) return a.spec.nodeName ? -1 : 1;
  const age = parseTime(a.metadata.creationTimestamp) - parseTime(b.metadata.creationTimestamp);
  if (age) return age;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
