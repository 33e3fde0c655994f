import { expect, test } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import { prepareForStatusUpdate, strategyFor, validateForStatusUpdate, validateForUpdate } from "./index.ts";

const ATTACHMENTS = { group: "storage.k8s.io", resource: "volumeattachments" };
const EVENTS = { group: "", resource: "events" };
const RUNTIME_CLASSES = { group: "node.k8s.io", resource: "runtimeclasses" };
const LIMIT_RANGES = { group: "", resource: "limitranges" };

const labelled = (labels: Record<string, string>, rest: object = {}): KubeObject => ({
  kind: "K",
  metadata: { name: "n", labels, resourceVersion: "1", ...rest },
});

test.each([
  { resource: { group: "networking.k8s.io", resource: "servicecidrs" }, kept: ["labels", "finalizers"] },
  { resource: ATTACHMENTS, kept: ["labels", "finalizers"] },
  { resource: { group: "apps", resource: "deployments" }, kept: ["labels"] },
  { resource: { group: "", resource: "pods" }, kept: [] },
  { resource: { group: "", resource: "nodes" }, kept: [] },
])("a status write of $resource.resource keeps $kept", ({ resource, kept }) => {
  const old = labelled({ a: "old" });
  const object = labelled({ a: "new" }, { finalizers: ["example.com/f"] });
  prepareForStatusUpdate(strategyFor(resource), object, old, 0);
  expect(object.metadata.labels?.a).toBe(kept.includes("labels") ? "old" : "new");
  expect(object.metadata.finalizers).toEqual(kept.includes("finalizers") ? undefined : ["example.com/f"]);
});

/** A bad label is told of by the checks of ObjectMeta and again by those of its changes. */
test.each([
  { resource: EVENTS, label: 2, uid: 1 },
  { resource: LIMIT_RANGES, label: 3, uid: 1 },
  { resource: ATTACHMENTS, label: 3, uid: 1 },
  { resource: RUNTIME_CLASSES, label: 4, uid: 2 },
])("an update of $resource.resource checks labels $label times", ({ resource, label, uid }) => {
  const old = labelled({}, { uid: "u" });
  const object = labelled({ "bad key!": "v" }, { uid: "other" });
  const causes = validateForUpdate(strategyFor(resource), object, old, false);
  const count = (field: string) => causes.filter((cause) => cause.field === field).length;
  expect([count("metadata.labels"), count("metadata.uid")]).toEqual([label, uid]);
});

test("the status of an attachment is checked with all of it", () => {
  const spec = { attacher: "example.com", nodeName: "n", source: { persistentVolumeName: "p" } };
  const old = { ...labelled({}), spec };
  const object = { ...labelled({}), spec, status: { attached: false, attachError: { errorCode: -1 } } };
  const causes = validateForStatusUpdate(strategyFor(ATTACHMENTS), object, old, false);
  expect(causes.map(({ field }) => field)).toEqual(["status.attachError.errorCode"]);
});

test.each([
  { resource: RUNTIME_CLASSES, want: 0 },
  { resource: { group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations" }, want: 0 },
  { resource: { group: "", resource: "configmaps" }, want: 2 },
])("a finalizer without a domain on $resource.resource gives $want causes", ({ resource, want }) => {
  const old = { ...labelled({}), handler: "h" };
  const object = { ...labelled({}, { finalizers: ["any"] }), handler: "h" };
  const causes = validateForUpdate(strategyFor(resource), object, old, false);
  expect(causes.filter(({ field = "" }) => field.startsWith("metadata.finalizers"))).toHaveLength(want);
});
