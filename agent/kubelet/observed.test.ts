import { expect, it } from "vitest";
import { anInstance, aSandbox, observation } from "../../test/builders/kubelet.ts";
import { byAttempt, findContainer } from "./observed.ts";

it.each([
  { name: "the later one", times: [1_000, 2_000], want: "main-1" },
  { name: "also when the clock went back between the two", times: [9_000, 2_000], want: "main-1" },
])("the newest instance is $name", ({ times: [first, second], want }) => {
  const containers = [
    anInstance("main", "exited", { restartCount: 0, createdAtMs: first }),
    anInstance("main", "running", { restartCount: 1, createdAtMs: second }),
  ].sort(byAttempt(({ restartCount }) => restartCount));
  expect(findContainer(observation(containers), "main")?.id).toBe(want);
});

it("of one count, the time decides", () => {
  const sandboxes = [aSandbox({ id: "a", createdAtMs: 1 }), aSandbox({ id: "b", createdAtMs: 2 })];
  expect(sandboxes.sort(byAttempt(({ attempt }) => attempt))[0]?.id).toBe("b");
});
