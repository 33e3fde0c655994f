/** What of the machine's ids pods get, in ranges of `length`, each aligned to its own length. */
export interface IdSpace {
  first: number;
  total: number;
  /** Ids a pod. */
  length: number;
}

/** Ranges come in multiples of this: what programs expect to find. */
const UNIT = 65_536;
const ALL_IDS = 2 ** 32;
const MAX_QUOTED = 200;

/**
 * The space that ranges are taken from. The first range is the machine's own.
 * @param given the ids that the administrator has set apart for the kubelet; undefined: all but the machine's own
 * @param idsPerPod `userNamespaces.idsPerPod` of the node's configuration
 * @throws Error in upstream's words if it cannot be divided into a range for each pod
 */
export function idSpace(
  { idsPerPod, maxPods }: { idsPerPod: number; maxPods: number },
  given: { first: number; total: number } = { first: idsPerPod, total: ALL_IDS - idsPerPod },
): IdSpace {
  const { first, total } = given;
  const refuse = (why: string) => {
    throw new Error(`kubelet user ${why}`);
  };
  if (idsPerPod % UNIT !== 0) refuse(`namespace length ${idsPerPod} is not a multiple of ${UNIT}`);
  if (first % idsPerPod !== 0) refuse(`assigned ID ${first} is not a multiple of ${idsPerPod}`);
  if (first < idsPerPod) refuse(`assigned ID ${first} must be greater or equal to ${idsPerPod}`);
  if (total % idsPerPod !== 0) refuse(`assigned IDs length ${total} is not a multiple of ${idsPerPod}`);
  if (total / idsPerPod < maxPods) refuse(`assigned IDs are not enough to support ${maxPods} pods`);
  return { first, total, length: idsPerPod };
}

/**
 * What `getsubids` prints for a user: `0: kubelet 65536 7208960`.
 * @throws Error in upstream's words unless it is one range
 */
export function parseSubordinateIds(text: string): { first: number; total: number } {
  const lines = text.trim().split("\n");
  const quoted = JSON.stringify(text.slice(0, MAX_QUOTED));
  if (lines.length !== 1) throw new Error(`error parsing line ${quoted}: it must contain only one line`);
  const found = /^\s*\S+\s+\S+\s+(\d{1,10})\s+(\d{1,10})\s*$/.exec(lines[0]!);
  if (!found) throw new Error(`invalid line ${quoted}`);
  return { first: Number(found[1]), total: Number(found[2]) };
}
