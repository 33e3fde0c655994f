import { expect, test } from "vitest";
import type { Pod } from "../../../shared/api/types.ts";
import { node, object, pod, service, T0 } from "../../../test/builders/objects.ts";
import { fieldDescription } from "./description.ts";
import { humanDuration, renderTable, summarizePod } from "./index.ts";
import { TABLES } from "./registry.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse(T0) + 3 * DAY;

test.each([
  [0, "0s"],
  [119 * SECOND, "119s"],
  [2 * MINUTE, "2m"],
  [9 * MINUTE + 59 * SECOND, "9m59s"],
  [10 * MINUTE, "10m"],
  [3 * HOUR + 5 * MINUTE, "3h5m"],
  [8 * HOUR, "8h"],
  [47 * HOUR, "47h"],
  [2 * DAY + 3 * HOUR, "2d3h"],
  [8 * DAY, "8d"],
  [729 * DAY, "729d"],
  [800 * DAY, "2y70d"],
  [3000 * DAY, "8y"],
  [-2 * SECOND, "<invalid>"],
])("%d ms is %s", (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

const waiting = (reason: string) => ({
  name: "main",
  image: "i",
  imageID: "",
  ready: false,
  restartCount: 3,
  state: { waiting: { reason } },
});
const exited = (exitCode: number, reason?: string) => ({ ...waiting(""), state: { terminated: { exitCode, reason } } });

test.each<{ name: string; object: Pod; status: string }>([
  { name: "not started", object: pod("a").build(), status: "Pending" },
  { name: "running", object: pod("a").ready().build(), status: "Running" },
  {
    name: "a reason of the pod's own",
    object: pod("a")
      .with({ status: { phase: "Failed", reason: "Evicted" } })
      .build(),
    status: "Evicted",
  },
  {
    name: "a container waits",
    object: pod("a")
      .with({ status: { containerStatuses: [waiting("CrashLoopBackOff")] } })
      .build(),
    status: "CrashLoopBackOff",
  },
  {
    name: "a container ended",
    object: pod("a")
      .with({ status: { containerStatuses: [exited(1, "Error")] } })
      .build(),
    status: "Error",
  },
  {
    name: "a container ended without a reason",
    object: pod("a")
      .with({ status: { containerStatuses: [exited(3)] } })
      .build(),
    status: "ExitCode:3",
  },
  { name: "going away", object: pod("a").ready().deleting().build(), status: "Terminating" },
  {
    name: "the first of two init containers runs",
    object: pod("a")
      .with({
        spec: {
          initContainers: [
            { name: "x", image: "i" },
            { name: "y", image: "i" },
          ],
        },
        status: {
          initContainerStatuses: [
            { ...waiting(""), name: "x", state: { running: { startedAt: T0 } } },
            { ...waiting("PodInitializing"), name: "y" },
          ],
        },
      })
      .build(),
    status: "Init:0/2",
  },
  {
    name: "an init container failed",
    object: pod("a")
      .with({
        spec: { initContainers: [{ name: "x", image: "i" }] },
        status: { initContainerStatuses: [{ ...exited(1, "Error"), name: "x" }] },
      })
      .build(),
    status: "Init:Error",
  },
  {
    name: "held by gates",
    object: pod("a")
      .condition("PodScheduled", "False")
      .with({ status: { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] } })
      .build(),
    status: "SchedulingGated",
  },
])("STATUS of a pod: $name", ({ object: given, status }) => {
  expect(summarizePod(given).status).toBe(status);
});

test("cells of a pod, a node and a service", () => {
  const cells = (kind: string, given: Parameters<typeof renderTable>[1][number]) =>
    renderTable({ group: "", kind }, [given], { includeObject: "None", nowMs: NOW }).rows?.[0]?.cells;
  expect(cells("Pod", pod("web-0").onNode("n1").ready().ip("10.1.0.4").build())?.slice(0, 7)).toEqual([
    "web-0",
    "1/1",
    "Running",
    "0",
    "3d",
    "10.1.0.4",
    "n1",
  ]);
  expect(cells("Node", node("n1").ready().unschedulable().build())?.slice(0, 4)).toEqual([
    "n1",
    "Ready,SchedulingDisabled",
    "<none>",
    "3d",
  ]);
  expect(cells("Service", service("web").build())?.slice(0, 6)).toEqual([
    "web",
    "ClusterIP",
    "10.96.0.10",
    "<none>",
    "80/TCP",
    "3d",
  ]);
});

test("what a row carries of its object", () => {
  const given = pod("a").labelled({ a: "b" }).build();
  const row = (includeObject: "None" | "Metadata" | "Object") =>
    renderTable({ group: "", kind: "Pod" }, [given], { includeObject, nowMs: NOW }).rows?.[0]?.object;
  expect(row("None")).toBeNull();
  expect(row("Object")).toEqual(given);
  expect(row("Metadata")).toMatchObject({ kind: "PartialObjectMetadata", metadata: { labels: { a: "b" } } });
  expect(row("Metadata")).not.toHaveProperty("spec");
});

test("a kind without columns of its own has its name and when it was made; later tables of a watch have no columns", () => {
  const resource = { group: "example.test", kind: "Widget" };
  const given = [object("example.test/v1", "Widget", "a").build()];
  const table = renderTable(resource, given, { includeObject: "None", nowMs: NOW });
  expect(table.columnDefinitions?.map(({ name }) => name)).toEqual(["Name", "Created At"]);
  const later = renderTable(resource, given, { includeObject: "None", nowMs: NOW, omitColumns: true });
  expect(later.columnDefinitions).toBeFalsy();
});

test("the rows of an empty list: none for a printed kind, null for the others", () => {
  const rowsOf = (kind: string) => renderTable({ group: "", kind }, [], { includeObject: "None", nowMs: NOW }).rows;
  expect(rowsOf("Pod")).toEqual([]);
  expect(rowsOf("Widget")).toBeNull();
});

test.each([
  { path: "core.v1.ServiceSpec.clusterIP", part: "as describe above).  Valid values are" },
  { path: "storage.v1.CSIDriverSpec.podInfoOnMount", part: `inline volume\n${" ".repeat(32)}defined by` },
  { path: "storage.v1.CSIDriverSpec.tokenRequests", part: '{\n  "<audience>": {\n    "token": <token>,\n' },
  { path: "storage.v1.CSIDriverSpec.tokenRequests", part: "\n  },\n  ...\n}\n\nNote:" },
  {
    path: "flowcontrol.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares",
    part: "values:\n\nNominalCL(i)  = ceil(",
  },
  {
    path: "certificates.v1.CertificateSigningRequestSpec.expirationSeconds",
    part: "reasons:\n\n  1. Old signer that is unaware of the field (such as the in-tree\n     implementations",
  },
])("lines of the description $path are broken where upstream breaks them", ({ path, part }) => {
  expect(fieldDescription(path)).toContain(part);
});

/** Upstream prints an age that it has no column for. */
const AGE_TOO_MUCH = ["IPAddress.networking.k8s.io"];

test.each(Object.keys(TABLES))("%s: an almost empty object has a cell for every column", (key) => {
  const [kind = "", ...group] = key.split(".");
  const resource = { group: group.join("."), kind };
  const table = renderTable(resource, [object("v1", kind, "a", { spec: {}, status: {}, roleRef: {} }).build()], {
    includeObject: "None",
    nowMs: NOW,
  });
  expect(table.rows?.[0]?.cells).toHaveLength(
    (table.columnDefinitions?.length ?? 0) + (AGE_TOO_MUCH.includes(key) ? 1 : 0),
  );
});
