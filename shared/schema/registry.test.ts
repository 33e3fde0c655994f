import { describe, expect, it } from "vitest";
import * as refs from "../api/refs.ts";
import { ApiError } from "../api/status.ts";
import { definitions, fieldSchema, resolve, schemaOf } from "./definitions.ts";
import { parseFieldSelectorFor } from "./field-labels.ts";
import { findKind, findResource, GROUPS, RESOURCES } from "./registry.ts";

describe("the table of resources", () => {
  it("has a schema for every kind", () => {
    for (const { schema } of RESOURCES) expect(definitions()[schema], schema).toBeDefined();
  });

  it("is found by resource and by kind", () => {
    const pods = findResource({ group: "", version: "v1", resource: "pods" });
    expect(pods).toMatchObject({ kind: "Pod", namespaced: true, shortNames: ["po"] });
    expect(findKind({ group: "", version: "v1", kind: "Pod" })).toBe(pods);
    expect(findResource({ group: "apps", version: "v1beta1", resource: "deployments" })).toBeUndefined();
  });

  it("prefers the newer version of a group", () => {
    expect(GROUPS.find(({ name }) => name === "autoscaling")?.versions).toEqual(["v2", "v1"]);
  });

  it("has a constant for each resource, and none besides", () => {
    const constants = Object.values(refs);
    for (const ref of constants) {
      const facts = findResource(ref);
      expect(facts, ref.resource).toMatchObject({ kind: ref.kind, namespaced: ref.namespaced });
    }
    expect(constants).toHaveLength(RESOURCES.length);
  });

  it("stores views of other resources where those are", () => {
    for (const { storedAs } of RESOURCES) if (storedAs) expect(findResource(storedAs)).toBeDefined();
  });
});

describe("definitions", () => {
  it("refer only to definitions", () => {
    const check = (schema: object): void => {
      for (const [keyword, value] of Object.entries(schema)) {
        if (keyword === "$ref" && typeof value === "string") expect(definitions()[value], value).toBeDefined();
        else if (keyword !== "default" && typeof value === "object" && value !== null) check(value);
      }
    };
    check(definitions());
  });

  it("give the schema of a field with its merge facts", () => {
    const spec = resolve(fieldSchema(schemaOf("io.k8s.api.core.v1.Pod"), "spec")!);
    expect(fieldSchema(spec, "containers")).toMatchObject({
      listType: "map",
      listMapKeys: ["name"],
      patchMergeKey: "name",
    });
    expect(fieldSchema(spec, "nodeSelector")).toMatchObject({ mapType: "atomic" });
    expect(fieldSchema(fieldSchema(spec, "nodeSelector")!, "any")).toEqual({ type: "string" });
    expect(fieldSchema(spec, "constructor")).toBeUndefined();
  });
});

describe("parseFieldSelectorFor", () => {
  const resource = (group: string, name: string, version = "v1") => findResource({ group, version, resource: name })!;

  it.each([
    [resource("", "pods"), "spec.host=n1", "spec.nodeName"],
    [resource("events.k8s.io", "events"), "regarding.kind=Pod", "involvedObject.kind"],
    [resource("", "configmaps"), "metadata.namespace=x", "metadata.namespace"],
    [resource("apps", "deployments"), "metadata.name=x", "metadata.name"],
  ])("%# knows %s", (facts, text, key) => expect(parseFieldSelectorFor(facts, text)[0]?.key).toBe(key));

  it.each([
    [
      resource("", "configmaps"),
      "data.a=b",
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [resource("", "pods"), "spec.image=b", "field label not supported: spec.image"],
    [resource("", "nodes"), "metadata.namespace=x", "field label not supported: metadata.namespace"],
    [resource("batch", "jobs"), "status.active=1", 'field label "status.active" not supported for Job'],
    [
      resource("resource.k8s.io", "resourceslices"),
      "a=b",
      "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: a",
    ],
  ])("%# refuses %s", (facts, text, want) => {
    expect(() => parseFieldSelectorFor(facts, text)).toThrow(ApiError);
    expect(() => parseFieldSelectorFor(facts, text)).toThrow(want);
  });
});
