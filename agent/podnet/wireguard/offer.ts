import { z } from "zod";
import type { IpAddress } from "../../../shared/api/ip.ts";
import { MAX_OFFER_LENGTH } from "../../../shared/api/wireguard-offer.ts";
import { jsonOrUndefined } from "../../../shared/json-or-undefined.ts";
import { isBehindNat, isPublic, type Place } from "../site.ts";
import { type Endpoint, parseEndpoint, printEndpoint } from "./endpoint.ts";

/** What a node tells of its end of WireGuard, for others to build theirs. */
export interface Offer {
  /** In base64, 44 characters. */
  publicKey: string;
  /** Where it can be spoken to first; none behind NAT, from where it has to speak first itself. */
  endpoints: Endpoint[];
}

/** The node is at another site than somebody, and cannot have WireGuard: why. */
export interface Refusal {
  without: string;
}

/**
 * On a Node, by whoever knows its router: where its WireGuard is reached from the outside, as `203.0.113.7:51820`, or
 * `:51820` for a port of the address that the control plane sees.
 */
export const ENDPOINT_ANNOTATION = "hearth.dev/wireguard-endpoint";

const MAX_ENDPOINTS = 4;
const schema = z.union([
  z.object({
    // 32 bytes: the last digit holds two bits that count for nothing.
    publicKey: z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/),
    endpoints: z.array(z.string().max(64)).max(MAX_ENDPOINTS),
  }),
  z.object({ without: z.string() }),
]);

/**
 * @param text the annotation. Undefined if it tells neither an offer nor that there is none: the node may still be finding
 *   out what its machine can do
 */
export function parseOffer(text: string): Offer | Refusal | undefined {
  if (text.length > MAX_OFFER_LENGTH) return undefined;
  const { data } = schema.safeParse(jsonOrUndefined(text));
  if (!data || "without" in data) return data;
  return {
    publicKey: data.publicKey,
    endpoints: data.endpoints.map(parseEndpoint).filter((each): each is Endpoint => each !== undefined),
  };
}

export const renderOffer = (offer: Offer | Refusal): string =>
  JSON.stringify("without" in offer ? offer : { ...offer, endpoints: offer.endpoints.map(printEndpoint) });

/** @param stated ENDPOINT_ANNOTATION, which has the last word where it makes sense. @param port on which WireGuard listens */
export function decideEndpoints(place: Place, port: number, stated: string | undefined): Endpoint[] {
  const said = stated === undefined ? undefined : statedEndpoint(stated, place.publicAddress);
  if (said) return [said];
  if (isBehindNat(place)) return [];
  const addresses = [...place.addresses].sort((a, b) => Number(isPublic(b)) - Number(isPublic(a)));
  return addresses.slice(0, MAX_ENDPOINTS).map((address) => ({ address, port }));
}

function statedEndpoint(text: string, publicAddress: IpAddress | undefined): Endpoint | undefined {
  if (!text.startsWith(":")) return parseEndpoint(text);
  return publicAddress && parseEndpoint(printEndpoint({ address: publicAddress, port: 1 }).replace(/:1$/, text));
}
