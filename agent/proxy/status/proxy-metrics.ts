import { Histogram, type MetricLabels, metricHead, metricSample } from "../../../shared/metrics/index.ts";
import type { IpFamily } from "./proxy-health.ts";

const range = (count: number, from: number, step: number) => Array.from({ length: count }, (_, i) => from + i * step);
/** Upstream's, in seconds. */
const SYNC_BUCKETS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
const PROGRAMMING_BUCKETS = [...range(2, 0.25, 0.25), ...range(59, 1, 1), ...range(12, 60, 5), ...range(7, 120, 30)];

const FAMILIES: IpFamily[] = ["IPv4", "IPv6"];
export type Endpoint = "healthz" | "livez";

/** Of one family. */
interface Series {
  sync: Histogram;
  fullSync: Histogram;
  partialSync: Histogram;
  programming: Histogram;
  conntrack: Histogram;
  deletedFlows: number;
  failures: number;
  /** Epoch seconds; 0: never. */
  syncedAt: number;
  queuedAt: number;
  /** Service ports that have endpoints, and none here although their policy wants such. */
  withoutLocal: { internal: number; external: number };
}

/** What the service proxy counts, under kube-proxy's names. @see pkg/proxy/metrics */
export class ProxyMetrics {
  readonly services = { total: 0, pending: 0 };
  readonly endpoints = { total: 0, pending: 0 };
  readonly #answers = new Map<string, { endpoint: Endpoint; code: number; count: number }>();
  readonly #series = Object.fromEntries(FAMILIES.map((family) => [family, newSeries()])) as Record<IpFamily, Series>;

  queued(atMs: number): void {
    for (const family of FAMILIES) this.#series[family].queuedAt = atMs / 1_000;
  }

  /** One transaction, or what was found to need none. */
  synced(family: IpFamily, { tookMs, isWhole, atMs }: { tookMs: number; isWhole: boolean; atMs: number }): void {
    const series = this.#series[family];
    series.sync.observe(tookMs / 1_000);
    (isWhole ? series.fullSync : series.partialSync).observe(tookMs / 1_000);
    series.syncedAt = atMs / 1_000;
  }

  failed(family: IpFamily): void {
    this.#series[family].failures++;
  }

  /** @param sinceMs from what changed endpoints until their rules were in the kernel */
  programmed(family: IpFamily, sinceMs: number): void {
    this.#series[family].programming.observe(sinceMs / 1_000);
  }

  flowsForgotten(family: IpFamily, { tookMs, deleted }: { tookMs: number; deleted: number }): void {
    this.#series[family].conntrack.observe(tookMs / 1_000);
    this.#series[family].deletedFlows += deleted;
  }

  withoutLocal(family: IpFamily, counts: { internal: number; external: number }): void {
    this.#series[family].withoutLocal = counts;
  }

  answered(endpoint: Endpoint, code: number): void {
    const key = `${endpoint} ${code}`;
    const known = this.#answers.get(key) ?? { endpoint, code, count: 0 };
    this.#answers.set(key, known);
    known.count++;
  }

