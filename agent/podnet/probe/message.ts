import type { WayKind } from "../decide-paths.ts";

/** What a probe went by: a way of the pods' packets; the nodes' own addresses; the relay. */
export type ProbeWay = WayKind | "address" | "relay";

export interface ProbeMessage {
  type: "request" | "answer";
  way: ProbeWay;
  /** Tells clusters on one network apart. */
  cluster: number;
  /** The sender's, given back in the answer: who has not seen the request cannot answer it. 16 hexadecimal digits. */
  nonce: string;
}

/** UDP, between agents. Datagrams to it come from it, so that firewalls that let answers in let both sides' in. */
export const PROBE_PORT = 8473;

const MAGIC = 0x48_50_52_31; // "HPR1"
const TYPES = ["request", "answer"] as const;
const WAYS: readonly ProbeWay[] = ["direct", "vxlan", "wireguard", "address", "relay"];
const MESSAGE_BYTES = 20;

export function encodeProbe({ type, way, cluster, nonce }: ProbeMessage): Uint8Array {
  const bytes = new Uint8Array(MESSAGE_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC);
  view.setUint8(4, TYPES.indexOf(type));
  view.setUint8(5, WAYS.indexOf(way));
  view.setUint32(8, cluster);
  view.setBigUint64(12, BigInt(`0x${nonce}`));
  return bytes;
}

/** @returns undefined for what is no probe of this version */
export function parseProbe(bytes: Uint8Array): ProbeMessage | undefined {
  if (bytes.byteLength !== MESSAGE_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = TYPES[view.getUint8(4)];
  const way = WAYS[view.getUint8(5)];
  if (view.getUint32(0) !== MAGIC || !type || !way) return undefined;
  return { type, way, cluster: view.getUint32(8), nonce: view.getBigUint64(12).toString(16).padStart(16, "0") };
}
