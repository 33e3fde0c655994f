import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { ApiError } from "../../../shared/api/status.ts";
import { resolve, schemaOf } from "../../../shared/schema/index.ts";
import { trackApply, trackUpdate } from "./index.ts";

const CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const base = { schema: schemaOf(CONFIG_MAP), schemaName: CONFIG_MAP, resolve, apiVersion: "v1", nowMs: 1000 };

/** As client-side apply of `applied` left it, with `data` now. */
function live(data: Record<string, string>, applied: JsonObject | string): KubeObject {
  const text = typeof applied === "string" ? applied : JSON.stringify(applied);
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", annotations: { [LAST_APPLIED]: text } },
    data,
  };
  const managedFields = trackUpdate({
    ...base,
    before: undefined,
    after: object,
    manager: "kubectl-client-side-apply",
  });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

const config = (data: Record<string, string>): JsonObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a" },
  data,
});

const apply = (object: KubeObject, data: Record<string, string>, manager = "kubectl") =>
  trackApply({
    ...base,
    schema: base.schema!,
    live: object,
    config: config(data),
    manager,
    kind: "ConfigMap",
    force: false,
  });

describe("kubectl's server-side apply", () => {
  it("takes what client-side apply set, and keeps its annotation", () => {
    const result = apply(live({ one: "1" }, config({ one: "1" })), { one: "<x>" });
    const { annotations } = result["metadata"] as { annotations: Record<string, string> };
    expect(result["data"]).toEqual({ one: "<x>" });
    expect(annotations[LAST_APPLIED]).toBe(
      '{"apiVersion":"v1","data":{"one":"\\u003cx\\u003e"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    );
  });

  it.each([
    { name: "another manager", object: live({ one: "1" }, config({ one: "1" })), manager: "other" },
    { name: "a field that has changed since", object: live({ one: "2" }, config({ one: "1" })) },
    { name: "a field that was not applied", object: live({ one: "1" }, config({})) },
    { name: "another version's annotation", object: live({ one: "1" }, { ...config({ one: "1" }), apiVersion: "v2" }) },
    { name: "an annotation without sense", object: live({ one: "1" }, "{") },
  ])("conflicts: $name", ({ object, manager }) => {
    const attempt = () => apply(object, { one: "x" }, manager);
    expect(attempt).toThrow(ApiError);
    expect(attempt).toThrow('conflict with "kubectl-client-side-apply" using v1: .data.one');
  });
});
