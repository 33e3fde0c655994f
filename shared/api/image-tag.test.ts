import { expect, test } from "vitest";
import { isLatest } from "./image-tag.ts";

const SHA = `sha256:${"a".repeat(64)}`;

test.each([
  ["nginx", true],
  ["nginx:latest", true],
  ["nginx:1", false],
  ["registry:5000/a/b", true],
  ["localhost/a:latest", true],
  ["[::1]:5000/a", true],
  [`nginx@${SHA}`, false],
  [`nginx:latest@${SHA}`, true],
  ["nginx@sha256:abc", false],
  ["UPPER", false],
  ["UPPER/a", true],
  ["Bad_Name!", false],
  ["../x", false],
  ["/abs", false],
  ["a//b", false],
  ["", false],
  ["nginx ", false],
  ["a".repeat(64), false],
  ["x".repeat(300), false],
])("%s: %s", (image, want) => expect(isLatest(image)).toBe(want));
