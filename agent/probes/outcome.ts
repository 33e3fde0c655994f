import { messageOf } from "../../shared/message-of.ts";

/** What one attempt gave. The message goes into the event when it failed, or is a good one with a flaw. */
export interface Outcome {
  ok: boolean;
  message: string;
}

export const success: Outcome = { ok: true, message: "" };
export const failure = (message: string): Outcome => ({ ok: false, message });
/** Counts as a success, and is told nevertheless. */
export const warning = (message: string): Outcome => ({ ok: true, message });

/** A connection's failure in the words of Go's net package, which users search for. */
export function describeDialError(error: unknown, address: string): string {
  const { code, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${address}: connect: connection refused`;
    case "EHOSTUNREACH":
      return `dial tcp ${address}: connect: no route to host`;
    case "ENETUNREACH":
      return `dial tcp ${address}: connect: network is unreachable`;
    case "ETIMEDOUT":
      return `dial tcp ${address}: i/o timeout`;
    case "ECONNRESET":
      return `read tcp ${address}: read: connection reset by peer`;
    case "ENOTFOUND":
      return `dial tcp: lookup ${hostname}: no such host`;
    default:
      return messageOf(error);
  }
}

/** Go's net.JoinHostPort. */
export const joinHostPort = (host: string, port: number) =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
