import { expect, it } from "vitest";
import { FakeClock } from "../../../test/builders/fake-clock.ts";
import { aContainer, aPod, cgroupSettings } from "../../../test/builders/kubelet.ts";
import { noPinning } from "../../pinning/index.ts";
import type { NodeFacts } from "../sandbox-config.ts";
import { createGate } from "./gate.ts";

it("turns away a pod that cannot be decided on, and goes on with the next one", async () => {
  const gate = createGate({
    ownNode: { known: Promise.resolve(), current: () => undefined },
    facts: { nodeName: "n1", cpuMilli: 2_000, memoryBytes: 2 ** 30, cgroups: cgroupSettings() } as NodeFacts,
    allowedUnsafeSysctls: [],
    clock: new FakeClock(),
    signal: new AbortController().signal,
    preempt: async () => {},
    pressures: () => new Set(),
    isShuttingDown: () => false,
    pinning: noPinning,
  });
  const odd = aPod({ containers: [aContainer("a", { resources: { requests: { cpu: "fast" } } })] });
  const [first, second] = await Promise.all([gate.admit(odd), gate.admit(aPod({}, { uid: "u2" }))]);
  expect(first).toEqual({
    reason: "UnexpectedAdmissionError",
    message: expect.stringContaining("quantities must match the regular expression"),
  });
  expect(second).toBeUndefined();
});
