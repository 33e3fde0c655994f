import { expect, it } from "vitest";
import { containerdIn } from "../agent/runtime/index.ts";
import { findHome } from "./home.ts";

it("keeps two homes apart, and knows one again", () => {
  const [a, b] = ["/srv/a", "/srv/b"].map((dir) => findHome({ HEARTH_HOME: dir }));
  expect(a!.instance).toMatch(/^[0-9a-f]{6}$/);
  expect(a!.instance).not.toBe(b!.instance);
  expect(findHome({ HEARTH_HOME: "/srv/x/../a" })).toEqual(a);
});

it("looks for containerd where the agent starts it again", () => {
  const { containerdDir, processes } = findHome({ HEARTH_HOME: "/srv/a" });
  expect(containerdIn(containerdDir)).toEqual({ dir: containerdDir, ...processes.containerd });
});
