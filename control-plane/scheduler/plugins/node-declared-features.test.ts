import { expect, it } from "vitest";
import type { Node, Pod } from "../../../shared/api/types.ts";
import { CACHING } from "../caching.ts";
import { NodeInfo, podInfoOf } from "../framework/node-info.ts";
import { nodeDeclaredFeatures, REASON } from "./node-declared-features.ts";

const rules = (action: string) => [{ name: "c", restartPolicyRules: [{ action }] }];
const ALL = "RestartAllContainers";
const FEATURE = "RestartAllContainersOnContainerExits";

it.each<{ name: string; spec: object; features?: string[]; isRefused: boolean }>([
  { name: "a pod that needs nothing goes anywhere", spec: { containers: [{ name: "c" }] }, isRefused: false },
  { name: "one that restarts a container does, too", spec: { containers: rules("Restart") }, isRefused: false },
  { name: "one that restarts all needs a node that can", spec: { containers: rules(ALL) }, isRefused: true },
  { name: "one of another feature does not do", spec: { containers: rules(ALL) }, features: ["X"], isRefused: true },
  { name: "one that says so does", spec: { containers: rules(ALL) }, features: ["A", FEATURE], isRefused: false },
  { name: "init containers count", spec: { containers: [], initContainers: rules(ALL) }, isRefused: true },
])("$name", ({ spec, features, isRefused }) => {
  const node = { metadata: { name: "n" }, spec: {}, status: { declaredFeatures: features } } as unknown as Node;
  const pod = { metadata: { name: "p", namespace: "ns", uid: "u" }, spec } as unknown as Pod;
  // As the scheduler has it in memory.
  const trimmed = CACHING["pods"]!.trim!(pod) as Pod;
  if (!("filter" in nodeDeclaredFeatures)) throw new Error("it looks at the node alone");
  expect(nodeDeclaredFeatures.filter(podInfoOf(trimmed), new NodeInfo(node))).toEqual(
    isRefused ? { unresolvable: true, reasons: [REASON] } : undefined,
  );
});
