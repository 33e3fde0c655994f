import { expect, it } from "vitest";
import type { KubeObject } from "../../shared/api/object.ts";
import { decideProtection, type ProtectionStep } from "./protection-finalizer.ts";

const FINALIZER = "example.com/hold";
const object = (finalizers: string[], deletionTimestamp?: string): KubeObject => ({
  metadata: { name: "x", finalizers, deletionTimestamp },
});
const GOING = "2026-10-21T08:00:00Z";

it.each<{ name: string; object: KubeObject; isUsed?: boolean; want: ProtectionStep }>([
  { name: "a live object that has it", object: object([FINALIZER]), want: "keep" },
  { name: "a live object that lacks it", object: object(["other"]), want: "add" },
  { name: "one that goes and is in use", object: object([FINALIZER], GOING), isUsed: true, want: "keep" },
  { name: "one that goes and is not in use", object: object([FINALIZER], GOING), isUsed: false, want: "release" },
  { name: "one that goes and waits for others", object: object(["other"], GOING), isUsed: false, want: "keep" },
])("$name", ({ object, isUsed = false, want }) => expect(decideProtection(object, FINALIZER, () => isUsed)).toBe(want));
