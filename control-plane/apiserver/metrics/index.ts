/**
 * What monitoring scrapes at `/metrics`: how many requests were answered, how fast, and how many objects are stored.
 * Counted in memory alone, by each isolate for itself and by cluster: a scrape of a hosted cluster sees what one isolate
 * did, and counters begin anew with it, as Prometheus expects of a process. What a request adds is two look-ups.
 */
import { LruMap } from "../../../shared/lru-map.ts";
import { METRICS_CONTENT_TYPE } from "../../../shared/metrics/index.ts";
import type { ApiContext } from "../attributes.ts";
import type { Answer, ApiCall } from "../call.ts";
import type { RequestInfo } from "../request-info.ts";
import { COUNTS_LAST_MS, countObjects, type ObjectCount } from "./object-counts.ts";
import { renderMetrics } from "./render.ts";
import { labelsOf } from "./request-labels.ts";
import { RequestMetrics } from "./request-metrics.ts";

/** An isolate serves few clusters at a time; the one that was longest without a request is forgotten. */
const MAX_CLUSTERS = 64;

interface ClusterMetrics {
  requests: RequestMetrics;
  objects?: { counts: ObjectCount[]; atMs: number };
}

const clusters = new LruMap<string, ClusterMetrics>(MAX_CLUSTERS);

function metricsOf(cluster: string): ClusterMetrics {
  const known = clusters.get(cluster);
  if (known) return known;
  const metrics = { requests: new RequestMetrics(Date.now()) };
  clusters.set(cluster, metrics);
  return metrics;
}

const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** Notes that a request is under way. @returns to be called once, with the code of its answer */
export function beginRequest(
  cluster: string,
  { method, url }: Pick<ApiCall, "method" | "url">,
): (info: RequestInfo | undefined, code: number) => void {
  const { requests } = metricsOf(cluster);
  const kind = READING.has(method) ? "readOnly" : "mutating";
  const startMs = Date.now();
  requests.inFlight[kind]++;
  return (info, code) => {
    requests.inFlight[kind]--;
    requests.observe(labelsOf(method, url.searchParams, info), code, (Date.now() - startMs) / 1000);
  };
}

/** `/metrics`; undefined for other paths. */
export async function serveMetrics({ url }: ApiCall, context: ApiContext): Promise<Answer | undefined> {
  if (url.pathname !== "/metrics") return undefined;
  const metrics = metricsOf(context.cluster);
  const { objects } = metrics;
  const isFresh = objects !== undefined && Date.now() - objects.atMs < COUNTS_LAST_MS;
  const counts = isFresh ? objects.counts : await countObjects(context);
  if (!isFresh) metrics.objects = { counts, atMs: Date.now() };
  return {
    code: 200,
    headers: { "content-type": METRICS_CONTENT_TYPE },
    body: renderMetrics(metrics.requests, counts),
  };
}
