import { encodeMessage, TunnelError } from "../tunnel/index.ts";
import { MAX_PACKET_BYTES } from "./limits.ts";

/** What a node sends to another one through the control plane. */
export interface Datagram {
  /** `packet`: an IP packet of a pod. `probe`: of the agents, to find out whether the other one is there. */
  kind: "packet" | "probe";
  /** On the way to the control plane the node that it is for; on the way from it the one that it comes from. */
  node: string;
  bytes: Uint8Array;
}

const KINDS = { packet: 1, probe: 2 } as const;
/** A DNS subdomain, as names of nodes are. */
const MAX_NAME_BYTES = 253;
const HEADER_BYTES = 2;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** As a message of the tunnel's (messages.ts): kind, length of the name, name, bytes. @throws TunnelError if it is over a bound */
export function encodeDatagram({ kind, node, bytes }: Datagram): Uint8Array<ArrayBuffer> {
  const name = encoder.encode(node);
  if (name.byteLength > MAX_NAME_BYTES || bytes.byteLength > MAX_PACKET_BYTES) {
    throw new TunnelError("protocol", "datagram is too large");
  }
  const message = new Uint8Array(HEADER_BYTES + name.byteLength + bytes.byteLength);
  message[0] = KINDS[kind];
  message[1] = name.byteLength;
  message.set(name, HEADER_BYTES);
  message.set(bytes, HEADER_BYTES + name.byteLength);
  return encodeMessage(message);
}

/** @param message one of a MessageDecoder; the bytes are a view of it. @throws TunnelError ("protocol") if it is no datagram */
export function decodeDatagram(message: Uint8Array): Datagram {
  const [code, nameBytes = 0] = message;
  const kind = code === KINDS.packet ? "packet" : code === KINDS.probe ? "probe" : undefined;
  const start = HEADER_BYTES + nameBytes;
  if (!kind || nameBytes === 0 || nameBytes > MAX_NAME_BYTES || message.byteLength < start) {
    throw new TunnelError("protocol", "not a datagram");
  }
  if (message.byteLength - start > MAX_PACKET_BYTES) throw new TunnelError("protocol", "datagram is too large");
  let node: string;
  try {
    node = decoder.decode(message.subarray(HEADER_BYTES, start));
  } catch (cause) {
    throw new TunnelError("protocol", "not the name of a node", { cause });
  }
  return { kind, node, bytes: message.subarray(start) };
}
