import { expect, it } from "vitest";
import type { Pod, PodFailurePolicyRule } from "../../../shared/api/types.ts";
import { pod } from "../../../test/builders/objects.ts";
import { type FailureVerdict, judgeFailure } from "./failure-policy.ts";

const exited = (name: string, exitCode?: number) => ({
  name,
  image: "",
  imageID: "",
  ready: false,
  restartCount: 0,
  state: exitCode === undefined ? { running: {} } : { terminated: { exitCode } },
});

const failed: Pod = {
  ...pod("p").build(),
  status: {
    phase: "Failed",
    initContainerStatuses: [exited("init", 9)],
    containerStatuses: [exited("done", 0), exited("main", 42), exited("late")],
    conditions: [{ type: "DisruptionTarget", status: "True" }],
  },
};

const counted: FailureVerdict = { isCounted: true, failsIndex: false };
const ignored: FailureVerdict = { isCounted: false, failsIndex: false };
const codes = (action: string, operator: string, values: number[], containerName?: string): PodFailurePolicyRule => ({
  action,
  onExitCodes: { operator, values, ...(containerName ? { containerName } : {}) },
});

it.each<{ name: string; rules: PodFailurePolicyRule[]; want: FailureVerdict }>([
  { name: "counts without a rule", rules: [], want: counted },
  { name: "JOB-10: In", rules: [codes("FailIndex", "In", [1, 42])], want: { isCounted: true, failsIndex: true } },
  { name: "not In", rules: [codes("Ignore", "In", [1, 2])], want: counted },
  { name: "NotIn", rules: [codes("Ignore", "NotIn", [1, 2])], want: ignored },
  { name: "success is no failure", rules: [codes("Ignore", "NotIn", [9, 42])], want: counted },
  { name: "a container by name", rules: [codes("Ignore", "In", [42], "done")], want: counted },
  { name: "an init container", rules: [codes("Ignore", "In", [9], "init")], want: ignored },
  {
    name: "JOB-11: a condition",
    rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
    want: ignored,
  },
  {
    name: "a condition of another status",
    rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "False" }] }],
    want: counted,
  },
  { name: "the first rule decides", rules: [codes("Count", "In", [42]), codes("Ignore", "In", [42])], want: counted },
  {
    name: "FailJob tells why",
    rules: [codes("Ignore", "In", [1]), codes("FailJob", "In", [42])],
    want: {
      ...counted,
      failJobMessage: "Container main for pod default/p failed with exit code 42 matching FailJob rule at index 1",
    },
  },
])("$name", ({ rules, want }) => expect(judgeFailure({ rules }, failed)).toEqual(want));
