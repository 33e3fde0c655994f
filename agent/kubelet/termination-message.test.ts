import { describe, expect, it } from "vitest";
import { lastLogText, readTerminationMessage } from "./termination-message.ts";

const T = "2026-01-01T00:00:00.000000000Z";

async function messageOf(files: Record<string, string>, inputs: { fallsBackToLogs?: boolean } = {}): Promise<string> {
  const read = async (path: string, maxBytes: number) => {
    if (files[path] === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    return Buffer.from(files[path]).subarray(-maxBytes);
  };
  return readTerminationMessage({ file: "message", logFile: "log", fallsBackToLogs: false, ...inputs }, read);
}

describe("readTerminationMessage", () => {
  it.each([
    { name: "what was written", files: { message: "out of luck" }, fallsBackToLogs: false, want: "out of luck" },
    { name: "nothing", files: {}, fallsBackToLogs: false, want: "" },
    { name: "no log without the policy", files: { log: `${T} stdout F x` }, fallsBackToLogs: false, want: "" },
    {
      name: "the log's end",
      files: { message: "", log: `${T} stderr F oops\n` },
      fallsBackToLogs: true,
      want: "oops\n",
    },
    {
      name: "the file before the log",
      files: { message: "m", log: `${T} stderr F x\n` },
      fallsBackToLogs: true,
      want: "m",
    },
  ])("$name", async ({ files, fallsBackToLogs, want }) => {
    expect(await messageOf(files as Record<string, string>, { fallsBackToLogs })).toBe(want);
  });

  it("is cut at 4096 bytes", async () => expect(await messageOf({ message: "x".repeat(5000) })).toHaveLength(4096));
});

it("lastLogText joins parts of one line, and keeps the last 80 lines", () => {
  expect(lastLogText(`${T} stdout P one, \n${T} stdout F two\n`)).toBe("one, two\n");
  const many = Array.from({ length: 100 }, (_, index) => `${T} stdout F ${index}`).join("\n");
  expect(lastLogText(many).split("\n")[0]).toBe("20");
});
