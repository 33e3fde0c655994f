import { VERSION_INFO } from "../discovery/index.ts";
import type { ObjectCount } from "./object-counts.ts";
import type { RequestLabels } from "./request-labels.ts";
import { DURATION_BUCKETS, type DurationSeries, type RequestMetrics } from "./request-metrics.ts";

type Labels = Record<string, string>;

/** The text of a scrape (Prometheus' exposition format 0.0.4), under the names that upstream has for the same things. */
export function renderMetrics(metrics: RequestMetrics, objects: ObjectCount[]): string {
  const { startMs, inFlight } = metrics;
  const builtAs = {
    git_version: VERSION_INFO.gitVersion,
    major: VERSION_INFO.major,
    minor: VERSION_INFO.minor,
    platform: VERSION_INFO.platform,
  };
  return [
    ...head("apiserver_current_inflight_requests", "gauge", "Requests that are being answered, by whether they write."),
    ...Object.entries(inFlight).map(([kind, count]) =>
      sample("apiserver_current_inflight_requests", { request_kind: kind }, count),
    ),
    ...head("apiserver_request_duration_seconds", "histogram", "How long answers took, streams left out."),
    ...[...metrics.durations].flatMap(renderDuration),
    ...head("apiserver_request_total", "counter", "Requests by what they asked for and the code of the answer."),
    ...[...metrics.counts].map(({ labels, code, count }) =>
      sample("apiserver_request_total", { code: String(code), ...renderLabels(labels) }, count),
    ),
    ...head("apiserver_resource_objects", "gauge", "Objects that are stored, by group and resource."),
    ...objects.map(({ group, resource, count }) => sample("apiserver_resource_objects", { group, resource }, count)),
    ...head("apiserver_storage_objects", "gauge", "Objects that are stored, by resource."),
    ...objects.map(({ group, resource, count }) =>
      sample("apiserver_storage_objects", { resource: group === "" ? resource : `${resource}.${group}` }, count),
    ),
    ...head("kubernetes_build_info", "gauge", "The version that answers."),
    sample("kubernetes_build_info", builtAs, 1),
    ...head("process_start_time_seconds", "gauge", "When counting began, in seconds since 1970."),
    sample("process_start_time_seconds", {}, startMs / 1000),
    "",
  ].join("\n");
}

function renderDuration({ labels, buckets, sumSeconds }: DurationSeries): string[] {
  const name = "apiserver_request_duration_seconds";
  const rendered = renderLabels(labels);
  let total = 0;
  const lines = buckets.map((count, at) => {
    total += count;
    return sample(`${name}_bucket`, { ...rendered, le: String(DURATION_BUCKETS[at] ?? "+Inf") }, total);
  });
  return [...lines, sample(`${name}_sum`, rendered, sumSeconds), sample(`${name}_count`, rendered, total)];
}

const renderLabels = ({ verb, group, version, resource, subresource, scope, dryRun }: RequestLabels): Labels => ({
  component: resource === "" ? "" : "apiserver",
  dry_run: dryRun,
  group,
  resource,
  scope,
  subresource,
  verb,
  version,
});

const head = (name: string, type: "counter" | "gauge" | "histogram", help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text.replace(/[\\"\n]/g, escapeChar)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
}

const escapeChar = (char: string): string => (char === "\n" ? "\\n" : `\\${char}`);
