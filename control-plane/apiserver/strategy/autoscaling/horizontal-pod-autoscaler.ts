import { invalidValue, NOT_NEGATIVE, notSupported, required } from "../../../../shared/api/field-error.ts";
import { parseQuantity } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type {
  V2HorizontalPodAutoscaler,
  V2HorizontalPodAutoscalerBehavior,
  V2HorizontalPodAutoscalerSpec,
} from "../../../../shared/api/types.ts";
import { checkNotNegative } from "../counts.ts";
import type { Strategy } from "../strategy.ts";
import { checkMetrics, checkObjectReference } from "./metrics.ts";

type ScalingRules = NonNullable<V2HorizontalPodAutoscalerBehavior["scaleUp"]>;

const MAX_PERIOD_SECONDS = 1800;
const MAX_STABILIZATION_SECONDS = 3600;
/** Percent of what the pods request. */
const DEFAULT_CPU_UTILIZATION = 80;

const scaleUpDefaults = (): ScalingRules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
});

const scaleDownDefaults = (): ScalingRules => ({
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
});

function applyDefaults({ spec }: V2HorizontalPodAutoscaler): void {
  if (!spec) return;
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: "Utilization", averageUtilization: DEFAULT_CPU_UTILIZATION };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  if (!spec.behavior) return;
  spec.behavior.scaleUp = { ...scaleUpDefaults(), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = { ...scaleDownDefaults(), ...spec.behavior.scaleDown };
}

function checkRules(rules: ScalingRules | undefined, path: string): StatusCause[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: window, selectPolicy, policies, tolerance } = rules;
  const causes: StatusCause[] = [];
  const field = `${path}.stabilizationWindowSeconds`;
  if ((window ?? 0) < 0) causes.push(invalidValue(field, window, "must be greater than or equal to zero"));
  if ((window ?? 0) > MAX_STABILIZATION_SECONDS) {
    causes.push(invalidValue(field, window, `must be less than or equal to ${MAX_STABILIZATION_SECONDS}`));
  }
  const selections = ["Disabled", "Max", "Min"];
  if (selectPolicy !== undefined && !selections.includes(selectPolicy)) {
    causes.push(notSupported(`${path}.selectPolicy`, selectPolicy, selections));
  }
  if ((policies ?? []).length === 0) causes.push(required(`${path}.policies`, "must specify at least one Policy"));
  for (const [i, { type, value, periodSeconds }] of (policies ?? []).entries()) {
    const policy = `${path}.policies[${i}]`;
    if (type !== "Pods" && type !== "Percent") causes.push(notSupported(`${policy}.type`, type, ["Percent", "Pods"]));
    if (value <= 0) causes.push(invalidValue(`${policy}.value`, value, "must be greater than zero"));
    if (periodSeconds <= 0) {
      causes.push(invalidValue(`${policy}.periodSeconds`, periodSeconds, "must be greater than zero"));
    }
    if (periodSeconds > MAX_PERIOD_SECONDS) {
      const detail = `must be less than or equal to ${MAX_PERIOD_SECONDS}`;
      causes.push(invalidValue(`${policy}.periodSeconds`, periodSeconds, detail));
    }
  }
  if (tolerance !== undefined && parseQuantity(tolerance).nanos < 0n) {
    causes.push(invalidValue(`${path}.tolerance`, tolerance, NOT_NEGATIVE));
  }
  return causes;
}

function checkSpec(spec: V2HorizontalPodAutoscalerSpec, old?: V2HorizontalPodAutoscalerSpec): StatusCause[] {
  const { minReplicas, maxReplicas, scaleTargetRef } = spec;
  const causes: StatusCause[] = [];
  const lowest = old?.minReplicas === 0 ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < lowest) {
    causes.push(invalidValue("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`));
  }
  if (!maxReplicas) causes.push(required("spec.maxReplicas", "must be set and greater than 0"));
  else if (maxReplicas < 0) {
    causes.push(invalidValue("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1"));
  }
  if (minReplicas !== undefined && (maxReplicas ?? 0) < minReplicas) {
    causes.push(invalidValue("spec.maxReplicas", maxReplicas ?? 0, "must be greater than or equal to `minReplicas`"));
  }
  const before = old?.scaleTargetRef;
  const isUnchanged =
    before?.kind === scaleTargetRef?.kind && (before?.apiVersion ?? "") === (scaleTargetRef?.apiVersion ?? "");
  const needsGroup = scaleTargetRef?.kind !== "ReplicationController" && !(before && isUnchanged);
  return [
    ...causes,
    ...checkObjectReference(scaleTargetRef, "spec.scaleTargetRef", needsGroup),
    ...checkMetrics(spec.metrics, minReplicas, "spec.metrics"),
    ...checkRules(spec.behavior?.scaleUp, "spec.behavior.scaleUp"),
    ...checkRules(spec.behavior?.scaleDown, "spec.behavior.scaleDown"),
  ];
}

/** Objects of autoscaling/v2; those of v1 are stored as such. */
export const HORIZONTAL_POD_AUTOSCALER_STRATEGY: Strategy<V2HorizontalPodAutoscaler> = {
  applyDefaults,
  validate: ({ spec }) => checkSpec(spec ?? {}),
  validateUpdate: ({ spec }, old) => checkSpec(spec ?? {}, old.spec),
  validateStatusUpdate: ({ status }) => [
    ...checkNotNegative(status?.currentReplicas, "status.currentReplicas"),
    ...checkNotNegative(status?.desiredReplicas, "status.desiredReplicas"),
  ],
};
