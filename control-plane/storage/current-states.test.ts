import { describe, expect, it } from "vitest";
import { CurrentStates, MAX_KEPT_CHARS } from "./current-states.ts";
import type { ChangeType } from "./interface.ts";

const row = (type: ChangeType, key: string, revision: number, value: string) => ({
  type,
  key,
  revision,
  value,
  previous: null,
  attributes: { labels: {}, fields: {} },
});

describe("CurrentStates", () => {
  it("follows commits: the newest state, and none of what was deleted", () => {
    const states = new CurrentStates();
    states.apply([row("ADDED", "a", 1, "one"), row("ADDED", "b", 2, "two"), row("MODIFIED", "a", 3, "three")]);
    states.apply([row("DELETED", "b", 4, "two")]);
    expect(states.get("a")).toEqual({ key: "a", revision: 3, value: "three" });
    expect(states.get("b")).toBeUndefined();
  });

  it("lets go of the longest unused when there is too much", () => {
    const states = new CurrentStates();
    const third = "x".repeat(MAX_KEPT_CHARS / 3);
    for (const key of ["a", "b", "c"]) states.keep({ key, revision: 1, value: third });
    states.get("a");
    states.keep({ key: "d", revision: 2, value: third });
    expect(["a", "b", "c", "d"].filter((key) => states.get(key))).toEqual(["a", "c", "d"]);
  });

  it("counts a state that is replaced once, and keeps none that is too large alone", () => {
    const states = new CurrentStates();
    const half = "x".repeat(MAX_KEPT_CHARS / 2);
    for (let revision = 1; revision < 5; revision++) states.keep({ key: "a", revision, value: half });
    states.keep({ key: "b", revision: 9, value: half });
    expect(states.get("a")?.revision).toBe(4);
    states.keep({ key: "c", revision: 10, value: "x".repeat(MAX_KEPT_CHARS + 1) });
    expect(states.get("c")).toBeUndefined();
  });
});
