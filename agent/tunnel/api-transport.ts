import { serviceUnavailable } from "../../shared/api/status.ts";
import type { ApiTransport } from "../../shared/client/api-client.ts";
import { requestThrough, TunnelError } from "../../shared/tunnel/index.ts";
import type { Tunnel } from "./tunnel.ts";

/**
 * The cluster's API through the tunnel, as this node (`system:node:<name>`).
 *
 * Without a connection a request fails at once as 503 (an ApiError), like one whose connection is lost before the
 * answer: whether the latter took effect is not known. A body that breaks midway rejects with a TunnelError.
 */
export function apiTransport(tunnel: Tunnel): ApiTransport {
  return async (request) => {
    try {
      return await requestThrough(tunnel.mux, request);
    } catch (error) {
      if (!(error instanceof TunnelError)) throw error;
      throw serviceUnavailable(error.message);
    }
  };
}
