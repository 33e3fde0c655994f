import type { V2HorizontalPodAutoscaler, V2HPAScalingRules } from "../../../shared/api/types.ts";
import { type History, remember } from "./history.ts";

/** How long a lower recommendation waits where spec.behavior does not say (upstream's flag; the API leaves it empty). */
const DEFAULT_DOWN_WINDOW_SECONDS = 300;
/** The longest window that the API takes (seconds). */
const MAX_WINDOW_SECONDS = 3600;
/** Growth in one pass without spec.behavior: to twice as many, or to this. */
const MIN_UP_LIMIT = 4;

interface Why {
  reason: string;
  message: string;
}

export interface Normalized {
  replicas: number;
  /** Of the condition AbleToScale, which is True. */
  able: Why;
  /** Of the condition ScalingLimited. */
  limited: Why & { isLimited: boolean };
  history: History;
}

interface Wish {
  hpa: V2HorizontalPodAutoscaler;
  currentReplicas: number;
  /** What the metrics ask for. */
  wanted: number;
  minReplicas: number;
  history: History;
  nowMs: number;
}

/** What is left of the metrics' wish after stabilisation, policies and bounds. */
export function normalize(wish: Wish): Normalized {
  const { wanted, nowMs } = wish;
  const stable = stabilize(wish);
  const { replicas, ...why } = limit(wish, stable.replicas);
  const recommendations = remember(
    wish.history.recommendations,
    { replicas: wanted, atMs: nowMs },
    MAX_WINDOW_SECONDS * 1000,
  );
  return {
    replicas,
    able:
      stable.replicas === wanted
        ? { reason: "ReadyForNewScale", message: "recommended size matches current size" }
        : stable.why,
    limited: { ...why, isLimited: replicas !== stable.replicas },
    history: { ...wish.history, recommendations },
  };
}

const LOWEST = "recent recommendations were lower than current one, applying the lowest recent recommendation";
const HIGHEST = "recent recommendations were higher than current one, applying the highest recent recommendation";

/** The lowest of the recent recommendations upwards, the highest of them downwards. */
function stabilize({ hpa, currentReplicas, wanted, history, nowMs }: Wish): { replicas: number; why: Why } {
  const { behavior } = hpa.spec;
  const recent = (seconds: number) =>
    history.recommendations.filter(({ atMs }) => atMs > nowMs - seconds * 1000).map(({ replicas }) => replicas);
  const down = Math.max(
    wanted,
    ...recent(behavior?.scaleDown?.stabilizationWindowSeconds ?? DEFAULT_DOWN_WINDOW_SECONDS),
  );
  if (!behavior) return { replicas: down, why: { reason: "ScaleDownStabilized", message: HIGHEST } };
  const up = Math.min(wanted, ...recent(behavior.scaleUp?.stabilizationWindowSeconds ?? 0));
  const why =
    wanted >= currentReplicas
      ? { reason: "ScaleUpStabilized", message: LOWEST }
      : { reason: "ScaleDownStabilized", message: HIGHEST };
  return { replicas: Math.min(Math.max(currentReplicas, up), down), why };
}

const TOO_MANY = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const TOO_FEW = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const TOO_FAST_UP = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const TOO_FAST_DOWN = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const WITHIN = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" };

function limit(wish: Wish, stable: number): Why & { replicas: number } {
  const { hpa, currentReplicas: current, minReplicas, history, nowMs } = wish;
  const { behavior, maxReplicas } = hpa.spec;
  if (!behavior) {
    const fastest = Math.max(2 * current, MIN_UP_LIMIT);
    if (stable < minReplicas) return { ...TOO_FEW, replicas: minReplicas };
    if (stable > Math.min(maxReplicas, fastest))
      return maxReplicas > fastest ? { ...TOO_FAST_UP, replicas: fastest } : { ...TOO_MANY, replicas: maxReplicas };
  } else if (stable > current) {
    const fastest = Math.max(current, policyLimit("up", behavior.scaleUp, { current, history, nowMs }));
    if (stable > Math.min(maxReplicas, fastest))
      return maxReplicas > fastest ? { ...TOO_FAST_UP, replicas: fastest } : { ...TOO_MANY, replicas: maxReplicas };
  } else if (stable < current) {
    const fastest = Math.min(current, policyLimit("down", behavior.scaleDown, { current, history, nowMs }));
    if (stable < Math.max(minReplicas, fastest))
      return minReplicas < fastest ? { ...TOO_FAST_DOWN, replicas: fastest } : { ...TOO_FEW, replicas: minReplicas };
  }
  return { ...WITHIN, replicas: stable };
}

/** The furthest that the policies of one direction allow, counted from where their periods began. */
function policyLimit(
  direction: "up" | "down",
  rules: V2HPAScalingRules | undefined,
  { current, history, nowMs }: { current: number; history: History; nowMs: number },
): number {
  const select = rules?.selectPolicy ?? "Max";
  if (select === "Disabled") return current;
  const sign = direction === "up" ? 1 : -1;
  const limits = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const since = nowMs - periodSeconds * 1000;
    const start = current - sum(history.ups, since) + sum(history.downs, since);
    if (type === "Pods") return start + sign * value;
    const target = start * (1 + (sign * value) / 100);
    return direction === "up" ? Math.ceil(target) : Math.trunc(target);
  });
  const isHighest = (select === "Min") !== (direction === "up");
  return isHighest ? Math.max(...limits) : Math.min(...limits);
}

function sum(changes: History["ups"], sinceMs: number): number {
  let total = 0;
  for (const { by, atMs } of changes) if (atMs > sinceMs) total += by;
  return total;
}

/** With a change of size in it. */
export function withChange(history: History, from: number, to: number, nowMs: number): History {
  const entry = { by: Math.abs(to - from), atMs: nowMs };
  const windowMs = MAX_WINDOW_SECONDS * 1000;
  if (to > from) return { ...history, ups: remember(history.ups, entry, windowMs) };
  return { ...history, downs: remember(history.downs, entry, windowMs) };
}
