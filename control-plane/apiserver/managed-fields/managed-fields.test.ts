import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../shared/api/object.ts";
import { ApiError } from "../../../shared/api/status.ts";
import { resolve, schemaOf } from "../../../shared/schema/index.ts";
import { difference, intersection, parseFieldsV1, recursiveDifference, renderFieldsV1, union } from "./field-set.ts";
import { trackApply, trackUpdate } from "./index.ts";

const POD_TEMPLATE = "io.k8s.api.core.v1.PodTemplate";

function track(
  before: KubeObject | undefined,
  after: KubeObject,
  options: { manager?: string; subresource?: string; ignored?: string[]; nowMs?: number } = {},
): ManagedFieldsEntry[] | undefined {
  const { manager = "me", nowMs = 1000, ...rest } = options;
  return trackUpdate({
    before,
    after,
    schema: schemaOf(POD_TEMPLATE),
    schemaName: POD_TEMPLATE,
    resolve,
    manager,
    apiVersion: "v1",
    nowMs,
    ...rest,
  });
}

function template(containers: JsonObject[], labels?: Record<string, string>): KubeObject {
  return { apiVersion: "v1", kind: "PodTemplate", metadata: { name: "t", labels }, template: { spec: { containers } } };
}

const MAIN = { name: "main", image: "a" };

describe("tracking", () => {
  it("gives a creator all that it set, but no identity", () =>
    expect(track(undefined, template([{ ...MAIN, ports: [{ containerPort: 80 }] }], { app: "x" }))).toEqual([
      {
        manager: "me",
        operation: "Update",
        apiVersion: "v1",
        time: "1970-01-01T00:00:01Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
          "f:template": {
            "f:spec": {
              "f:containers": {
                'k:{"name":"main"}': {
                  ".": {},
                  "f:image": {},
                  "f:name": {},
                  "f:ports": { ".": {}, 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
                },
              },
            },
          },
        },
      },
    ]));

  it("moves a changed field to the writer, and leaves the rest with its owner", () => {
    const before = template([MAIN], { app: "x" });
    before.metadata.managedFields = track(undefined, before);
    const entries = track(before, template([{ ...MAIN, image: "b" }], { app: "x" }), { manager: "you", nowMs: 5000 });
    expect(entries?.map((e) => [e.manager, e.time, JSON.stringify(e.fieldsV1).includes("f:image")])).toEqual([
      ["me", "1970-01-01T00:00:01Z", false],
      ["you", "1970-01-01T00:00:05Z", true],
    ]);
  });

  it("takes what is gone from everybody", () => {
    const before = template([MAIN, { name: "side", image: "s" }]);
    before.metadata.managedFields = track(undefined, before);
    const entries = track(before, template([MAIN]), { manager: "you" });
    expect(entries?.map((e) => e.manager)).toEqual(["me"]);
    expect(JSON.stringify(entries)).not.toContain("side");
  });

  it("changes nothing, not even the time, when nothing changed", () => {
    const before = template([MAIN]);
    before.metadata.managedFields = track(undefined, before);
    expect(track(before, template([MAIN]), { nowMs: 9000 })).toEqual(before.metadata.managedFields);
  });

  it("does not begin to track an object that was made without", () =>
    expect(track(template([MAIN]), template([{ ...MAIN, image: "b" }]))).toBeUndefined());

  it("leaves out what the write cannot change", () => {
    const after = { ...template([MAIN]), status: { x: 1 } };
    expect(JSON.stringify(track(undefined, after, { ignored: ["template"] }))).not.toContain("f:template");
  });

  it("gives up when the client sends one empty entry", () => {
    const before = template([MAIN], { a: "1" });
    before.metadata.managedFields = track(undefined, before);
    const after = template([MAIN], { a: "1" });
    after.metadata.managedFields = [{}];
    expect(track(before, after)).toBeUndefined();
  });

  it("merges the oldest of more than ten managers", () => {
    let object = template([MAIN]);
    object.metadata.managedFields = track(undefined, object, { manager: "m0" });
    for (let i = 1; i <= 12; i++) {
      const next = template([MAIN], { ...object.metadata.labels, [`l${i}`]: "x" });
      next.metadata.managedFields = track(object, next, { manager: `m${i}`, nowMs: 1000 * (i + 1) });
      object = next;
    }
    const names = object.metadata.managedFields!.map((e) => e.manager);
    expect(names).toHaveLength(10);
    expect(names).toContain("ancient-changes");
    expect(names).toContain("m12");
  });
});

