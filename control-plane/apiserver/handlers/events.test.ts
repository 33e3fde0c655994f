import { beforeAll, expect, it } from "vitest";
import { testApi } from "../testing/api.ts";

const api = testApi();
const CORE = "/api/v1/namespaces/default/events";
const NEW = "/apis/events.k8s.io/v1/namespaces/default/events";

const event = (name: string, fields: object = {}) => ({
  metadata: { name },
  eventTime: "2026-01-02T03:04:05.678901Z",
  reportingController: "a.test/c",
  reportingInstance: "c-1",
  action: "Doing",
  reason: "Tested",
  type: "Normal",
  regarding: { kind: "Pod", name: "p", namespace: "default" },
  ...fields,
});

beforeAll(async () => {
  await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
});

it.each([
  { name: "time", fields: { eventTime: null }, want: "eventTime: Required value" },
  { name: "type", fields: { type: "Odd" }, want: "type: Invalid value" },
  { name: "reporter", fields: { reportingController: "" }, want: "reportingController: Required value" },
  { name: "count", fields: { deprecatedCount: 2 }, want: 'count: Invalid value: "": needs to be unset' },
])("events.k8s.io is strict: $name", async ({ name, fields, want }) => {
  const { code, body } = await api.post(NEW, event(name, fields));
  expect(code).toBe(422);
  expect(body.message).toContain(want);
});

it("events.k8s.io changes an event's series alone, core all of it", async () => {
  expect((await api.post(NEW, event("e"))).code).toBe(201);
  expect((await api.patch(`${NEW}/e`, { reason: "Other" })).body.message).toContain('reason: Invalid value: "Other"');
  const series = { count: 2, lastObservedTime: "2026-01-02T03:04:06.000000Z" };
  expect((await api.patch(`${NEW}/e`, { series })).code).toBe(200);
  expect((await api.patch(`${CORE}/e`, { reason: "Other" })).body.reason).toBe("Other");
});

it("core events are hardly checked", async () => {
  const involvedObject = { kind: "Pod", name: "p", namespace: "default" };
  expect((await api.post(CORE, { metadata: { name: "E_" }, involvedObject, type: "Odd" })).code).toBe(201);
  expect((await api.get(`${NEW}/E_`)).body).not.toHaveProperty("reportingController");
});
