/**
 * Which volumes a pod's claims get on a node (KEP-490): the scheduler chooses them together with the node, for claims
 * whose class waits for the first consumer. Only decides; binding itself is the volume controller's, which is told by
 * the volume's claimRef or the claim's selected-node annotation.
 */

export { choicesOn, hasChoices, type VolumeChoices } from "./choices.ts";
export { claimNamesOf, sortClaims } from "./claims.ts";
export type { Storage } from "./storage.ts";
export { type PodOfVolumes, VolumeWaits } from "./volume-waits.ts";
