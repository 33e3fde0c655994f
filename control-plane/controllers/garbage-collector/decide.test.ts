import { describe, expect, it } from "vitest";
import { CONFIG_MAPS } from "../../../shared/api/refs.ts";
import { decide, type OwnerState, type Plan } from "./decide.ts";
import type { GraphNode } from "./graph.ts";

const owner = (uid: string, blockOwnerDeletion = false) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: uid,
  uid,
  blockOwnerDeletion,
});

function node(uid: string, more: Partial<GraphNode> = {}): GraphNode {
  const ids = { uid, name: uid, namespace: "default", ref: CONFIG_MAPS, resourceVersion: "1" };
  return { ...ids, owners: [], finalizers: [], isDeleting: false, ...more };
}

const foreground = { isDeleting: true, finalizers: ["foregroundDeletion"] };

interface Case {
  name: string;
  item: GraphNode;
  dependents?: GraphNode[];
  owners?: Record<string, OwnerState>;
  want: Plan;
}

describe("decide", () => {
  it.each<Case>([
    { name: "leaves alone what nobody owns", item: node("a"), want: { action: "none" } },
    {
      name: "leaves alone what has a living owner",
      item: node("a", { owners: [owner("o")] }),
      owners: { o: "solid" },
      want: { action: "none" },
    },
    {
      name: "deletes what lost its last owner",
      item: node("a", { owners: [owner("o"), owner("p")] }),
      owners: { o: "absent", p: "absent" },
      want: { action: "delete", policy: "Background", unblock: false },
    },
    {
      name: "leaves alone what names an owner that it cannot have",
      item: node("a", { owners: [owner("o"), owner("p")] }),
      owners: { o: "absent", p: "impossible" },
      want: { action: "none" },
    },
    {
      name: "takes out the dead reference while another owner lives",
      item: node("a", { owners: [owner("o"), owner("p")] }),
      owners: { o: "absent", p: "solid" },
      want: { action: "removeOwners", keep: [owner("p")] },
    },
    {
      name: "takes out a waiting owner while another one lives",
      item: node("a", { owners: [owner("o"), owner("p")] }),
      owners: { o: "waiting", p: "solid" },
      want: { action: "removeOwners", keep: [owner("p")] },
    },
    {
      name: "follows a foreground deletion in the foreground if it has dependents itself",
      item: node("a", { owners: [owner("o", true)] }),
      dependents: [node("b", { owners: [owner("a")] })],
      owners: { o: "waiting" },
      want: { action: "delete", policy: "Foreground", unblock: false },
    },
    {
      name: "breaks a circle of objects that wait for each other",
      item: node("a", { owners: [owner("o", true)] }),
      dependents: [node("o", { ...foreground, owners: [owner("a", true)] })],
      owners: { o: "waiting" },
      want: { action: "delete", policy: "Foreground", unblock: true },
    },
    {
      name: "follows a foreground deletion in the background if nothing depends on it",
      item: node("a", { owners: [owner("o", true)] }),
      owners: { o: "waiting" },
      want: { action: "delete", policy: "Background", unblock: false },
    },
    {
      name: "keeps to the policy that a finalizer tells",
      item: node("a", { owners: [owner("o")], finalizers: ["orphan"] }),
      owners: { o: "absent" },
      want: { action: "delete", policy: "Orphan", unblock: false },
    },
    {
      name: "does nothing to what is being deleted already",
      item: node("a", { isDeleting: true, owners: [owner("o")] }),
      owners: { o: "absent" },
      want: { action: "none" },
    },
    {
      name: "holds an owner back for the dependents that block it",
      item: node("o", foreground),
      dependents: [
        node("a", { owners: [owner("o", true)] }),
        node("b", { ...foreground, owners: [owner("o", true)] }),
        node("c", { owners: [owner("o")] }),
      ],
      want: { action: "collectDependents", uids: ["a"] },
    },
    {
      name: "lets an owner go when only dependents are left that do not block",
      item: node("o", foreground),
      dependents: [node("c", { owners: [owner("o")] })],
      want: { action: "removeFinalizer", finalizer: "foregroundDeletion" },
    },
  ])("$name", ({ item, dependents = [], owners = {}, want }) =>
    expect(decide(item, dependents, (uid) => owners[uid] ?? "solid")).toEqual(want),
  );
});
