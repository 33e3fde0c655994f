import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";

/** What v1 has no field for travels in these annotations (upstream's autoscaling conversion). */
const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";
const CARRIERS = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR];

/** The one metric v1 knows: average CPU utilisation. */
function isCpuUtilization(metric: Json): metric is JsonObject {
  if (!isJsonObject(metric) || metric.type !== "Resource" || !isJsonObject(metric.resource)) return false;
  if (metric.resource.name !== "cpu") return false;
  const { target, current } = metric.resource;
  if (isJsonObject(target)) return target.type === "Utilization";
  return isJsonObject(current) && current.averageUtilization !== undefined;
}

const part = (metric: JsonObject, name: "target" | "current"): JsonObject =>
  ((metric.resource as JsonObject)[name] as JsonObject | undefined) ?? {};

/** v2 as v1 shows it. */
export function hpaFromStored(hpa: KubeObject): KubeObject {
  const { metrics = [], behavior, ...spec } = (hpa.spec ?? {}) as JsonObject & { metrics?: Json[] };
  const { currentMetrics = [], conditions, ...status } = (hpa.status ?? {}) as JsonObject & { currentMetrics?: Json[] };
  const annotations: Record<string, string> = { ...hpa.metadata.annotations };
  const carry = (name: string, value: Json | undefined) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
    annotations[name] = JSON.stringify(value);
  };
  const cpu = metrics.find(isCpuUtilization);
  const currentCpu = (currentMetrics as Json[]).find(isCpuUtilization);
  carry(
    METRICS,
    metrics.filter((metric) => metric !== cpu),
  );
  carry(
    CURRENT_METRICS,
    (currentMetrics as Json[]).filter((metric) => metric !== currentCpu),
  );
  carry(CONDITIONS, conditions);
  carry(BEHAVIOR, behavior);
  return {
    ...hpa,
    metadata: { ...hpa.metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: { ...spec, ...(cpu ? { targetCPUUtilizationPercentage: part(cpu, "target").averageUtilization } : {}) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(currentCpu ? { currentCPUUtilizationPercentage: part(currentCpu, "current").averageUtilization } : {}),
    },
  };
}

/** v1 as v2 keeps it. An annotation that is no JSON is left out, as upstream leaves it. */
export function hpaToStored(hpa: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = (hpa.spec ?? {}) as JsonObject;
  const { currentCPUUtilizationPercentage: current, ...status } = (hpa.status ?? {}) as JsonObject;
  const annotations: Record<string, string> = { ...hpa.metadata.annotations };
  const carried = (name: string): Json | undefined => parse(annotations[name]);
  const metrics = [...asArray(carried(METRICS))];
  if (target !== undefined && target !== null) {
    metrics.push({
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: target } },
    });
  }
  const currentMetrics = [...asArray(carried(CURRENT_METRICS))];
  if (current !== undefined && current !== null) {
    currentMetrics.push({
      type: "Resource",
      resource: { name: "cpu", current: { averageUtilization: current, averageValue: "0" } },
    });
  }
  const behavior = carried(BEHAVIOR);
  const conditions = carried(CONDITIONS);
  for (const name of CARRIERS) delete annotations[name];
  const { annotations: _annotations, ...metadata } = hpa.metadata;
  return {
    ...hpa,
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: { ...spec, ...(metrics.length > 0 ? { metrics } : {}), ...(behavior === undefined ? {} : { behavior }) },
    status: {
      ...status,
      ...(currentMetrics.length > 0 ? { currentMetrics } : {}),
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
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
