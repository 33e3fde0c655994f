import { describe, expect, it } from "vitest";
import { GroupCommit } from "./group-commit.ts";
import type { WriteOp, WriteResult } from "./interface.ts";

const write = (key: string, chars = 10): WriteOp => ({
  op: "create",
  key,
  uid: key,
  value: "x".repeat(chars),
  attributes: { labels: {}, fields: {} },
});

/** A disk that takes as long as the test wants. */
function slowDisk() {
  const commits: string[][] = [];
  let release: () => void = () => undefined;
  const group = new GroupCommit({
    commit: (ops) => {
      commits.push(ops.map(({ key }) => key));
      return ops.map((): WriteResult => ({ ok: true, revision: 1 }));
    },
    untilDurable: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  });
  return { group, commits, finish: () => release() };
}

describe("group commit", () => {
  it("applies one at once, and those that come meanwhile together", async () => {
    const { group, commits, finish } = slowDisk();
    await group.submit([write("a")]);
    const rest = [group.submit([write("b")]), group.submit([write("c")])];
    finish();
    await Promise.all(rest);
    expect(commits).toEqual([["a"], ["b", "c"]]);
  });

  it("applies what is submitted together in one go", async () => {
    const { group, commits } = slowDisk();
    expect(await group.submit([write("a"), write("b")])).toHaveLength(2);
    expect(commits).toEqual([["a", "b"]]);
  });

  it.each([
    { name: "writes", chars: 10, fits: 4_096 },
    { name: "characters", chars: 1024 * 1024, fits: 33 },
  ])("refuses what comes when too many $name wait, and takes some again afterwards", async ({ chars, fits }) => {
    const { group, finish } = slowDisk();
    await group.submit([write("first")]);
    const waiting = Array.from({ length: fits }, (_, n) => group.submit([write(`w${n}`, chars)]));
    expect(await group.submit([write("late", chars)])).toEqual([{ ok: false, reason: "busy" }]);
    finish();
    expect(await waiting[0]).toMatchObject([{ ok: true }]);
    void group.submit([write("again", chars)]).then(finish);
    for (let n = 0; n < fits / 256 + 2; n++) {
      finish();
      await scheduler.wait(0);
    }
    expect(await waiting.at(-1)).toMatchObject([{ ok: true }]);
  });
});
