import type { Status } from "../../../shared/api/status.ts";
import { decodeBase64, encodeBase64 } from "../../../shared/schema/index.ts";

/** The channel of the command's end. */
export const ERROR_CHANNEL = 3;

/** What nodes speak: bytes, the first of which names the channel, and a Status as the last on the error channel. */
export const NODE_PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;

/** Older ones, which clients that are no kubectl still ask for; a client that asks for none gets the oldest. */
export const OLDER_PROTOCOLS = ["v4.base64.channel.k8s.io", "channel.k8s.io", "base64.channel.k8s.io", ""] as const;

/** How the messages of a protocol differ from the node's. */
export interface ChannelForm {
  /** Texts: the channel's digit, then base64. */
  isBase64: boolean;
  /** The error channel has a Status; before v4 it has a message if the command failed, and nothing if it did not. */
  hasStatus: boolean;
}

export const formOf = (protocol: string): ChannelForm => ({
  isBase64: protocol.includes("base64"),
  hasStatus: /^v\d/.test(protocol),
});

/** @returns undefined when there is nothing to say in that form */
export function toClient(message: Uint8Array, form: ChannelForm): string | Uint8Array | undefined {
  const [channel = 0] = message;
  let bytes = message.subarray(1);
  if (channel === ERROR_CHANNEL && !form.hasStatus) {
    const failure = failureIn(bytes);
    if (failure === undefined) return undefined;
    bytes = new TextEncoder().encode(failure);
  }
  if (form.isBase64) return `${channel}${encodeBase64(bytes)}`;
  return channelMessage(channel, bytes);
}

/** What a Status says went wrong; undefined if nothing did. */
function failureIn(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes);
  if (text === "") return undefined;
  try {
    const { status, message } = JSON.parse(text) as Partial<Status>;
    return status === "Success" ? undefined : (message ?? text);
  } catch {
    return text; // of a runtime that sends no Status
  }
}

/** @returns undefined for a message that is none: upstream ignores it */
export function toNode(data: string | ArrayBuffer, form: ChannelForm): Uint8Array | undefined {
  if (!form.isBase64) return typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
  const text = typeof data === "string" ? data : new TextDecoder().decode(data);
  if (!/^\d/.test(text)) return undefined;
  try {
    return channelMessage(Number(text[0]), decodeBase64(text.slice(1)));
  } catch {
    return undefined;
  }
}

export function statusMessage(status: Status): Uint8Array {
  return channelMessage(ERROR_CHANNEL, new TextEncoder().encode(JSON.stringify(status)));
}

function channelMessage(channel: number, bytes: Uint8Array): Uint8Array {
  const message = new Uint8Array(1 + bytes.byteLength);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}
