import {
  metricHead as head,
  type MetricLabels as Labels,
  metricSample as sample,
} from "../../../shared/metrics/index.ts";
import { VERSION_INFO } from "../discovery/index.ts";
import type { ObjectCount } from "./object-counts.ts";
import type { RequestLabels } from "./request-labels.ts";
import type { DurationSeries, RequestMetrics } from "./request-metrics.ts";

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

const renderDuration = ({ labels, seconds }: DurationSeries): string[] =>
  seconds.render("apiserver_request_duration_seconds", renderLabels(labels));

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
