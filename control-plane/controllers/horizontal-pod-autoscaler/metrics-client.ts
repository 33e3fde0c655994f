import { milliUnits, parseQuantity } from "../../../shared/api/quantity.ts";
import { ApiError } from "../../../shared/api/status.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { parseTime } from "../../runtime/index.ts";
import {
  type CustomMetrics,
  customMetricList,
  externalMetricList,
  parseMetrics,
  podMetricsList,
  windowMs,
} from "./metrics-answers.ts";
import type { PodMetrics } from "./pod-groups.ts";

/** Where an adapter does not say over how long a value was taken. */
const DEFAULT_WINDOW_MS = 60_000;

export interface MetricsSource {
  /** A GET of the API. */
  read(path: string): Promise<unknown>;
  /** The version of custom.metrics.k8s.io that is served, if any is. */
  customVersion(): string | undefined;
}

const path = (...parts: string[]) => parts.map((part) => `/${encodeURIComponent(part)}`).join("");
const query = (fields: Record<string, string>) => {
  const text = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  return text === "" ? "" : `?${text}`;
};

/** Usage of a resource by pod, from metrics.k8s.io. @param container only this one's; "" for whole pods */
export async function readResource(
  source: MetricsSource,
  {
    namespace,
    selector,
    resource,
    container,
  }: { namespace: string; selector: string; resource: string; container: string },
): Promise<PodMetrics> {
  const url = `/apis/metrics.k8s.io/v1beta1/namespaces${path(namespace, "pods")}${query({ labelSelector: selector })}`;
  const { items } = await ask("resource", "pods.metrics.k8s.io", async () =>
    parseMetrics(podMetricsList, await source.read(url)),
  );
  if (items.length === 0) throw new Error("no metrics returned from resource metrics API");
  const metrics = new Map<string, { milli: number; timestampMs: number; windowMs: number }>();
  for (const item of items) {
    const measured = container === "" ? item.containers : item.containers.filter(({ name }) => name === container);
    const usage = measured.map((each) => each.usage[resource]);
    if (usage.length === 0 || usage.includes(undefined)) continue;
    const milli = usage.reduce((sum, text) => sum + milliUnits(parseQuantity(text ?? "0")), 0);
    metrics.set(item.metadata.name, { milli, timestampMs: parseTime(item.timestamp), windowMs: windowMs(item.window) });
  }
  return metrics;
}

/** A metric of each pod, from custom.metrics.k8s.io. */
export async function readPods(
  source: MetricsSource,
  options: { namespace: string; selector: string; metric: string; metricSelector: string },
): Promise<PodMetrics> {
  const { items } = await custom(source, options.namespace, ["pods", "*", options.metric], {
    labelSelector: options.selector,
    metricLabelSelector: options.metricSelector,
  });
  if (items.length === 0) throw new Error("no metrics returned from custom metrics API");
  return new Map(
    items.map(({ describedObject, timestamp, windowSeconds, value }) => [
      describedObject.name,
      {
        milli: milliUnits(parseQuantity(value)),
        timestampMs: parseTime(timestamp),
        windowMs: windowSeconds === undefined || windowSeconds === null ? DEFAULT_WINDOW_MS : windowSeconds * 1000,
      },
    ]),
  );
}

/** A metric of one object, in thousandths. @param options.resource `ingresses.networking.k8s.io`; "" for the namespace */
export async function readObject(
  source: MetricsSource,
  options: { namespace: string; resource: string; name: string; metric: string; metricSelector: string },
): Promise<number> {
  const parts =
    options.resource === "" ? ["metrics", options.metric] : [options.resource, options.name, options.metric];
  const { items } = await custom(source, options.namespace, parts, { metricLabelSelector: options.metricSelector });
  const [only] = items;
  if (!only || items.length !== 1) {
    const what = `the custom metrics API server returned ${items.length} results when we asked for exactly one`;
    throw new Error(`unable to fetch metrics from custom metrics API: ${what}`);
  }
  return milliUnits(parseQuantity(only.value));
}

/** The values of a metric from outside, in thousandths. */
export async function readExternal(
  source: MetricsSource,
  { namespace, metric, metricSelector }: { namespace: string; metric: string; metricSelector: string },
): Promise<number[]> {
  const url = `/apis/external.metrics.k8s.io/v1beta1/namespaces${path(namespace, metric)}${query({ labelSelector: metricSelector })}`;
  const { items } = await ask("external", `${metric}.external.metrics.k8s.io`, async () =>
    parseMetrics(externalMetricList, await source.read(url)),
  );
  if (items.length === 0) throw new Error("no metrics returned from external metrics API");
  return items.map(({ value }) => milliUnits(parseQuantity(value)));
}

function custom(
  source: MetricsSource,
  namespace: string,
  [resource = "", ...rest]: string[],
  fields: Record<string, string>,
): Promise<CustomMetrics> {
  return ask("custom", `${resource}.custom.metrics.k8s.io`, async () => {
    const version = source.customVersion();
    if (version === undefined) throw new Error("no custom metrics API (custom.metrics.k8s.io) registered");
    const url = `/apis/custom.metrics.k8s.io/${version}/namespaces${path(namespace, resource, ...rest)}${query(fields)}`;
    return parseMetrics(customMetricList, await source.read(url));
  });
}

/** @throws Error with what client-go would say of the failure */
async function ask<T>(which: string, resource: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const message = `unable to fetch metrics from ${which} metrics API: ${reasonOf(error, resource)}`;
    throw new Error(message, { cause: error });
  }
}

function reasonOf(error: unknown, resource: string): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  const { code, details } = error.status;
  // A path that nobody serves, as against an object that is not there.
  if (code === 404 && !details?.name) return `the server could not find the requested resource (get ${resource})`;
  if (code === 503) return `the server is currently unable to handle the request (get ${resource})`;
  return messageOf(error);
}
