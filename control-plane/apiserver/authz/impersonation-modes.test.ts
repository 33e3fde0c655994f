import { expect, it } from "vitest";
import type { UserInfo } from "../attributes.ts";
import { type ImpersonationMode, impersonationModes } from "./impersonation-modes.ts";

const BOT: UserInfo = { username: "system:serviceaccount:ns:bot", groups: [] };

/** Each check as `verb group/resource name`. */
const print = ({ checks }: ImpersonationMode) =>
  checks.map(({ access, refusal, orEach }) =>
    [access.verb, `${access.group}/${access.resource}`, access.name, refusal, orEach && `or ${orEach.length}`]
      .filter(Boolean)
      .join(" "),
  );

const modesFor = (wanted: object, user: UserInfo = BOT, last?: string) =>
  impersonationModes(
    { username: "amy", groups: [], uid: "", extra: {}, ...wanted },
    {
      user,
      verb: "list",
      isResource: true,
      group: "",
      version: "v1",
      resource: "pods",
      subresource: "",
      namespace: "ns",
      name: "",
      path: "",
    },
    last,
  );

it.each<{ name: string; wanted: object; user?: UserInfo; modes: string[][] }>([
  {
    name: "a user with all that one can have",
    wanted: { uid: "1", groups: ["g"], extra: { "a.test/b": ["c"] } },
    modes: [
      [
        "impersonate-on:user-info:list /pods",
        "impersonate:user-info authentication.k8s.io/users amy",
        "impersonate:user-info authentication.k8s.io/uids 1",
        "impersonate:user-info authentication.k8s.io/groups g",
        "impersonate:user-info authentication.k8s.io/userextras c",
      ],
      [
        "impersonate /users amy",
        "impersonate authentication.k8s.io/uids 1",
        "impersonate /groups g",
        "impersonate authentication.k8s.io/userextras c",
      ],
    ],
  },
  {
    name: "a service account",
    wanted: { username: "system:serviceaccount:ns:other" },
    modes: [
      [
        "impersonate-on:serviceaccount:list /pods",
        "impersonate:serviceaccount authentication.k8s.io/serviceaccounts other",
      ],
      ["impersonate /serviceaccounts other"],
    ],
  },
  {
    name: "a service account with groups of its own",
    wanted: { username: "system:serviceaccount:ns:other", groups: ["g"] },
    modes: [["impersonate /serviceaccounts other", "impersonate /groups g"]],
  },
  {
    name: "the node that a service account runs on",
    wanted: { username: "system:node:n" },
    user: { ...BOT, extra: { "authentication.kubernetes.io/node-name": ["n"] } },
    modes: [
      ["impersonate-on:associated-node:list /pods", "impersonate:associated-node authentication.k8s.io/nodes *"],
      ["impersonate-on:arbitrary-node:list /pods", "impersonate:arbitrary-node authentication.k8s.io/nodes n"],
      ["impersonate /users system:node:n"],
    ],
  },
  {
    name: "a master",
    wanted: { groups: ["system:masters"] },
    modes: [
      [
        "impersonate-on:user-info:list /pods",
        "impersonate:user-info authentication.k8s.io/users amy",
        "impersonate:user-info authentication.k8s.io/groups system:masters impersonating the system:masters group is not allowed",
        "impersonate:user-info authentication.k8s.io/groups system:masters",
      ],
      ["impersonate /users amy", "impersonate /groups system:masters"],
    ],
  },
  {
    name: "a user of many groups",
    wanted: { groups: ["a", "b", "c", "d"] },
    modes: [
      [
        "impersonate-on:user-info:list /pods",
        "impersonate:user-info authentication.k8s.io/users amy",
        "impersonate:user-info authentication.k8s.io/groups * or 4",
      ],
      ["impersonate /users amy", ...["a", "b", "c", "d"].map((name) => `impersonate /groups ${name}`)],
    ],
  },
])("the modes for $name", ({ wanted, user, modes }) => expect(modesFor(wanted, user).map(print)).toEqual(modes));

it.each([
  { key: "b", why: 'extra.key: Invalid value: "b": must be a domain-prefixed path (such as "acme.io/foo")' },
  { key: "a.test/B", why: 'impersonating a non-lowercase key in extra is not allowed: "a.test/B"' },
])("a constrained mode refuses the extra $key", ({ key, why }) => {
  const refusals = modesFor({ extra: { [key]: ["c"] } })[0]?.checks.map(({ refusal }) => refusal ?? "");
  expect(refusals?.join("")).toContain(why);
});

it.each([
  { username: "amy", groups: ["system:authenticated"] },
  { username: "system:anonymous", groups: ["system:unauthenticated"] },
  { username: "system:node:n", groups: ["system:nodes", "system:authenticated"] },
  {
    username: "system:serviceaccount:ns:bot",
    groups: ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
  },
])("$username is of the groups that follow", ({ username, groups }) => {
  expect(modesFor({ username })[0]?.user).toEqual({ username, groups });
});

it("the mode that worked last is tried first", () => {
  const names = (last: string) => modesFor({}, BOT, last).map(({ name }) => name);
  expect(names("legacy")).toEqual(["legacy", "user-info"]);
  expect(names("serviceaccount")).toEqual(["user-info", "legacy"]);
});
