import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type ClusterFacts, controllersOf } from "./index.ts";

const facts = { network: { podCidrs: [], serviceCidrs: [] } } as unknown as ClusterFacts;
const page = readFileSync(new URL("../../docs/controllers.md", import.meta.url).pathname, "utf8");

it.each(controllersOf(facts).map(({ name }) => name))("%s stands in docs/controllers.md", (name) =>
  expect(page.split("\n").some((line) => line.split("|").some((cell) => cell.trim() === name))).toBe(true),
);