  /** The text of a scrape. */
  render(machine: ProcessFacts): string {
    const { services, endpoints } = this;
    const single = (name: string, type: "counter" | "gauge", help: string, value: number) => [
      ...metricHead(name, type, help),
      metricSample(name, {}, value),
    ];
    const gauges = (name: string, help: string, value: (series: Series) => number) =>
      this.#each(name, "gauge", help, (series, labels) => [metricSample(name, labels, value(series))]);
    const counters = (name: string, help: string, value: (series: Series) => number) =>
      this.#each(name, "counter", help, (series, labels) => [metricSample(name, labels, value(series))]);
    const histograms = (name: string, help: string, of: (series: Series) => Histogram) =>
      this.#each(name, "histogram", help, (series, labels) => of(series).render(name, labels));
    return [
      ...counters(
        "kubeproxy_conntrack_reconciler_deleted_entries_total",
        "Flows that the kernel was made to forget.",
        ({ deletedFlows }) => deletedFlows,
      ),
      ...histograms(
        "kubeproxy_conntrack_reconciler_sync_duration_seconds",
        "How long it took to forget flows to endpoints that are gone.",
        ({ conntrack }) => conntrack,
      ),
      ...histograms(
        "kubeproxy_network_programming_duration_seconds",
        "From a change of endpoints until the rules for it.",
        ({ programming }) => programming,
      ),
      ...this.#answersTo("healthz"),
      ...this.#answersTo("livez"),
      ...histograms(
        "kubeproxy_sync_full_proxy_rules_duration_seconds",
        "How long it took to write all rules.",
        ({ fullSync }) => fullSync,
      ),
      ...histograms(
        "kubeproxy_sync_partial_proxy_rules_duration_seconds",
        "How long it took to write what changed.",
        ({ partialSync }) => partialSync,
      ),
      ...histograms(
        "kubeproxy_sync_proxy_rules_duration_seconds",
        "How long it took to write rules.",
        ({ sync }) => sync,
      ),
      ...single(
        "kubeproxy_sync_proxy_rules_endpoint_changes_pending",
        "gauge",
        "Changes of endpoints that are not in the rules yet.",
        endpoints.pending,
      ),
      ...single(
        "kubeproxy_sync_proxy_rules_endpoint_changes_total",
        "counter",
        "Changes of endpoints so far.",
        endpoints.total,
      ),
      ...gauges(
        "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
        "When rules were last asked for, in seconds since 1970.",
        ({ queuedAt }) => queuedAt,
      ),
      ...gauges(
        "kubeproxy_sync_proxy_rules_last_timestamp_seconds",
        "When rules were last written, in seconds since 1970.",
        ({ syncedAt }) => syncedAt,
      ),
      ...counters(
        "kubeproxy_sync_proxy_rules_nftables_sync_failures_total",
        "Transactions that nft refused.",
        ({ failures }) => failures,
      ),
      ...this.#each(
        "kubeproxy_sync_proxy_rules_no_local_endpoints_total",
        "gauge",
        "Ports of Services with a Local policy and endpoints on other nodes alone.",
        ({ withoutLocal }, labels) =>
          (["external", "internal"] as const).map((policy) =>
            metricSample(
              "kubeproxy_sync_proxy_rules_no_local_endpoints_total",
              { ...labels, traffic_policy: policy },
              withoutLocal[policy],
            ),
          ),
      ),
      ...single(
        "kubeproxy_sync_proxy_rules_service_changes_pending",
        "gauge",
        "Changes of Services that are not in the rules yet.",
        services.pending,
      ),
      ...single(
        "kubeproxy_sync_proxy_rules_service_changes_total",
        "counter",
        "Changes of Services so far.",
        services.total,
      ),
      ...single("process_cpu_seconds_total", "counter", "Of the agent as a whole.", machine.cpuSeconds),
      ...single("process_resident_memory_bytes", "gauge", "Of the agent as a whole.", machine.residentBytes),
      ...single("process_start_time_seconds", "gauge", "In seconds since 1970.", machine.startSeconds),
      "",
    ].join("\n");
  }

  #each(
    name: string,
    type: "counter" | "gauge" | "histogram",
    help: string,
    render: (series: Series, labels: MetricLabels) => string[],
  ): string[] {
    return [
      ...metricHead(name, type, help),
      ...FAMILIES.flatMap((family) => render(this.#series[family], { ip_family: family })),
    ];
  }

  #answersTo(endpoint: Endpoint): string[] {
    const name = `kubeproxy_proxy_${endpoint}_total`;
    const counted = [...this.#answers.values()].filter((each) => each.endpoint === endpoint);
    return [
      ...metricHead(name, "counter", `Answers at /${endpoint} by code.`),
      ...counted.map(({ code, count }) => metricSample(name, { code: String(code) }, count)),
    ];
  }
}

/** Of the process that serves them. */
export interface ProcessFacts {
  cpuSeconds: number;
  residentBytes: number;
  /** Since 1970. */
  startSeconds: number;
}

const newSeries = (): Series => ({
  sync: new Histogram(SYNC_BUCKETS),
  fullSync: new Histogram(SYNC_BUCKETS),
  partialSync: new Histogram(SYNC_BUCKETS),
  programming: new Histogram(PROGRAMMING_BUCKETS),
  conntrack: new Histogram(SYNC_BUCKETS),
  deletedFlows: 0,
  failures: 0,
  syncedAt: 0,
  queuedAt: 0,
  withoutLocal: { internal: 0, external: 0 },
});
