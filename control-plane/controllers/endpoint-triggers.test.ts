import { expect, test } from "vitest";
import type { Pod, Service } from "../../shared/api/types.ts";
import { EndpointTriggers, withTriggerTime } from "./endpoint-triggers.ts";

const at = (minute: number) => `2026-10-21T08:${String(minute).padStart(2, "0")}:00Z`;
const service: Service = { metadata: { name: "s", namespace: "default", creationTimestamp: at(1) }, spec: {} };
const pod = (name: string, minute?: number): Pod => ({
  metadata: { name, namespace: "default" },
  spec: { containers: [] },
  status: {
    conditions: minute === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: at(minute) }],
  },
});

test("the change that endpoints follow is the first since the last look", () => {
  const triggers = new EndpointTriggers();
  const looks: [Pod[], string | undefined][] = [
    [[pod("a", 5)], at(1)], // the Service itself, which was not known
    [[pod("a", 5)], undefined],
    [[pod("a", 9), pod("b", 7), pod("c")], at(7)],
    [[pod("a", 9)], undefined],
  ];
  for (const [pods, want] of looks) expect(triggers.next(service, pods)).toBe(want);
  triggers.forget("default/s");
  expect(triggers.next(service, [])).toBe(at(1));
});

test("an object has the time of its last write, or none", () => {
  const NOTE = "endpoints.kubernetes.io/last-change-trigger-time";
  const metadata = { name: "s", annotations: { mine: "1", [NOTE]: at(1) } };
  expect(withTriggerTime(metadata, at(2)).annotations).toEqual({ mine: "1", [NOTE]: at(2) });
  expect(withTriggerTime(metadata, undefined).annotations).toEqual({ mine: "1" });
  expect(withTriggerTime({ name: "s" }, undefined)).toEqual({ name: "s" });
});
