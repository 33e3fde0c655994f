import { createServer, type Server } from "node:http";
import type { Log } from "../log/index.ts";

/** One Service whose load balancer asks each node whether it has endpoints (externalTrafficPolicy: Local). */
export interface HealthCheck {
  /** `<namespace>/<name>`. */
  service: string;
  /** spec.healthCheckNodePort. */
  port: number;
  localEndpoints: number;
}

/** What a node answers there. @see kube-proxy's service health server */
export function renderHealth({ service, localEndpoints }: HealthCheck, isHealthy: boolean) {
  const [namespace, name] = service.split("/");
  const body = { service: { namespace, name }, localEndpoints, serviceProxyHealthy: isHealthy };
  return {
    status: localEndpoints > 0 && isHealthy ? 200 : 503,
    headers: {
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "x-load-balancing-endpoint-weight": String(localEndpoints),
    },
    body: JSON.stringify(body, undefined, "\t"),
  };
}

export interface HealthServers {
  /** One server a check; those of other ports end. */
  update(checks: readonly HealthCheck[]): void;
  stop(): void;
}

const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 64;

export function createHealthServers({ isHealthy, log }: { isHealthy: () => boolean; log: Log }): HealthServers {
  const servers = new Map<number, { server: Server; check: HealthCheck }>();

  function listen(check: HealthCheck): void {
    const entry = { check, server: createServer() };
    entry.server.on("request", (request, response) => {
      request.resume();
      const { status, headers, body } = renderHealth(entry.check, isHealthy());
      response.writeHead(status, headers).end(body);
    });
    entry.server.requestTimeout = REQUEST_TIMEOUT_MS;
    entry.server.maxConnections = MAX_CONNECTIONS;
    entry.server.on("error", (error) => {
      log("warn", "a health check port cannot be served", { ...entry.check, error: String(error) });
      servers.delete(check.port); // tried again with the Service's next change
    });
    entry.server.listen(check.port);
    entry.server.unref();
    servers.set(check.port, entry);
  }

  return {
    update(checks) {
      const wanted = new Map(checks.map((check) => [check.port, check]));
      for (const [port, { server }] of servers) {
        if (wanted.has(port)) continue;
        servers.delete(port);
        server.close();
        server.closeAllConnections();
      }
      for (const check of wanted.values()) {
        const entry = servers.get(check.port);
        if (entry) entry.check = check;
        else listen(check);
      }
    },
    stop() {
      for (const { server } of servers.values()) {
        server.close();
        server.closeAllConnections();
      }
      servers.clear();
    },
  };
}
