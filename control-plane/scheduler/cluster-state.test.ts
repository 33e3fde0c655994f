import { expect, it } from "vitest";
import { schedulingNode, schedulingPod } from "../../test/builders/scheduling.ts";
import { ClusterState } from "./cluster-state.ts";

const affinity = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: "zone", labelSelector: { matchLabels: { app: "x" } } },
    ],
  },
};
const on = (nodeName: string, isPicky: boolean) => schedulingPod({ nodeName, ...(isPicky ? { affinity } : {}) });

it("knows which nodes have pods with affinity, whatever comes and goes", () => {
  const state = new ClusterState();
  const picky = () => [...state.nodesWithAffinity].map(({ name }) => name).sort();
  for (const name of ["a", "b"]) state.setNode(schedulingNode(name));
  state.setPod(on("a", false));
  expect(picky()).toEqual([]);

  const [first, second, early] = [on("a", true), on("a", true), on("c", true)];
  for (const pod of [first, second, early]) state.setPod(pod);
  expect(picky()).toEqual(["a"]);
  const [group] = [...state.nodesWithAffinity][0]!.affinityGroups;
  expect(group, "both ask the same").toMatchObject({ count: 2, antiAffinity: { required: [{ topologyKey: "zone" }] } });

  state.setNode(schedulingNode("a", { labels: { zone: "1" } }));
  state.setNode(schedulingNode("c"));
  expect(picky()).toEqual(["a", "c"]);
  expect([...state.nodesWithAffinity].every((node) => state.nodes.includes(node))).toBe(true);

  state.removePod(first.metadata.uid!);
  expect(picky()).toEqual(["a", "c"]);
  state.removePod(second.metadata.uid!);
  state.removeNode("c");
  expect(picky()).toEqual([]);
});
