import { expect, it } from "vitest";
import type { Pod } from "../../shared/api/types.ts";
import { pod } from "../../test/builders/objects.ts";
import { byUsefulness } from "./pod-usefulness.ts";

const at = (minute: number) => `2026-10-21T08:${String(minute).padStart(2, "0")}:00Z`;

function restarted(p: Pod, restartCount: number): Pod {
  for (const status of p.status?.containerStatuses ?? []) status.restartCount = restartCount;
  return p;
}

/** In the order in which they are given up. */
const ORDER: [why: string, pod: Pod][] = [
  ["not assigned", pod("p").phase("Running").createdAt(at(1)).build()],
  ["Pending", pod("p").onNode("n").phase("Pending").build()],
  ["not ready", pod("p").onNode("n").notReady(at(1)).build()],
  ["ready for a short time", pod("p").onNode("n").ready(at(9)).build()],
  ["restarted often", restarted(pod("p").onNode("n").ready(at(5)).build(), 3)],
  ["younger", pod("p").onNode("n").ready(at(5)).createdAt(at(4)).build()],
  ["older", pod("p").onNode("n").ready(at(5)).createdAt(at(3)).build()],
];

it("gives up what is of least use first", () => {
  const shuffled = [...ORDER].reverse();
  expect(shuffled.sort(([, a], [, b]) => byUsefulness(a, b)).map(([why]) => why)).toEqual(ORDER.map(([why]) => why));
});
