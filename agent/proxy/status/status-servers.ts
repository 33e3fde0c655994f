import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { METRICS_CONTENT_TYPE } from "../../../shared/metrics/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Log } from "../../log/index.ts";
import type { ProxyHealth } from "./proxy-health.ts";
import type { ProcessFacts, ProxyMetrics } from "./proxy-metrics.ts";

/** kube-proxy's ports: load balancers ask at one, on every address of the node; monitoring scrapes the other, on loopback. */
export const HEALTH_PORT = 10_256;
export const METRICS_PORT = 10_249;

const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 64;
/** A port that another program has, another agent on this machine say, is tried again: it may end. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const plain = (status: number, body: string): Answer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body,
});
const NOT_FOUND = plain(404, "404 page not found\n");

export interface StatusSources {
  health: ProxyHealth;
  metrics: ProxyMetrics;
  isNodeEligible(): boolean;
}

/** What is answered at the health port. */
export function answerHealth(path: string, { health, metrics, isNodeEligible }: StatusSources): Answer {
  if (path !== "/healthz" && path !== "/livez") return NOT_FOUND;
  const answer = path === "/healthz" ? health.answer(isNodeEligible()) : health.answer();
  metrics.answered(path === "/healthz" ? "healthz" : "livez", answer.status);
  return answer;
}

/** What is answered at the metrics port. */
export function answerMetrics(path: string, { metrics }: StatusSources): Answer {
  if (path === "/metrics") {
    return { status: 200, headers: { "content-type": METRICS_CONTENT_TYPE }, body: metrics.render(ownProcess()) };
  }
  if (path === "/proxyMode") return plain(200, "nftables");
  return path === "/healthz" ? plain(200, "ok") : NOT_FOUND;
}

function ownProcess(): ProcessFacts {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    startSeconds: Date.now() / 1_000 - process.uptime(),
  };
}

export interface Listening {
  name: string;
  port: number;
  /** Undefined: all addresses of this machine. */
  host?: string;
  answer(path: string): Answer;
}

/**
 * Serves until the signal is aborted. A port that is taken is said once in the log, and tried again after a while.
 * @param onListening told the port, each time that it listens
 */
export async function keepServing(
  { name, port, host, answer }: Listening,
  {
    clock,
    log,
    signal,
    onListening,
  }: { clock: Clock; log: Log; signal: AbortSignal; onListening?(port: number): void },
): Promise<void> {
  const onRequest: RequestListener = (request, response) => {
    request.resume();
    const { status, headers, body } = answer((request.url ?? "/").split("?", 1)[0]!);
    response.writeHead(status, headers).end(body);
  };
  for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    const server = createServer(onRequest);
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.maxConnections = MAX_CONNECTIONS;
    const attempt = new AbortController();
    const over = new Promise<unknown>((resolve) => {
      server.once("error", resolve);
      signal.addEventListener("abort", resolve, { once: true, signal: attempt.signal });
    });
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      retryMs = FIRST_RETRY_MS;
      onListening?.((server.address() as AddressInfo).port);
    });
    server.unref();
    const error = await over;
    attempt.abort();
    server.close();
    server.closeAllConnections();
    if (signal.aborted) return;
    const isNews = retryMs === FIRST_RETRY_MS;
    log(isNews ? "warn" : "debug", `the ${name} cannot be served`, { port, error: String(error), retryMs });
    await clock.sleep(retryMs, signal);
  }
}

/** Serves while it is wanted, and not at all after the signal is aborted. */
export function servingWhile(
  serve: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): (isWanted: boolean) => void {
  let running: AbortController | undefined;
  return (isWanted) => {
    if (isWanted === (running !== undefined)) return;
    running?.abort();
    running = isWanted ? new AbortController() : undefined;
    if (running) void serve(AbortSignal.any([signal, running.signal]));
  };
}

/**
 * Metrics at all times. Health, where anybody can ask, for as long as there are load balancers to do so: a node without
 * them has no port open to its network for our sake.
 */
export function serveStatus(
  sources: StatusSources,
  options: { clock: Clock; log: Log; signal: AbortSignal },
): { setBalanced(isBalanced: boolean): void } {
  const health = { name: "health of the service proxy", port: HEALTH_PORT };
  const metrics = { name: "metrics of the service proxy", port: METRICS_PORT, host: "127.0.0.1" };
  void keepServing({ ...metrics, answer: (path) => answerMetrics(path, sources) }, options);
  const serveHealth = (signal: AbortSignal) =>
    keepServing({ ...health, answer: (path) => answerHealth(path, sources) }, { ...options, signal });
  return { setBalanced: servingWhile(serveHealth, options.signal) };
}
