import { describe, expect, it } from "vitest";
import { whyInvalidImageName, withDefaultTag } from "./image-name.ts";

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

describe("whyInvalidImageName", () => {
  it.each([
    ["Not An Image", "invalid reference format: repository name (library/Not An Image) must be lowercase"],
    ["r.example/Team/app:1", "invalid reference format: repository name (Team/app) must be lowercase"],
    ["Upper/app!", "invalid reference format"],
    ["nginx:", "invalid reference format"],
    ["", "invalid reference format"],
    ["a".repeat(64), `invalid repository name (${"a".repeat(64)}), cannot specify 64-byte hexadecimal strings`],
    ["b".repeat(300), "repository name must not be more than 255 characters"],
  ])("%s: %s", (image, want) => expect(whyInvalidImageName(image)).toBe(want));
});
