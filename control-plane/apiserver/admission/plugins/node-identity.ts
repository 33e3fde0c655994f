import type { KubeObject } from "../../../../shared/api/object.ts";
import type { Node } from "../../../../shared/api/types.ts";
import { KEY_TAKEN, MAX_OFFER_LENGTH, OFFER_ANNOTATION } from "../../../../shared/api/wireguard-offer.ts";
import { jsonOrUndefined } from "../../../../shared/json-or-undefined.ts";
import { sameObject } from "../../object-text.ts";
import { type AdmissionRequest, refuse } from "../plugin.ts";

const NODES = { group: "", resource: "nodes" };

/**
 * What a node may say that it is: packets of other nodes' pods go by it. Ranges are given by node-ipam, not taken; the key
 * of another node would end that one's tunnels. Addresses are not compared: two homes have the same private ones, and
 * several agents of a machine all of them.
 */
export function admitNodeIdentity(node: string, request: AdmissionRequest): void | Promise<void> {
  const object = request.object as Node;
  const old = request.old as Node | undefined;
  const quoted = JSON.stringify(node);
  // With its status a spec changes nothing, whatever it says.
  const isSpec = request.attributes.subresource !== "status";
  if (isSpec && !sameObject(rangesOf(object), rangesOf(old))) {
    throw refuse(request, `node ${quoted} is not allowed to modify podCIDRs`);
  }
  const key = publishedKey(object);
  if (key !== undefined && key !== publishedKey(old)) return admitKey(node, key, request);
}

async function admitKey(node: string, key: string, request: AdmissionRequest): Promise<void> {
  const nodes = await request.reader.listLive(NODES);
  const owner = nodes.find((each) => each.metadata.name !== node && publishedKey(each) === key);
  if (!owner) return;
  const names = [node, owner.metadata.name].map((name) => JSON.stringify(name));
  throw refuse(request, `node ${names[0]} is not allowed ${KEY_TAKEN} ${names[1]}`);
}

const rangesOf = (node: Node | undefined) => ({
  podCIDR: node?.spec?.podCIDR ?? "",
  podCIDRs: node?.spec?.podCIDRs ?? [],
});

/** As agents read it; undefined if there is none that they would take. */
function publishedKey(node: Pick<KubeObject, "metadata"> | undefined): string | undefined {
  const text = node?.metadata.annotations?.[OFFER_ANNOTATION] ?? "";
  if (text.length > MAX_OFFER_LENGTH) return undefined;
  const { publicKey } = (jsonOrUndefined(text) ?? {}) as { publicKey?: unknown };
  return typeof publicKey === "string" ? publicKey : undefined;
}
