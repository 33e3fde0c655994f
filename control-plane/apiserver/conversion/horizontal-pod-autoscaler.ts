import { goJson } from "../../../shared/api/field-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject, ObjectMeta } from "../../../shared/api/object.ts";
import { behaviorFromV1, behaviorToV1 } from "./autoscaling-behavior.ts";
import { metricFromV1, metricToV1, statusFromV1, statusToV1 } from "./autoscaling-metrics.ts";

/** What v1 has no field for travels in these annotations (upstream's autoscaling conversion). */
const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";
const CARRIERS = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR];

/** The one metric v1 knows: average CPU utilisation. */
function cpuUtilization(metric: Json, value: "target" | "current"): Json | undefined {
  if (!isJsonObject(metric) || metric.type !== "Resource" || !isJsonObject(metric.resource)) return undefined;
  const { name, [value]: amount } = metric.resource;
  return name === "cpu" && isJsonObject(amount) ? (amount.averageUtilization ?? undefined) : undefined;
}

/** v2 as v1 shows it. */
export function hpaFromStored(hpa: KubeObject): KubeObject {
  const { metrics, behavior, ...spec } = (hpa.spec ?? {}) as JsonObject;
  const { currentMetrics, conditions, ...status } = (hpa.status ?? {}) as JsonObject;
  const annotations: Record<string, string> = { ...hpa.metadata.annotations };
  for (const name of CARRIERS) delete annotations[name];
  const carry = (name: string, list: Json[]) => {
    if (list.length > 0) annotations[name] = goJson(list);
  };
  const cpu = asArray(metrics).map((metric) => cpuUtilization(metric, "target"));
  carry(
    METRICS,
    asArray(metrics)
      .filter((_, index) => cpu[index] === undefined)
      .map(metricToV1),
  );
  // Those that v1 has a field for are kept too, for their raw values.
  carry(CURRENT_METRICS, asArray(currentMetrics).map(statusToV1));
  if (behavior !== undefined && behavior !== null) annotations[BEHAVIOR] = goJson(behaviorToV1(behavior));
  carry(CONDITIONS, asArray(conditions));
  const target = cpu.find((utilization) => utilization !== undefined);
  const current = asArray(currentMetrics)
    .map((metric) => cpuUtilization(metric, "current"))
    .findLast((utilization) => utilization !== undefined);
  return {
    ...hpa,
    metadata: withAnnotations(hpa.metadata, annotations),
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
    },
  };
}

/** v1 as v2 keeps it. An annotation that is no JSON is left out, as upstream leaves it. */
export function hpaToStored(hpa: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = (hpa.spec ?? {}) as JsonObject;
  const { currentCPUUtilizationPercentage: current, ...status } = (hpa.status ?? {}) as JsonObject;
  const annotations: Record<string, string> = { ...hpa.metadata.annotations };
  const carried = (name: string): Json | undefined => parse(annotations[name]);
  const metrics = asArray(carried(METRICS)).map(metricFromV1);
  if (target !== undefined && target !== null) {
    metrics.push({
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: target } },
    });
  }
  const ofCpu = () => [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: current! } } }];
  const kept = carried(CURRENT_METRICS);
  const currentMetrics = Array.isArray(kept)
    ? kept.map(statusFromV1)
    : current === undefined || current === null
      ? []
      : ofCpu();
  const behavior = behaviorFromV1(carried(BEHAVIOR));
  const conditions = carried(CONDITIONS);
  for (const name of CARRIERS) delete annotations[name];
  return {
    ...hpa,
    metadata: withAnnotations(hpa.metadata, annotations),
    spec: { ...spec, ...(metrics.length > 0 ? { metrics } : {}), ...(behavior === undefined ? {} : { behavior }) },
    status: {
      ...status,
      currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
}

function withAnnotations({ annotations: _old, ...metadata }: ObjectMeta, annotations: Record<string, string>) {
  return { ...metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) };
}

const asArray = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

function parse(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
