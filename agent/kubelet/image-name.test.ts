import { describe, expect, it } from "vitest";
import { withDefaultTag } from "./image-name.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

describe("withDefaultTag", () => {
  it.each([
    ["nginx", "nginx:latest"],
    ["nginx:1.29", "nginx:1.29"],
    ["localhost:5000/a/b", "localhost:5000/a/b:latest"],
    [`nginx@${DIGEST}`, `nginx@${DIGEST}`],
    [`nginx:1@${DIGEST}`, `nginx:1@${DIGEST}`],
    ["Registry.Example/app", "Registry.Example/app:latest"],
    ["Nginx", undefined],
    ["not an image", undefined],
    ["nginx:", undefined],
    ["", undefined],
    ["a//b", undefined],
  ])("%s gives %s", (image, want) => expect(withDefaultTag(image)).toBe(want));
});
