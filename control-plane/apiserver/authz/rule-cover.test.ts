import { describe, expect, it } from "vitest";
import type { PolicyRule } from "./rbac.ts";
import { ALL_RIGHTS, missingRights, printRights } from "./rule-cover.ts";

const rule = (part: Partial<PolicyRule>): PolicyRule => ({
  verbs: ["get"],
  apiGroups: [""],
  resources: ["pods"],
  ...part,
});
const paths = (...nonResourceURLs: string[]): PolicyRule => ({ verbs: ["get"], nonResourceURLs });

describe("rights that are missing", () => {
  it.each<{ name: string; held: PolicyRule[]; wanted: PolicyRule[]; want: string }>([
    { name: "none of what is held", held: [rule({})], wanted: [rule({})], want: "" },
    { name: "none of no rules", held: [], wanted: [], want: "" },
    {
      name: "verbs that are not held",
      held: [rule({})],
      wanted: [rule({ verbs: ["get", "list", "delete"] })],
      want: '{APIGroups:[""], Resources:["pods"], Verbs:["list" "delete"]}',
    },
    {
      name: "a star, though every known verb is held",
      held: [rule({ verbs: ["get", "list", "watch", "create", "update", "patch", "delete"] })],
      wanted: [rule({ verbs: ["*"] })],
      want: '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
    },
    {
      name: "none, though they are spread over several rules",
      held: [rule({}), rule({ verbs: ["list"], resources: ["pods", "secrets"] })],
      wanted: [rule({ verbs: ["get", "list"] })],
      want: "",
    },
    { name: "none with a name, of all names", held: [rule({})], wanted: [rule({ resourceNames: ["a"] })], want: "" },
    {
      name: "all names, of one name",
      held: [rule({ resourceNames: ["a"] })],
      wanted: [rule({})],
      want: '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    },
    {
      name: "another name",
      held: [rule({ resourceNames: ["a"] })],
      wanted: [rule({ resourceNames: ["a", "b"] })],
      want: '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
    },
    {
      name: "a subresource, of its resource",
      held: [rule({})],
      wanted: [rule({ resources: ["pods/log"] })],
      want: '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
    },
    {
      name: "none of a subresource of every kind",
      held: [rule({ resources: ["*/log"] })],
      wanted: [rule({ resources: ["pods/log"] })],
      want: "",
    },
    { name: "none below a path with a star", held: [paths("/a/*")], wanted: [paths("/a/b")], want: "" },
    {
      name: "a path beside it",
      held: [paths("/a/*")],
      wanted: [paths("/b", "/c")],
      want: '{NonResourceURLs:["/b"], Verbs:["get"]}\n{NonResourceURLs:["/c"], Verbs:["get"]}',
    },
    { name: "none of full rights", held: ALL_RIGHTS, wanted: [rule({ verbs: ["x"] }), paths("/x")], want: "" },
    {
      name: "paths, of all resources",
      held: ALL_RIGHTS.slice(0, 1),
      wanted: ALL_RIGHTS,
      want: '{NonResourceURLs:["*"], Verbs:["*"]}',
    },
  ])("$name", ({ held, wanted, want }) => expect(printRights(missingRights(held, wanted))).toBe(want));
});
