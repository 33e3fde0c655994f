import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";

/*
 * The behaviour of an autoscaler in the annotation by which autoscaling/v1 carries it. Upstream writes its internal type
 * there, whose fields have Go's names, and keeps to it for the sake of those that exist.
 */

/** v2's behaviour as the annotation has it, every field written. */
export function behaviorToV1(behavior: Json): Json {
  const { scaleUp, scaleDown } = asObject(behavior);
  return { ScaleUp: rulesToV1(scaleUp), ScaleDown: rulesToV1(scaleDown) };
}

function rulesToV1(rules: Json | undefined): Json {
  if (!isJsonObject(rules)) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies: Array.isArray(policies)
      ? policies.map(asObject).map(({ type = "", value = 0, periodSeconds = 0 }) => ({
          Type: type,
          Value: value,
          PeriodSeconds: periodSeconds,
        }))
      : null,
    Tolerance: tolerance ?? null,
  };
}

/** Undefined for what says nothing. */
export function behaviorFromV1(carried: Json | undefined): JsonObject | undefined {
  const { ScaleUp, ScaleDown } = asObject(carried);
  const behavior = present({ scaleUp: rulesFromV1(ScaleUp), scaleDown: rulesFromV1(ScaleDown) });
  return Object.keys(behavior).length > 0 ? behavior : undefined;
}

function rulesFromV1(rules: Json | undefined): Json | undefined {
  if (!isJsonObject(rules)) return undefined;
  const { StabilizationWindowSeconds, SelectPolicy, Policies, Tolerance } = rules;
  const policies = Array.isArray(Policies)
    ? Policies.map(asObject).map(({ Type, Value, PeriodSeconds }) =>
        present({ type: Type, value: Value, periodSeconds: PeriodSeconds }),
      )
    : undefined;
  return present({
    stabilizationWindowSeconds: StabilizationWindowSeconds,
    selectPolicy: SelectPolicy,
    policies,
    tolerance: Tolerance,
  });
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Without what is null or not there. */
function present(members: Record<string, Json | undefined>): JsonObject {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as JsonObject;
}