describe("server-side apply", () => {
  const CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap";
  const config = (rest: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", ...metadata },
    ...rest,
  });
  const apply = (live: KubeObject | undefined, applied: JsonObject, manager: string, force = false): KubeObject =>
    trackApply({
      live,
      config: applied,
      schema: schemaOf(CONFIG_MAP),
      schemaName: CONFIG_MAP,
      resolve,
      manager,
      apiVersion: "v1",
      kind: "ConfigMap",
      force,
      nowMs: 1000,
    }) as unknown as KubeObject;
  const owners = (object: KubeObject) =>
    Object.fromEntries(
      (object.metadata.managedFields ?? []).map((e) => [
        e.manager,
        Object.keys((e.fieldsV1?.["f:data"] ?? {}) as object),
      ]),
    );
  const refusal = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      if (error instanceof ApiError) return error.status;
      throw error;
    }
    throw new Error("nothing was refused");
  };

  it("adds what it names and takes out what it no longer does", () => {
    const first = apply(undefined, config({ data: { one: "1", two: "2" } }, { labels: { x: "1" } }), "alpha");
    const second = apply(first, config({ data: { two: "zwei", three: "3" } }), "alpha");
    expect(second).toMatchObject({ data: { two: "zwei", three: "3" } });
    expect(second["data"]).not.toHaveProperty("one");
    expect(owners(second)).toEqual({ alpha: ["f:three", "f:two"] });
  });

  it("keeps what another owns too, until the last owner lets go", () => {
    let object = apply(undefined, config({ data: { one: "1", two: "2" } }), "alpha");
    object = apply(object, config({ data: { one: "1" } }), "beta");
    object = apply(object, config({ data: { two: "2" } }), "alpha");
    expect(object["data"]).toEqual({ one: "1", two: "2" });
    object = apply(object, config({}), "beta");
    expect(object["data"]).toEqual({ two: "2" });
  });

  it("refuses to take over, naming field and manager, unless forced", () => {
    const object = apply(undefined, config({ data: { one: "1", two: "2" } }), "alpha");
    expect(refusal(() => apply(object, config({ data: { one: "x" } }), "beta"))).toMatchObject({
      code: 409,
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "alpha": .data.one',
      details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "alpha"', field: ".data.one" }] },
    });
    expect(refusal(() => apply(object, config({ data: { one: "x", two: "y" } }), "beta")).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "alpha":\n- .data.one\n- .data.two',
    );
    expect(owners(apply(object, config({ data: { one: "x" } }), "beta", true))).toEqual({
      alpha: ["f:two"],
      beta: ["f:one"],
    });
  });

  it("does not take an untracked object over silently", () => {
    const live = config({ data: { one: "1" } }) as unknown as KubeObject;
    expect(refusal(() => apply(live, config({ data: { one: "x" } }), "alpha")).message).toContain(
      'conflict with "before-first-apply" using v1: .data.one',
    );
  });

  it("keeps the time of an apply that changes nothing", () => {
    const first = apply(undefined, config({ data: { one: "1" } }), "alpha");
    expect(apply(first, config({ data: { one: "1" } }), "alpha")).toEqual(first);
  });

  it.each([
    [
      config({ data: { k: true } }),
      "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.k: expected string, got &value.valueUnstructured{Value:true}",
      500,
    ],
    [
      config({}, { colour: "red" }),
      "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .metadata.colour: field not declared in schema",
      500,
    ],
    [config({}, { managedFields: [] }), "metadata.managedFields must be nil", 400],
  ])("refuses %j", (applied, message, code) =>
    expect(refusal(() => apply(undefined, applied, "alpha"))).toMatchObject({ message, code }),
  );
});

describe("field sets", () => {
  const a = { "f:x": { ".": {}, "f:y": {} }, "f:z": {} };
  const b = { "f:x": { "f:y": {} } };
  it.each([
    ["union", renderFieldsV1(union(parseFieldsV1(a), parseFieldsV1(b))), a],
    ["difference", renderFieldsV1(difference(parseFieldsV1(a), parseFieldsV1(b))), { "f:x": {}, "f:z": {} }],
    ["intersection", renderFieldsV1(intersection(parseFieldsV1(a), parseFieldsV1(b))), b],
    [
      "recursive difference",
      renderFieldsV1(recursiveDifference(parseFieldsV1(a), parseFieldsV1({ "f:x": {} }))),
      { "f:z": {} },
    ],
    ["round trip", renderFieldsV1(parseFieldsV1(a)), a],
  ])("%s", (_name, got, want) => expect(got).toEqual(want));

  it.each([
    ["x", { x: {} }],
    ["a number", { "f:x": 1 }],
    ["a list", []],
  ])("refuses %s", (_name, fields) => expect(() => parseFieldsV1(fields as JsonObject)).toThrow());
});
