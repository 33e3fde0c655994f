import { expect, test } from "vitest";
import type { FlowSchema } from "../../../shared/api/types.ts";
import { decide } from "./decide.ts";

const schema = (conditions?: object[]) =>
  ({
    metadata: { name: "s" },
    spec: { priorityLevelConfiguration: { name: "low" } },
    ...(conditions ? { status: { conditions } } : {}),
  }) as FlowSchema;
const reference = 'This FlowSchema references the PriorityLevelConfiguration object named "low"';
const FOUND = { type: "Dangling", status: "False", reason: "Found", message: `${reference} and it exists` };
const LOST = {
  type: "Dangling",
  status: "True",
  reason: "NotFound",
  message: `${reference} but there is no such object`,
};

test.each([
  { name: "a new schema of a level that is there", schema: schema(), levels: ["low"], want: FOUND },
  { name: "a new schema of none", schema: schema(), levels: ["high"], want: LOST },
  { name: "a level that has come", schema: schema([LOST]), levels: ["low"], want: FOUND },
  { name: "a level that has gone", schema: schema([FOUND]), levels: [], want: LOST },
  { name: "nothing new", schema: schema([{ type: "Other" }, FOUND]), levels: ["low"], want: undefined },
])("$name", ({ schema, levels, want }) => expect(decide(schema, (name) => levels.includes(name))).toEqual(want));
