/** The channels of `v4.channel.k8s.io` and `v5.channel.k8s.io`: the first byte of each message (KEP-4006). */
export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;
export const ERROR = 3;
export const RESIZE = 4;
/** v5: the byte after it names a channel that the sender closes. */
export const CLOSE = 255;

export function channelMessage(channel: number, bytes: Uint8Array): Uint8Array {
  const message = new Uint8Array(1 + bytes.byteLength);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

export type ClientMessage =
  | { type: "data"; channel: number; bytes: Uint8Array }
  | { type: "close"; channel: number }
  /** Empty, or of a channel that a client may not write to. */
  | { type: "ignored" };

export function parseClientMessage(message: Uint8Array): ClientMessage {
  const [channel, closed] = message;
  if (channel === STDIN || channel === RESIZE) return { type: "data", channel, bytes: message.subarray(1) };
  if (channel === CLOSE && closed !== undefined) return { type: "close", channel: closed };
  return { type: "ignored" };
}
