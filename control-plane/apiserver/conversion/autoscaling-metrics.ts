import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";

/*
 * Metrics between autoscaling/v2 and the flat form that the annotations of autoscaling/v1 carry, by upstream's fields and
 * in the order in which it writes them.
 */

/** A metric of v2's spec. */
export function metricToV1(metric: Json): Json {
  const { type = "", object, pods, resource, containerResource, external } = asObject(metric);
  return present({
    type,
    object: of(object, ({ target, metric: named, describedObject }) => ({
      target: reference(describedObject),
      metricName: name(named),
      targetValue: asObject(target).value ?? "0",
      selector: asObject(named).selector,
      averageValue: asObject(target).averageValue,
    })),
    pods: of(pods, ({ target, metric: named }) => ({
      metricName: name(named),
      targetAverageValue: asObject(target).averageValue ?? "0",
      selector: asObject(named).selector,
    })),
    resource: of(resource, ({ target, name: resourceName = "" }) => ({
      name: resourceName,
      targetAverageUtilization: asObject(target).averageUtilization,
      targetAverageValue: asObject(target).averageValue,
    })),
    containerResource: of(containerResource, ({ target, name: resourceName = "", container = "" }) => ({
      name: resourceName,
      targetAverageUtilization: asObject(target).averageUtilization,
      targetAverageValue: asObject(target).averageValue,
      container,
    })),
    external: of(external, ({ target, metric: named }) => ({
      metricName: name(named),
      metricSelector: asObject(named).selector,
      targetValue: asObject(target).value,
      targetAverageValue: asObject(target).averageValue,
    })),
  });
}

export function metricFromV1(metric: Json): JsonObject {
  const { type, object, pods, resource, containerResource, external } = asObject(metric);
  const ofResource = ({ name: resourceName, container, ...target }: JsonObject) => ({
    name: resourceName,
    container,
    target: present({
      type: isSet(target.targetAverageUtilization) ? "Utilization" : "AverageValue",
      averageUtilization: target.targetAverageUtilization,
      averageValue: target.targetAverageValue,
    }),
  });
  return present({
    type,
    object: of(object, ({ target, metricName, targetValue, selector, averageValue }) => ({
      describedObject: target,
      metric: present({ name: metricName, selector }),
      target: isSet(averageValue)
        ? present({ type: "AverageValue", value: targetValue === "0" ? undefined : targetValue, averageValue })
        : present({ type: "Value", value: targetValue ?? "0" }),
    })),
    pods: of(pods, ({ metricName, targetAverageValue = "0", selector }) => ({
      metric: present({ name: metricName, selector }),
      target: { type: "AverageValue", averageValue: targetAverageValue },
    })),
    resource: of(resource, ofResource),
    containerResource: of(containerResource, ofResource),
    external: of(external, ({ metricName, metricSelector, targetValue, targetAverageValue }) => ({
      metric: present({ name: metricName, selector: metricSelector }),
      target: present({
        type: isSet(targetValue) ? "Value" : "AverageValue",
        value: targetValue,
        averageValue: targetAverageValue,
      }),
    })),
  });
}

/** A metric of v2's status. */
export function statusToV1(metric: Json): Json {
  const { type = "", object, pods, resource, containerResource, external } = asObject(metric);
  const ofResource = ({ current, name: resourceName = "", container }: JsonObject) => ({
    name: resourceName,
    currentAverageUtilization: asObject(current).averageUtilization,
    currentAverageValue: asObject(current).averageValue ?? "0",
    container,
  });
  return present({
    type,
    object: of(object, ({ current, metric: named, describedObject }) => ({
      target: reference(describedObject),
      metricName: name(named),
      currentValue: asObject(current).value ?? "0",
      selector: asObject(named).selector,
      averageValue: asObject(current).averageValue,
    })),
    pods: of(pods, ({ current, metric: named }) => ({
      metricName: name(named),
      currentAverageValue: asObject(current).averageValue ?? "0",
      selector: asObject(named).selector,
    })),
    resource: of(resource, ofResource),
    containerResource: of(containerResource, ofResource),
    external: of(external, ({ current, metric: named }) => ({
      metricName: name(named),
      metricSelector: asObject(named).selector,
      currentValue: asObject(current).value ?? "0",
      currentAverageValue: asObject(current).averageValue,
    })),
  });
}

export function statusFromV1(metric: Json): JsonObject {
  const { type, object, pods, resource, containerResource, external } = asObject(metric);
  const ofResource = ({ name: resourceName, container, ...current }: JsonObject) => ({
    name: resourceName,
    container,
    current: present({
      averageValue: current.currentAverageValue ?? "0",
      averageUtilization: current.currentAverageUtilization,
    }),
  });
  return present({
    type,
    object: of(object, ({ target, metricName, currentValue = "0", selector, averageValue }) => ({
      describedObject: target,
      metric: present({ name: metricName, selector }),
      current: present({ value: currentValue, averageValue }),
    })),
    pods: of(pods, ({ metricName, currentAverageValue = "0", selector }) => ({
      metric: present({ name: metricName, selector }),
      current: { averageValue: currentAverageValue },
    })),
    resource: of(resource, ofResource),
    containerResource: of(containerResource, ofResource),
    external: of(external, ({ metricName, metricSelector, currentValue = "0", currentAverageValue }) => ({
      metric: present({ name: metricName, selector: metricSelector }),
      current: present({ value: currentValue, averageValue: currentAverageValue }),
    })),
  });
}

type Members = Record<string, Json | undefined>;

/** A part that is there, rewritten. */
const of = (part: Json | undefined, rewrite: (part: JsonObject) => Members): JsonObject | undefined =>
  isJsonObject(part) ? present(rewrite(part)) : undefined;

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const name = (metric: Json | undefined): Json => asObject(metric).name ?? "";
const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null;

function reference(described: Json | undefined): JsonObject {
  const { kind = "", name: named = "", apiVersion } = asObject(described);
  return present({ kind, name: named, apiVersion });
}

/** Without what is null or not there. */
const present = (members: Members): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => isSet(value))) as JsonObject;
