import type { FlowSchema } from "../../../shared/api/types.ts";

/** What a flow schema's status shall tell of its level, apart from the time. */
export interface Dangling {
  type: "Dangling";
  status: "True" | "False";
  reason: string;
  message: string;
}

/**
 * The condition that a flow schema lacks: whether its level is missing. Undefined: it has it.
 * @param hasLevel whether there is a level of that name
 */
export function decide({ spec, status }: FlowSchema, hasLevel: (name: string) => boolean): Dangling | undefined {
  const level = spec?.priorityLevelConfiguration?.name ?? "";
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const wanted: Dangling = hasLevel(level)
    ? { type: "Dangling", status: "False", reason: "Found", message: `${reference} and it exists` }
    : { type: "Dangling", status: "True", reason: "NotFound", message: `${reference} but there is no such object` };
  const present = status?.conditions?.find(({ type }) => type === wanted.type);
  const isThere =
    present?.status === wanted.status && present.reason === wanted.reason && present.message === wanted.message;
  return isThere ? undefined : wanted;
}
