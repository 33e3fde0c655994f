import { fieldForbidden, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label } from "../../../../shared/api/names.ts";
import { parseQuantity } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { V2HorizontalPodAutoscalerSpec } from "../../../../shared/api/types.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { checkContainerResourceName } from "../pod-spec/index.ts";
import { checkSegment } from "../references.ts";

export type MetricSpec = NonNullable<V2HorizontalPodAutoscalerSpec["metrics"]>[number];
type MetricTarget = NonNullable<MetricSpec["resource"]>["target"];
type ObjectReference = V2HorizontalPodAutoscalerSpec["scaleTargetRef"];

const TYPES = ["ContainerResource", "External", "Object", "Pods", "Resource"];
/** In upstream's order; the first that is there is checked. */
const SOURCES = ["object", "external", "pods", "resource", "containerResource"] as const;
const SOURCE_OF: Record<string, (typeof SOURCES)[number]> = {
  Object: "object",
  Pods: "pods",
  Resource: "resource",
  External: "external",
  ContainerResource: "containerResource",
};

/** `needsGroup`: kinds of the core group do not scale. */
export function checkObjectReference(
  ref: ObjectReference | undefined,
  path: string,
  needsGroup: boolean,
): StatusCause[] {
  const causes = [...checkSegment(ref?.kind, `${path}.kind`), ...checkSegment(ref?.name, `${path}.name`)];
  const apiVersion = ref?.apiVersion ?? "";
  if (apiVersion.split("/").length > 2) {
    causes.push(invalidValue(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else if (needsGroup && apiVersion.indexOf("/") <= 0) {
    causes.push(invalidValue(`${path}.apiVersion`, apiVersion, "apiVersion must specify API group"));
  }
  return causes;
}

function checkTarget({ type, value, averageValue, averageUtilization }: MetricTarget, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (!type) causes.push(required(`${path}.type`, "must specify a metric target type"));
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    causes.push(invalidValue(`${path}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  for (const [name, amount] of Object.entries({ value, averageValue })) {
    if (amount !== undefined && parseQuantity(amount).nanos <= 0n) {
      causes.push(invalidValue(`${path}.${name}`, amount, "must be positive"));
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    causes.push(invalidValue(`${path}.averageUtilization`, averageUtilization, "must be greater than 0"));
  }
  return causes;
}

function checkIdentifier(name: string | undefined, path: string): StatusCause[] {
  return name ? checkSegment(name, `${path}.name`) : [required(`${path}.name`, "must specify a metric name")];
}

/** Exactly one of two ways to say how much of a resource is wanted. */
function checkResourceTarget(target: MetricTarget, path: string): StatusCause[] {
  const causes = checkTarget(target, path);
  const [utilization, value] = [target.averageUtilization !== undefined, target.averageValue !== undefined];
  if (!utilization && !value) {
    causes.push(required(`${path}.averageUtilization`, "must set either a target raw value or a target utilization"));
  }
  if (utilization && value) {
    causes.push(fieldForbidden(`${path}.averageValue`, "may not set both a target raw value and a target utilization"));
  }
  return causes;
}

type SourceChecks = {
  [K in (typeof SOURCES)[number]]: (source: NonNullable<MetricSpec[K]>, path: string) => StatusCause[];
};

const CHECKS: SourceChecks = {
  object: ({ describedObject, metric, target }, path) => {
    const causes = [
      ...checkObjectReference(describedObject, `${path}.describedObject`, false),
      ...checkIdentifier(metric?.name, `${path}.metric`),
      ...checkTarget(target, `${path}.target`),
    ];
    if (target.value === undefined && target.averageValue === undefined) {
      causes.push(required(`${path}.target.averageValue`, "must set either a target value or averageValue"));
    }
    return causes;
  },
  external: ({ metric, target }, path) => {
    const causes = [...checkIdentifier(metric?.name, `${path}.metric`), ...checkTarget(target, `${path}.target`)];
    if (target.value === undefined && target.averageValue === undefined) {
      const detail = "must set either a target value for metric or a per-pod target";
      causes.push(required(`${path}.target.averageValue`, detail));
    }
    if (target.value !== undefined && target.averageValue !== undefined) {
      const detail = "may not set both a target value for metric and a per-pod target";
      causes.push(fieldForbidden(`${path}.target.value`, detail));
    }
    return causes;
  },
  pods: ({ metric, target }, path) => {
    const causes = [...checkIdentifier(metric?.name, `${path}.metric`), ...checkTarget(target, `${path}.target`)];
    if (target.averageValue === undefined) {
      causes.push(required(`${path}.target.averageValue`, "must specify a positive target averageValue"));
    }
    return causes;
  },
  resource: ({ name, target }, path) => [
    ...(name ? [] : [required(`${path}.name`, "must specify a resource name")]),
    ...checkResourceTarget(target, `${path}.target`),
  ],
  containerResource: ({ name, container, target }, path) => [
    ...(name
      ? checkContainerResourceName(name, `${path}.name`)
      : [required(`${path}.name`, "must specify a resource name")]),
    ...(container
      ? checkDns1123Label(container).map((message) => invalidValue(`${path}.container`, container, message))
      : [required(`${path}.container`, "must specify a container")]),
    ...checkResourceTarget(target, `${path}.target`),
  ],
};

function checkMetric(metric: MetricSpec, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (!metric.type) causes.push(required(`${path}.type`, "must specify a metric source type"));
  if (!TYPES.includes(metric.type)) causes.push(notSupported(`${path}.type`, metric.type, TYPES));
  const present = SOURCES.filter((source) => metric[source] !== undefined);
  const first = present[0];
  if (first) {
    const check = CHECKS[first] as (source: unknown, path: string) => StatusCause[];
    causes.push(...check(metric[first], `${path}.${first}`));
  }
  const expected = ownMember(SOURCE_OF, metric.type);
  if (!expected) causes.push(notSupported(`${path}.type`, metric.type, TYPES));
  else if (metric[expected] === undefined) {
    causes.push(required(`${path}.${expected}`, "must populate information for the given metric source"));
  }
  if (present.length !== 1) {
    for (const source of present.filter((name) => name !== expected)) {
      causes.push(fieldForbidden(`${path}.${source}`, "must populate the given metric source only"));
    }
  }
  return causes;
}

export function checkMetrics(metrics: MetricSpec[] = [], minReplicas: number | undefined, path: string): StatusCause[] {
  const causes = metrics.flatMap((metric, i) => checkMetric(metric, `${path}[${i}]`));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    causes.push(
      fieldForbidden(path, "must specify at least one Object or External metric to support scaling to zero replicas"),
    );
  }
  return causes;
}
