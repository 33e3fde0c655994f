/**
 * WireGuard between nodes of different sites: who can speak it with whom, what a node tells of its end, and the device.
 * Whether packets get through, and what is used if they do not, is the pod network's matter.
 */

export { decideTunnel } from "./decide.ts";
export type { Endpoint } from "./endpoint.ts";
export {
  decideEndpoints,
  ENDPOINT_ANNOTATION,
  type Offer,
  parseOffer,
  type Refusal,
  renderOffer,
} from "./offer.ts";
export { renderWireGuard, type WireGuardPlan } from "./plan.ts";
export { KEY_FILE, type OwnEnd, WireGuard, wireGuardDir } from "./wireguard.ts";
