import type { DialTarget } from "../../shared/tunnel/index.ts";

/** How Go words what the kernel says: clients and their tests know upstream's messages. */
const SYSTEM_WORDS: Record<string, string> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "connect: connection timed out",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
  EINVAL: "connect: invalid argument",
};

/** @returns `10.0.0.1:80`, `[fd00::1]:80` */
export const hostPort = ({ address, port }: Pick<DialTarget, "address" | "port">): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

/**
 * Why a server could not be asked, in the words of upstream's transport (Go's net and net/http).
 * @param isConnected there was a connection, so that the failure is the conversation's
 */
export function explainDialFailure(
  error: Error & { code?: string },
  target: Pick<DialTarget, "address" | "port">,
  isConnected: boolean,
): string {
  const code = error.code ?? "";
  const dialled = `dial tcp ${hostPort(target)}`;
  if (!isConnected) return SYSTEM_WORDS[code] ? `${dialled}: ${SYSTEM_WORDS[code]}` : `${dialled}: ${error.message}`;
  if (code === "ECONNRESET") return error.message === "socket hang up" ? "EOF" : "read: connection reset by peer";
  if (code === "EPIPE") return "write: broken pipe";
  if (/wrong version number|packet length too long/.test(error.message))
    return "tls: first record does not look like a TLS handshake";
  if (code.startsWith("HPE_")) return "net/http: HTTP/1.x transport connection broken: malformed HTTP response";
  return error.message;
}
