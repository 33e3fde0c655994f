import type { Node, NodeCondition } from "../../shared/api/types.ts";

export const readyCondition = (node: Node): NodeCondition | undefined =>
  node.status?.conditions?.find(({ type }) => type === "Ready");

export const isReady = (node: Node): boolean => readyCondition(node)?.status === "True";
