/** On a node: for how many seconds its kubelet may go on with Secrets and ConfigMaps that it holds. */
export const TTL_ANNOTATION = "node.alpha.kubernetes.io/ttl";

/** Sizes of a cluster (nodes) from which and up to which a step holds; they overlap, so that it does not flap. */
const STEPS = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** The step for a number of nodes. @param current the step until now, an index; 0 at first */
export function nextStep(current: number, nodes: number): number {
  let step = current;
  while (nodes > STEPS[step]!.max) step += 1;
  while (nodes < STEPS[step]!.min) step -= 1;
  return step;
}

/** The annotation's value at a step. */
export const ttlText = (step: number): string => String(STEPS[step]!.seconds);
