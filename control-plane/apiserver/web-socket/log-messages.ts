import { encodeBase64 } from "../../../shared/schema/index.ts";
import type { Message, Messages } from "./send-messages.ts";

const BASE64 = "base64.binary.k8s.io";

/** In which a log comes; without one it is as with the first. */
export const LOG_PROTOCOLS = ["binary.k8s.io", BASE64, ""] as const;

/** Bytes as they are, or a text of base64 for each piece; an empty message says that the log begins. */
export function logMessages(protocol: string): { messages: Messages; first: Message } {
  if (protocol === BASE64) return { messages: (bytes) => [encodeBase64(bytes)], first: "" };
  return { messages: (bytes) => [bytes], first: new Uint8Array(0) };
}
