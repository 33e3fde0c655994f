import { expect, it } from "vitest";
import { aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { findPod, type NodeState } from "./node-state.ts";

const made = (uid: string, creationTimestamp?: string, name = "web-0") => aPod({}, { uid, name, creationTimestamp });
const T1 = "2026-01-01T00:00:00Z";
const T2 = "2026-01-01T00:00:01Z";

it.each<{ name: string; pods: Pod[]; want: string | undefined }>([
  { name: "none", pods: [made("a", T1, "other")], want: undefined },
  { name: "the only one", pods: [made("a", T1)], want: "a" },
  { name: "the successor of one that is on its way out", pods: [made("old", T1), made("new", T2)], want: "new" },
  { name: "in any order", pods: [made("new", T2), made("old", T1)], want: "new" },
  { name: "of one second, the one told last", pods: [made("old", T1), made("new", T1)], want: "new" },
])("findPod gives $name", ({ pods, want }) => {
  const state = { pods: () => pods } as NodeState;
  expect(findPod(state, "default", "web-0")?.metadata.uid).toBe(want);
});
