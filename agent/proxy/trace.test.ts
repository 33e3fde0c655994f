import { expect, it } from "vitest";
import type { Piece } from "./pieces.ts";
import { packTrace, traceOf, unpackTrace } from "./trace.ts";

const piece = (rules: string[]): Piece => ({
  chains: new Map([["service-a", rules]]),
  affinitySets: new Map([["affinity-a", 60]]),
  elements: [
    { set: "cluster-ips", key: "10.96.0.1" },
    { set: "service-ips", key: "10.96.0.1 . tcp . 80", value: "goto service-a" },
  ],
});

it("comes back as it was packed", () => {
  const trace = traceOf(piece(["drop"]));
  expect(unpackTrace(packTrace(trace))).toEqual(trace);
  expect(trace.elements).toEqual(piece([]).elements);
});

it.each([
  { name: "another rule", rules: ["accept"] },
  { name: "one more", rules: ["drop", "drop"] },
  { name: "none", rules: [] },
])("tells $name apart", ({ rules }) =>
  expect(traceOf(piece(rules)).chains.get("service-a")).not.toBe(traceOf(piece(["drop"])).chains.get("service-a")),
);
