import { describe, expect, it } from "vitest";
import type { JsonObject } from "../api/json.ts";
import { inStructOrder } from "./struct-order.ts";

const text = (definition: string, object: JsonObject) =>
  JSON.stringify(inStructOrder(`io.k8s.api.core.v1.${definition}`, object));

describe("the order in which Go writes fields", () => {
  it.each<{ name: string; definition: string; object: JsonObject; want: string }>([
    {
      name: "as declared, and not by number",
      definition: "PodSpec",
      object: { priority: 0, containers: [{ stdin: true, image: "i", name: "c" }], initContainers: [], volumes: [] },
      want: '{"volumes":[],"initContainers":[],"containers":[{"name":"c","image":"i","stdin":true}],"priority":0}',
    },
    {
      name: "type and metadata first",
      definition: "Pod",
      object: {
        status: {},
        spec: {},
        metadata: { labels: { b: "1", a: "2" }, uid: "u", name: "p" },
        apiVersion: "v1",
        kind: "Pod",
      },
      want: '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","uid":"u","labels":{"a":"2","b":"1"}},"spec":{},"status":{}}',
    },
    {
      name: "a type that is a field of its own in its place",
      definition: "Pod",
      object: { metadata: { managedFields: [{ apiVersion: "v1", operation: "Update", manager: "m" }] } },
      want: '{"metadata":{"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1"}]}}',
    },
    {
      name: "fields of embedded structs in their place",
      definition: "Volume",
      object: { emptyDir: { sizeLimit: "1Gi", medium: "" }, name: "v" },
      want: '{"name":"v","emptyDir":{"medium":"","sizeLimit":"1Gi"}}',
    },
    {
      name: "what is no field last",
      definition: "PodStatus",
      object: { zzz: 1, podIP: "1.2.3.4", phase: "Running" },
      want: '{"phase":"Running","podIP":"1.2.3.4","zzz":1}',
    },
    { name: "wrong types as they are", definition: "PodSpec", object: { containers: "x" }, want: '{"containers":"x"}' },
  ])("$name", ({ definition, object, want }) => expect(text(definition, object)).toBe(want));
});
