import type { GroupResource } from "../../shared/api/group-resource.ts";
import { count, type Evaluator } from "./evaluator.ts";

/** Names from before `count/…` that stand for the number of objects of a core resource. */
const OLD_NAMES = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

/** Objects of any other resource use their number. */
export function objectCountEvaluator({ group, resource }: GroupResource): Evaluator {
  const names = [`count/${resource}${group === "" ? "" : `.${group}`}`];
  if (group === "" && OLD_NAMES.has(resource)) names.push(resource);
  return {
    handles: ({ operation, subresource }) => !subresource && operation === "CREATE",
    matching: (wanted) => wanted.filter((name) => names.includes(name)),
    usage: () => new Map(names.map((name) => [name, count(1)])),
  };
}
