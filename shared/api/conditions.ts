interface Condition {
  type: string;
  status: string;
}

/** What has conditions in its status: nodes, pods, most other kinds. */
interface Conditioned<C extends Condition = Condition> {
  status?: { conditions?: C[] | null } | null;
}

/** What an object says of its readiness; undefined when it does not (yet). */
export const readyCondition = <C extends Condition>({ status }: Conditioned<C>): C | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready");

/** Whether an object, a Node or a Pod say, says of itself that it is ready. */
export const isReady = (object: Conditioned): boolean => readyCondition(object)?.status === "True";
