import { expect, it } from "vitest";
import type { Json } from "../../shared/api/json.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import type { Schema } from "../../shared/schema/index.ts";
import { applyPatch, parsePatch } from "../apiserver/patch/index.ts";
import { conditionsPatch } from "./condition-patch.ts";

const list: Schema = {
  type: "array",
  patchStrategy: "merge",
  patchMergeKey: "type",
  items: { type: "object", properties: { type: { type: "string" }, status: { type: "string" } } },
};
const schema: Schema = {
  type: "object",
  properties: { status: { type: "object", properties: { conditions: list } } },
};

const condition = (type: string, status: string) => ({ type, status });

it.each([
  { name: "changed in another order than they stand", changed: ["C", "A"], want: ["A:new", "B:old", "C:new"] },
  { name: "one added", changed: ["D"], want: ["A:old", "B:old", "C:old", "D:new"] },
  { name: "one added between changed ones", changed: ["D", "B"], want: ["A:old", "B:new", "C:old", "D:new"] },
  { name: "nothing", changed: [], want: ["A:old", "B:old", "C:old"] },
])("the server takes the patch and keeps the order: $name", ({ changed, want }) => {
  const current = {
    metadata: { name: "x" },
    status: { conditions: ["A", "B", "C"].map((type) => condition(type, "old")) },
  };
  const patch = {
    status: conditionsPatch(
      current.status.conditions,
      changed.map((type) => condition(type, "new")),
    ),
  };
  const result = applyPatch(
    parsePatch("strategic", patch as unknown as Json),
    current as unknown as KubeObject,
    schema,
    {
      resolve: (s) => s,
    },
  );
  const { conditions } = (result as unknown as typeof current).status;
  expect(conditions.map(({ type, status }) => `${type}:${status}`)).toEqual(want);
});
