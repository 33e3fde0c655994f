import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Container } from "../cri/index.ts";
import { createLogRotation, removeLog } from "./index.ts";
import { decideRotation } from "./plan.ts";

const NOW_MS = Date.UTC(2026, 0, 2, 15, 4, 5);

describe("decideRotation (LOG-02)", () => {
  it.each<{ name: string; files: string[]; maxFiles?: number; remove?: string[]; compress?: string[] }>([
    { name: "the first time nothing is there to be done", files: ["0.log"] },
    { name: "other logs of the directory are let alone", files: ["1.log", "1.log.20260101-000000", "00.log.x"] },
    {
      name: "the part before is compressed",
      files: ["0.log", "0.log.20260101-000000"],
      compress: ["0.log.20260101-000000"],
    },
    {
      name: "compressed parts stay, as long as there are no more than the limit less two",
      files: ["0.log.20260101-000001.gz", "0.log.20260101-000002.gz", "0.log.20260101-000003"],
      compress: ["0.log.20260101-000003"],
    },
    {
      name: "the oldest go",
      files: [
        "0.log.20260101-000003",
        "0.log.20260101-000001.gz",
        "0.log.20260101-000002.gz",
        "0.log.20251231-235959.gz",
      ],
      remove: ["0.log.20251231-235959.gz"],
      compress: ["0.log.20260101-000003"],
    },
    {
      name: "with two files only the newest part is kept",
      files: ["0.log.20260101-000001.gz", "0.log.20260101-000002"],
      maxFiles: 2,
      remove: ["0.log.20260101-000001.gz", "0.log.20260101-000002"],
    },
    {
      name: "what a crash left in the middle of a compression goes",
      files: ["0.log.20260101-000001", "0.log.20260101-000001.tmp"],
      remove: ["0.log.20260101-000001.tmp"],
      compress: ["0.log.20260101-000001"],
    },
    {
      name: "what a crash left after one goes too",
      files: ["0.log.20260101-000001", "0.log.20260101-000001.gz"],
      remove: ["0.log.20260101-000001"],
    },
  ])("$name", ({ files, maxFiles = 5, remove = [], compress = [] }) =>
    expect(decideRotation("0.log", files, { maxFiles, nowMs: NOW_MS })).toEqual({
      remove,
      compress,
      rotated: "0.log.20260102-150405",
    }),
  );
});

describe("a round", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "logs-"));
    failures.length = 0;
    reopened = [];
    nowMs = NOW_MS;
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const failures: string[] = [];
  let nowMs = NOW_MS;
  let reopened: string[] = [];
  const containers = (...names: string[]) => names.map((id) => ({ id }) as Container);
  const round = (running: Container[], reopen: (id: string) => void = () => {}) =>
    createLogRotation({
      cri: {
        listContainers: async () => running,
        async reopenContainerLog(id) {
          reopen(id);
          reopened.push(id);
          writeFileSync(join(dir, `${id}.log`), "");
        },
      },
      settings: { maxBytes: 10, maxFiles: 3, workers: 2, checkMs: 1 },
      logOf: ({ id }) => (id.startsWith("foreign") ? undefined : join(dir, `${id}.log`)),
      nowMs: () => nowMs,
      onFailure: (_log, message) => failures.push(message),
    })();
  const files = () => readdirSync(dir).sort();
  it("rotates what has grown to the limit, and that alone", async () => {
    writeFileSync(join(dir, "a.log"), "0123456789");
    writeFileSync(join(dir, "b.log"), "012345678");
    writeFileSync(join(dir, "foreign.log"), "0123456789");
    await round(containers("a", "b", "foreign"));
    expect(files()).toEqual(["a.log", "a.log.20260102-150405", "b.log", "foreign.log"]);
    expect(readFileSync(join(dir, "a.log.20260102-150405"), "utf8")).toBe("0123456789");
    expect(reopened).toEqual(["a"]);
  });

  it("never has more files than allowed, and loses none but the oldest", async () => {
    for (const [second, text] of ["first 10..", "second 10.", "third 10..", "fourth 10."].entries()) {
      nowMs = NOW_MS + 1000 * second;
      writeFileSync(join(dir, "a.log"), text);
      await round(containers("a"));
    }
    expect(files()).toEqual(["a.log", "a.log.20260102-150407.gz", "a.log.20260102-150408"]);
    expect(gunzipSync(readFileSync(join(dir, "a.log.20260102-150407.gz"))).toString()).toBe("third 10..");
  });

  it("gives the log its name back when the runtime does not open another, and goes on with the next", async () => {
    writeFileSync(join(dir, "a.log"), "0123456789");
    writeFileSync(join(dir, "b.log"), "0123456789");
    await round(containers("a", "b"), (id) => {
      if (id === "a") throw new Error("not running");
    });
    expect(files()).toEqual(["a.log", "b.log", "b.log.20260102-150405"]);
    expect(readFileSync(join(dir, "a.log"), "utf8")).toBe("0123456789");
    expect(failures).toEqual(["not running"]);
  });

  it("has a log opened that is missing", async () => {
    await round(containers("a"));
    expect(files()).toEqual(["a.log"]);
  });

  it("removes a log with its parts", async () => {
    for (const name of ["0.log", "0.log.20260101-000000", "0.log.20260101-000000.gz", "1.log", "10.log"]) {
      writeFileSync(join(dir, name), "");
    }
    await removeLog(join(dir, "0.log"));
    await removeLog(join(dir, "none/0.log"));
    expect(files()).toEqual(["1.log", "10.log"]);
  });
});
