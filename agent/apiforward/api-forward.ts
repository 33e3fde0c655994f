import type { NetworkContext } from "../network/index.ts";
import { keepCertificate, type ServingPair } from "./certificate.ts";
import { type ApiServer, openApiServer } from "./server.ts";

/** The API server's own, as far as pods care; another one where something has it already. */
const PORT = 6443;

type Context = Pick<
  NetworkContext,
  "clusterCa" | "localAddress" | "localEndpoints" | "log" | "nodeName" | "signal" | "state" | "tunnel"
>;

/**
 * Serves the API on the node's local address from the first certificate on: the remembered one, at once, or else that which
 * the control plane gives. Until then the service proxy leads pods where the API's own EndpointSlice says.
 * @throws Error of `listen`, when the address is not in place: to be tried again
 */
export async function startApiForward(context: Context): Promise<{ stop(): Promise<void> }> {
  const { localAddress, localEndpoints, log, tunnel } = context;
  let server: ApiServer | undefined;
  async function serve(pair: ServingPair): Promise<void> {
    if (server) return server.setCertificate(pair);
    server = await openOnFreePort(pair);
    const endpoint = { address: localAddress, targetPort: server.port };
    localEndpoints.set({ service: "default/kubernetes", protocol: "TCP", port: 443, ...endpoint });
    log("info", "the API is served to this node's pods", endpoint);
  }
  async function openOnFreePort(pair: ServingPair): Promise<ApiServer> {
    const options = { host: localAddress, pair, mux: () => tunnel.mux };
    try {
      return await openApiServer({ ...options, port: PORT });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      return openApiServer({ ...options, port: 0 });
    }
  }
  await keepCertificate(context, serve);
  return { stop: async () => server?.close() };
}
