import type { Pod } from "../../shared/api/types.ts";
import { type NodeInfo, podInfoOf } from "./framework/node-info.ts";
import { PodFilters } from "./framework/pod-filters.ts";

/** A node that came, or changed. */
interface NodeChange {
  after: NodeInfo;
  before: NodeInfo | undefined;
  /** Those that may judge otherwise now; undefined: all may. */
  plugins: ReadonlySet<string> | undefined;
}

type FilterArguments = ConstructorParameters<typeof PodFilters>;

interface Refused {
  /** Undefined: it is not known any more. */
  pod: Pod | undefined;
  /** The plugins that refused it everywhere. */
  rejectedBy: ReadonlySet<string>;
  /** Those of its profile's filters that look at the node alone. */
  nodeFilters: FilterArguments[2];
  cluster: FilterArguments[1];
}

/**
 * Whether a pod is to be tried again. One that only nodes themselves refused is where the node takes it now if it is
 * empty, and did not before or refused it for what has changed.
 */
export function isWokenByNode(
  { after, before, plugins }: NodeChange,
  { pod, rejectedBy, nodeFilters, cluster }: Refused,
): boolean {
  const isConcerned = !plugins || [...rejectedBy].some((name) => plugins.has(name));
  const isCompanyWanted = [...rejectedBy].some((name) => !nodeFilters.some((plugin) => plugin.name === name));
  if (isCompanyWanted || !pod) return isConcerned;
  const filters = new PodFilters(podInfoOf(pod), cluster, nodeFilters);
  return !filters.refusal(after, []) && (isConcerned || !before || filters.refusal(before, []) !== undefined);
}
