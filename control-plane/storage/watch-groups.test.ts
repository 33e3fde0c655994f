import { expect, it } from "vitest";
import { CommittedChange } from "./change.ts";
import type { Attributes, WatchRequest } from "./interface.ts";
import { WatchGroups } from "./watch-groups.ts";

const typeMeta = { apiVersion: "v1", kind: "Pod" };
const onNode = (node: string): WatchRequest => ({
  typeMeta,
  fields: [{ key: "spec.nodeName", operator: "=", values: [node] }],
});
const at = (node: string): Attributes => ({ labels: {}, fields: { "spec.nodeName": node } });

function change(key: string, node: string, before?: string) {
  const row = {
    revision: 3,
    key,
    type: before === undefined ? "ADDED" : "MODIFIED",
    previous: before === undefined ? null : 2,
  } as const;
  return new CommittedChange({ ...row, attributes: at(node), value: "" }, () => ({
    key,
    revision: 2,
    attributes: at(before!),
    value: "",
  }));
}

function groups() {
  const all = new WatchGroups<string>();
  all.join({ typeMeta }, "everything");
  all.join({ typeMeta, name: "web-0" }, "web-0");
  all.join({ typeMeta, name: "web-0", namespace: "b" }, "b/web-0");
  all.join(onNode("n1"), "n1");
  all.join(onNode("n2"), "n2");
  all.join(onNode(""), "unscheduled");
  return all;
}

const concerned = (all: WatchGroups<string>, what: CommittedChange) =>
  [...all.concernedBy(what)].flatMap(({ members }) => [...members]);

it.each([
  { name: "a pod of another name", what: change("a/db-0", "n1"), want: ["everything", "n1"] },
  { name: "a pod that is watched by name", what: change("a/web-0", "n3"), want: ["everything", "web-0", "b/web-0"] },
  { name: "a pod that gets its node", what: change("a/x", "n2", ""), want: ["everything", "n2", "unscheduled"] },
  { name: "a pod that stays on its node", what: change("a/x", "n2", "n2"), want: ["everything", "n2"] },
])("finds whom $name may concern", ({ what, want }) => expect(concerned(groups(), what)).toEqual(want));

it("shares a group between those who ask for the same, and forgets it with the last", () => {
  const all = new WatchGroups<string>();
  all.join(onNode("n1"), "one");
  all.join(onNode("n1"), "two");
  expect([...all.groups()]).toHaveLength(1);
  all.leave(onNode("n1"), "one");
  expect(concerned(all, change("a/x", "n1"))).toEqual(["two"]);
  all.leave(onNode("n1"), "two");
  expect(all.isEmpty).toBe(true);
  expect(concerned(all, change("a/x", "n1"))).toEqual([]);
});
