/** On a Node, by its agent: its end of WireGuard, or that it has none to offer (agent/podnet/wireguard/offer.ts). */
export const OFFER_ANNOTATION = "hearth.dev/wireguard";

/** Characters; a longer one is none. */
export const MAX_OFFER_LENGTH = 1_000;

/** Of what the API server answers to a node that publishes another's key; the other's name follows. */
export const KEY_TAKEN = "to publish the WireGuard public key of node";
