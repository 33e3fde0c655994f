import { isReady } from "../../../shared/api/conditions.ts";
import { milliUnits, parseQuantity, printQuantity } from "../../../shared/api/quantity.ts";
import { type LabelSelectorObject, printLabelSelector, requirementsOf } from "../../../shared/api/selector.ts";
import { goTextOfSelector } from "../../../shared/api/selector-go-text.ts";
import type {
  Pod,
  V2HorizontalPodAutoscaler,
  V2MetricSpec,
  V2MetricStatus,
  V2MetricTarget,
  V2MetricValueStatus,
} from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { type MetricsSource, readExternal, readObject, readPods, readResource } from "./metrics-client.ts";
import { requestsMilli } from "./pod-requests.ts";
import { type Count, countByAverage, countByShare, countByUtilization, countByValue } from "./replica-count.ts";
import { toleranceOf } from "./tolerance.ts";

/** What one metric asks for. */
export type Proposal =
  | { replicas: number; metric: string; status: V2MetricStatus }
  | { failed: { reason: string; message: string; error: string } };

export interface Target {
  hpa: V2HorizontalPodAutoscaler;
  /** Of the scale's spec and status. */
  specReplicas: number;
  statusReplicas: number;
  /** The scale's selector of pods. */
  selector: string;
  source: MetricsSource;
  /** The pods that the selector selects, whole; asked for at most once. */
  pods(): Promise<Pod[]>;
  /** `deployments.apps` for a kind. @throws Error for a kind that is not there */
  resourceOf(reference: { apiVersion?: string; kind: string }): string;
  nowMs: number;
}

/** A failure of which the event and the condition have the inner text only, the autoscaler's own event the whole. */
class MetricFailure extends Error {
  readonly inner: string;

  constructor(what: string, cause: unknown) {
    const inner = messageOf(cause);
    super(`${what}: ${inner}`, { cause });
    this.inner = inner;
  }
}

/** Reads one metric and says how many replicas it asks for; a failure is an answer, too. */
export async function propose(target: Target, spec: V2MetricSpec): Promise<Proposal> {
  const fail = (reason: string, outer: string, error: unknown): Proposal => {
    const message = error instanceof MetricFailure ? error.inner : messageOf(error);
    return { failed: { reason, message, error: `${outer}: ${messageOf(error)}` } };
  };
  switch (spec.type) {
    case "Resource": {
      const { name, target: wanted } = spec.resource!;
      try {
        const { count, current } = await byResource(target, { name, container: "", wanted });
        const metric = wanted.averageValue
          ? `${name} resource`
          : `${name} resource utilization (percentage of request)`;
        return { replicas: count.replicas, metric, status: { type: "Resource", resource: { name, current } } };
      } catch (error) {
        return fail("FailedGetResourceMetric", `failed to get ${name} resource metric value`, error);
      }
    }
    case "ContainerResource": {
      const { name, container, target: wanted } = spec.containerResource!;
      try {
        const { count, current } = await byResource(target, { name, container, wanted });
        const metric = wanted.averageValue
          ? `${name} resource`
          : `${name} container resource utilization (percentage of request)`;
        const status = { type: "ContainerResource", containerResource: { name, container, current } };
        return { replicas: count.replicas, metric, status };
      } catch (error) {
        return fail("FailedGetContainerResourceMetric", `failed to get ${container} container metric value`, error);
      }
    }
    case "Pods":
      return byPods(target, spec).catch((error: unknown) =>
        fail("FailedGetPodsMetric", "failed to get pods metric value", error),
      );
    case "Object":
      return byObject(target, spec).catch((error: unknown) =>
        fail("FailedGetObjectMetric", "failed to get object metric value", error),
      );
    case "External":
      return byExternal(target, spec).catch((error: unknown) =>
        fail("FailedGetExternalMetric", `failed to get ${spec.external!.metric.name} external metric value`, error),
      );
    default: {
      const error = `unknown metric source type ${JSON.stringify(spec.type)}`;
      return { failed: { reason: "InvalidMetricSourceType", message: error, error } };
    }
  }
}

async function byResource(
  target: Target,
  { name, container, wanted }: { name: string; container: string; wanted: V2MetricTarget },
): Promise<{ count: Count; current: V2MetricValueStatus }> {
  const { hpa, specReplicas: currentReplicas, selector, source, nowMs } = target;
  const isUsage = wanted.averageValue !== undefined;
  return step(`failed to get ${name} ${isUsage ? "usage" : "utilization"}`, async () => {
    if (!isUsage && wanted.averageUtilization === undefined)
      throw new Error(
        "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
      );
    const options = { namespace: hpa.metadata.namespace ?? "", selector, resource: name, container };
    const metrics = await step(`unable to get metrics for resource ${name}`, () => readResource(source, options));
    const pods = await target.pods();
    const readings = { pods, metrics, resource: name, currentReplicas, tolerance: toleranceOf(hpa), nowMs };
    const count = isUsage
      ? countByAverage({ ...readings, targetMilli: milliOf(wanted.averageValue) })
      : countByUtilization({
          ...readings,
          requestsMilli: pods.length === 0 ? new Map() : requestsMilli(pods, container, name),
          targetPercent: wanted.averageUtilization ?? 0,
        });
    const averageValue = quantity(count.averageMilli, name === "memory" ? "BinarySI" : "DecimalSI");
    const { utilization } = count;
    return {
      count,
      current: utilization === undefined ? { averageValue } : { averageUtilization: utilization, averageValue },
    };
  });
}

