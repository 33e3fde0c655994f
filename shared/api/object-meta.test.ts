import { expect, test } from "vitest";
import type { ObjectMeta } from "./object.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const fieldsOf = (causes: { field?: string }[]) => causes.map(({ field }) => field);

test.each<{ name: string; meta: ObjectMeta; namespaced?: boolean; fields: string[] }>([
  { name: "a plain one", meta: { name: "a", namespace: "b" }, fields: [] },
  { name: "no name", meta: { name: "", namespace: "b" }, fields: ["metadata.name"] },
  { name: "a bad name", meta: { name: "A", namespace: "b" }, fields: ["metadata.name"] },
  { name: "no namespace", meta: { name: "a" }, fields: ["metadata.namespace"] },
  {
    name: "a namespace too many",
    meta: { name: "a", namespace: "b" },
    namespaced: false,
    fields: ["metadata.namespace"],
  },
  { name: "a bad label", meta: { name: "a", namespace: "b", labels: { "a b": "c" } }, fields: ["metadata.labels"] },
  {
    name: "a bad annotation",
    meta: { name: "a", namespace: "b", annotations: { "a b": "c" } },
    fields: ["metadata.annotations"],
  },
])("$name", ({ meta, namespaced = true, fields }) => {
  expect(fieldsOf(validateObjectMeta(meta, { namespaced }))).toEqual(fields);
});

test.each<{ name: string; change: Partial<ObjectMeta>; fields: string[] }>([
  { name: "labels may change", change: { labels: { a: "b" } }, fields: [] },
  { name: "the uid may not", change: { uid: "2" }, fields: ["metadata.uid"] },
  { name: "nor the name", change: { name: "b" }, fields: ["metadata.name"] },
  {
    name: "nor the time of creation",
    change: { creationTimestamp: "2026-01-02T00:00:00Z" },
    fields: ["metadata.creationTimestamp"],
  },
  {
    name: "nor may it begin to go away",
    change: { deletionTimestamp: "2026-01-02T00:00:00Z" },
    fields: ["metadata.deletionTimestamp"],
  },
])("$name", ({ change, fields }) => {
  const old: ObjectMeta = {
    name: "a",
    namespace: "n",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  expect(fieldsOf(validateObjectMetaUpdate({ ...old, ...change }, old))).toEqual(fields);
});
