import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { rotateLogs } from "./log-rotation.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "logs-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

it("cuts what is too long, and keeps the part before", () => {
  const [long, short, none] = ["long", "short", "none"].map((name) => join(dir, name));
  writeFileSync(long!, "x".repeat(11));
  writeFileSync(short!, "x".repeat(10));
  rotateLogs([none!, long!, short!], 10);
  expect([long!, `${long}.1`, short!].map((file) => readFileSync(file, "utf8").length)).toEqual([0, 11, 10]);
});

it("cuts it also when the part before cannot be kept", () => {
  const log = join(dir, "log");
  writeFileSync(log, "x".repeat(11));
  mkdirSync(`${log}.1`); // stands for a full disk: the copy fails
  rotateLogs([log], 10);
  expect(readFileSync(log, "utf8")).toBe("");
});