async function byPods(target: Target, spec: V2MetricSpec): Promise<Proposal> {
  const { hpa, selector, source, specReplicas, nowMs } = target;
  const { metric, target: wanted } = spec.pods!;
  const options = { ...named(hpa, metric), selector };
  const metrics = await step(`unable to get metric ${metric.name}`, () => readPods(source, options));
  const count = countByAverage({
    pods: await target.pods(),
    metrics,
    resource: "",
    currentReplicas: specReplicas,
    tolerance: toleranceOf(hpa),
    nowMs,
    targetMilli: milliOf(wanted.averageValue),
  });
  const status = { type: "Pods", pods: { metric, current: { averageValue: quantity(count.averageMilli) } } };
  return { replicas: count.replicas, metric: `pods metric ${metric.name}`, status };
}

async function byObject(target: Target, spec: V2MetricSpec): Promise<Proposal> {
  const { hpa, source } = target;
  const { metric, describedObject, target: wanted } = spec.object!;
  const { kind, apiVersion, name } = describedObject;
  const { namespace } = hpa.metadata;
  const isNamespace = kind === "Namespace" && !apiVersion?.includes("/");
  const usageMilli = async () => {
    try {
      const resource = isNamespace ? "" : target.resourceOf(describedObject);
      return await readObject(source, { ...named(hpa, metric), resource, name, metric: metric.name });
    } catch (error) {
      const message = `unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/${messageOf(error)}`;
      throw new Error(message, { cause: error });
    }
  };
  const status = (current: V2MetricValueStatus): V2MetricStatus => ({
    type: "Object",
    object: { describedObject, metric, current },
  });
  if (wanted.type === "Value" && wanted.value !== undefined) {
    const value = await usageMilli();
    const replicas = await wholeCount(target, value, wanted.value);
    return { replicas, metric: `${kind} metric ${metric.name}`, status: status({ value: quantity(value) }) };
  }
  if (wanted.type === "AverageValue" && wanted.averageValue !== undefined) {
    const { replicas, averageMilli } = await outside(`failed to get ${metric.name} object metric`, async () =>
      shareCount(target, await usageMilli(), wanted.averageValue),
    );
    const shown = `external metric ${metric.name}(${goSelector(metric.selector)})`;
    return { replicas, metric: shown, status: status({ averageValue: quantity(averageMilli) }) };
  }
  throw new Error("invalid object metric source: neither a value target nor an average value target was set");
}

async function byExternal(target: Target, spec: V2MetricSpec): Promise<Proposal> {
  const { hpa, source } = target;
  const { metric, target: wanted } = spec.external!;
  const shown = `external metric ${metric.name}(${goSelector(metric.selector)})`;
  const usageMilli = async () => {
    const what = `unable to get external metric ${hpa.metadata.namespace}/${metric.name}/${goSelector(metric.selector)}`;
    const values = await step(what, () => readExternal(source, named(hpa, metric)));
    return values.reduce((sum, value) => sum + value, 0);
  };
  if (wanted.averageValue !== undefined) {
    const { replicas, averageMilli } = await outside(`failed to get ${metric.name} external metric`, async () =>
      shareCount(target, await usageMilli(), wanted.averageValue),
    );
    const status = { type: "External", external: { metric, current: { averageValue: quantity(averageMilli) } } };
    return { replicas, metric: shown, status };
  }
  const { value } = wanted;
  if (value === undefined)
    throw new Error("invalid external metric source: neither a value target nor an average value target was set");
  return outside(`failed to get external metric ${metric.name}`, async () => {
    const usage = await usageMilli();
    const status = { type: "External", external: { metric, current: { value: quantity(usage) } } };
    return { replicas: await wholeCount(target, usage, value), metric: shown, status };
  });
}

async function wholeCount(target: Target, usageMilli: number, wanted: string): Promise<number> {
  const { hpa, specReplicas: currentReplicas } = target;
  const options = { usageMilli, targetMilli: milliOf(wanted), currentReplicas, tolerance: toleranceOf(hpa) };
  if (currentReplicas === 0) return countByValue({ ...options, readyPods: 0 });
  const pods = await target.pods();
  if (pods.length === 0)
    throw new Error("unable to calculate ready pods: no pods returned by selector while calculating replica count");
  const readyPods = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod)).length;
  return countByValue({ ...options, readyPods });
}

const shareCount = ({ hpa, statusReplicas }: Target, usageMilli: number, wanted: string | undefined): Count =>
  countByShare({ usageMilli, targetMilli: milliOf(wanted), statusReplicas, tolerance: toleranceOf(hpa) });

const named = (hpa: V2HorizontalPodAutoscaler, metric: { name: string; selector?: LabelSelectorObject }) => ({
  namespace: hpa.metadata.namespace ?? "",
  metric: metric.name,
  metricSelector: printLabelSelector(requirementsOf(metric.selector ?? {})),
});

const goSelector = (selector: LabelSelectorObject | undefined): string =>
  selector ? goTextOfSelector(selector) : "nil";

const milliOf = (text: string | undefined): number => milliUnits(parseQuantity(text ?? "0"));

const quantity = (milli: number, format: "DecimalSI" | "BinarySI" = "DecimalSI"): string =>
  printQuantity({ nanos: BigInt(Math.trunc(milli)) * 1_000_000n, format });

async function step<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}

async function outside<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new MetricFailure(what, error);
  }
}
