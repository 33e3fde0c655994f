import { expect, it } from "vitest";
import { ownMember } from "./own-member.ts";

it.each([
  { key: "a", want: 1 },
  { key: "b", want: undefined },
  { key: "constructor", want: undefined },
  { key: "__proto__", want: undefined },
])("$key: $want", ({ key, want }) => expect(ownMember({ a: 1 }, key)).toBe(want));
