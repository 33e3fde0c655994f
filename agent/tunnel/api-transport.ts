import { serviceUnavailable } from "../../shared/api/status.ts";
import type { ApiTransport } from "../../shared/client/api-client.ts";
import { COMPONENT_HEADER, requestThrough, TunnelError } from "../../shared/tunnel/index.ts";
import type { Tunnel } from "./tunnel.ts";

/** How long the head of an answer may take. Far over what a slow request needs (admission webhooks have 30 s). */
const HEAD_TIMEOUT_MS = 60_000;

/**
 * The cluster's API through the tunnel, as this node (`system:node:<name>`), or as the part of it that looks after the
 * network (`system:node-network:<name>`), which may read what every node needs to know and no node may otherwise.
 *
 * Without a connection a request fails at once as 503 (an ApiError), like one whose connection is lost before the
 * answer, or that is not answered in time: whether the latter took effect is not known. A body that breaks midway
 * rejects with a TunnelError.
 */
export function apiTransport(
  tunnel: Pick<Tunnel, "mux">,
  { headTimeoutMs = HEAD_TIMEOUT_MS, component }: { headTimeoutMs?: number; component?: "network" } = {},
): ApiTransport {
  return async (wanted) => {
    const request = component ? { ...wanted, headers: { ...wanted.headers, [COMPONENT_HEADER]: component } } : wanted;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(noAnswer(headTimeoutMs)), headTimeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
    try {
      return await requestThrough(tunnel.mux, { ...request, signal });
    } catch (error) {
      if (!(error instanceof TunnelError)) throw error;
      throw serviceUnavailable(error.message);
    } finally {
      clearTimeout(timer);
    }
  };
}

const noAnswer = (ms: number) => serviceUnavailable(`the control plane did not answer within ${ms / 1000} s`);
