import { describe, expect, it } from "vitest";
import { findCycles } from "./cycles.ts";
import { parseImports } from "./imports.ts";
import { findWay } from "./reach.ts";
import { findFault } from "./rules.ts";

const edge = (from: string, to: string, { isTypeOnly = false, isLazy = false } = {}) => ({
  from,
  to,
  isTypeOnly,
  isLazy,
});

it("reads every form of import", () => {
  const text = `import a from "./a.ts";
import type { B } from "../b.ts";
import {
  c,
  type C,
} from "./c.ts";
export { d } from "./d.ts";
import "./e.ts";
import * as z from "zod";
const f = await import("./f.ts");
const text = 'import x from "./no.ts"';
`;
  expect(parseImports("x/y/main.ts", text)).toEqual([
    edge("x/y/main.ts", "x/y/a.ts"),
    edge("x/y/main.ts", "x/b.ts", { isTypeOnly: true }),
    edge("x/y/main.ts", "x/y/c.ts"),
    edge("x/y/main.ts", "x/y/d.ts"),
    edge("x/y/main.ts", "x/y/e.ts"),
    edge("x/y/main.ts", "zod"),
    edge("x/y/main.ts", "x/y/f.ts", { isLazy: true }),
  ]);
});

describe("directions", () => {
  it.each([
    ["agent/kubelet/a.ts", "shared/api/object.ts"],
    ["control-plane/apiserver/stores.ts", "control-plane/storage/index.ts"],
    ["control-plane/controllers/job/reconcile.ts", "control-plane/client/in-process.ts"],
    ["control-plane/controllers/job/job.test.ts", "test/builders/memory-api.ts"],
    ["test/node/one-node.test.ts", "agent/cri/index.ts"],
    ["shared/api/a.ts", "zod"],
    ["agent/cri/client.ts", "@grpc/grpc-js"],
  ])("%s may import %s", (from, to) => expect(findFault(edge(from, to))).toBeUndefined());

  it.each([
    ["shared/api/a.ts", "agent/cri/index.ts", /shared\/ holds what both sides need/],
    ["shared/api/a.ts", "node:fs", /both runtimes/],
    ["shared/api/a.ts", "cloudflare:workers", /both runtimes/],
    ["agent/kubelet/a.ts", "control-plane/apiserver/index.ts", /only through its API/],
    ["control-plane/controllers/job/reconcile.ts", "control-plane/storage/index.ts", /through the API client/],
    ["control-plane/scheduler/a.ts", "control-plane/controllers/index.ts", /through the API client/],
    ["control-plane/apiserver/a.ts", "control-plane/storage/tables.ts", /a store's interface/],
    ["control-plane/storage/a.ts", "control-plane/apiserver/index.ts", /own tables only/],
    ["cli/up.ts", "test/run/index.ts", /only tests/],
  ])("%s may not import %s", (from, to, message) => expect(findFault(edge(from, to))).toMatch(message));
});

it("finds cycles, but not those of types alone", () => {
  expect(findCycles([edge("a.ts", "b.ts"), edge("b.ts", "c.ts"), edge("c.ts", "a.ts")])).toEqual([
    ["a.ts", "b.ts", "c.ts", "a.ts"],
  ]);
  expect(findCycles([edge("a.ts", "b.ts"), edge("b.ts", "a.ts", { isTypeOnly: true })])).toEqual([]);
});

it("finds what a file loads as it starts, by the shortest way", () => {
  const imports = [
    edge("main.ts", "a.ts"),
    edge("a.ts", "b.ts"),
    edge("b.ts", "generated/x.ts"),
    edge("main.ts", "b.ts"),
  ];
  expect(findWay(imports, "main.ts", "generated/")).toEqual(["main.ts", "b.ts", "generated/x.ts"]);
});

it.each([{ isTypeOnly: true }, { isLazy: true }])("does not call %o loaded", (how) => {
  expect(
    findWay([edge("main.ts", "a.ts"), edge("a.ts", "generated/x.ts", how)], "main.ts", "generated/"),
  ).toBeUndefined();
});
