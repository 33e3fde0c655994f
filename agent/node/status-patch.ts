import type { NodeCondition, NodeStatus } from "../../shared/api/types.ts";
import { CGROUP_V2 } from "./conditions.ts";

/** Upstream's nodeStatusReportFrequency: how old the heartbeat in the API may get while nothing changes. */
const REPORT_MS = 5 * 60_000;

/**
 * The strategic merge patch that makes the API's status ours; undefined when there is nothing to say yet. Fields of
 * others (attached volumes, conditions of other types) stay.
 */
export function decideStatusPatch(
  known: NodeStatus,
  ours: NodeStatus,
  sinceReportMs: number,
): Record<string, unknown> | undefined {
  const changed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(ours)) {
    if (field === "conditions") continue;
    if (!isSame(known[field as keyof NodeStatus], value)) changed[field] = value;
  }
  const isQuiet =
    Object.keys(changed).length === 0 && !conditionsChanged(known.conditions ?? [], ours.conditions ?? []);
  if (isQuiet && sinceReportMs < REPORT_MS) return undefined;
  // Merged by type two addresses of one type would be one, and what is gone would stay.
  if (changed["addresses"]) changed["addresses"] = [...(ours.addresses ?? []), { $patch: "replace" }];
  const gone = (known.conditions ?? []).filter(({ type }) => type === CGROUP_V2 && !has(ours, type));
  return { status: { ...changed, conditions: [...(ours.conditions ?? []), ...gone.map(deleted)] } };
}

const has = ({ conditions }: NodeStatus, wanted: string) => conditions?.some(({ type }) => type === wanted);

const deleted = ({ type }: NodeCondition) => ({ $patch: "delete", type });

/** Other than in their times. */
function conditionsChanged(known: NodeCondition[], ours: NodeCondition[]): boolean {
  return ours.some((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    return (
      before?.status !== condition.status || before.reason !== condition.reason || before.message !== condition.message
    );
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** Keys in order, empty values left out: what a server does not store it does not give back. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined && each !== "");
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]));
}
