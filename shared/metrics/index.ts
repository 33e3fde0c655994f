/** The text that Prometheus scrapes (exposition format 0.0.4): what is counted, and under which names, is each program's. */
export { Histogram, type MetricLabels, metricHead, metricSample } from "./exposition.ts";

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
