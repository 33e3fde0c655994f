import { expect, it } from "vitest";
import { daemonSet, node, pod, T0 } from "../../../test/builders/objects.ts";
import { groupByNode } from "./by-node.ts";
import { decideStatus } from "./status.ts";

const NOW_MS = Date.parse(T0) + 60_000;
const on = (name: string, nodeName: string, hash = "new") =>
  pod(name).onNode(nodeName).labelled({ "controller-revision-hash": hash });

it("counts nodes by their first pod; zeros that upstream leaves out are left out", () => {
  const set = daemonSet("d").build();
  const nodes = ["a", "b", "c", "d"].map((name) => node(name).build());
  const outside = node("e").tainted("t", "NoSchedule").build();
  const pods = [
    on("1", "a").ready().build(),
    on("2", "b", "old").ready().build(),
    on("3", "c").build(),
    on("4", "e").ready().build(),
    on("5", "gone").ready().build(),
  ];
  const input = {
    set,
    hash: "new",
    nodes: groupByNode(set, [...nodes, outside], pods),
    isObserved: true,
    nowMs: NOW_MS,
  };
  const status = decideStatus(input);
  expect(status).toEqual({
    currentNumberScheduled: 3,
    desiredNumberScheduled: 4,
    numberMisscheduled: 1,
    numberReady: 2,
    numberAvailable: 2,
    numberUnavailable: 2,
    updatedNumberScheduled: 2,
    observedGeneration: 1,
  });
  expect(decideStatus({ ...input, set: { ...set, status } })).toBeUndefined();
  expect(decideStatus({ ...input, nodes: [] })).toEqual({
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    observedGeneration: 1,
  });
});

it("tells the generation only when its step was taken", () => {
  const set = daemonSet("d").build();
  const nodes = groupByNode(set, [node("a").build()], []);
  const input = { set, hash: "new", nodes, isObserved: false, nowMs: NOW_MS };
  expect(decideStatus(input)).not.toHaveProperty("observedGeneration");
  expect(decideStatus({ ...input, nodes: [] })).toBeUndefined();
});
