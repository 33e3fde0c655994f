import { appendFileSync } from "node:fs";
import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PodStatus } from "../../api/index.ts";
import type { CriClient } from "../../cri/index.ts";
import { chooseInstance } from "./container-log.ts";
import { nanosOf, parseCriLine, printTimestamp } from "./cri-line.ts";
import { type LogOptions, openLog } from "./index.ts";
import { parseLogQuery } from "./log-options.ts";

const plain: LogOptions = { follow: false, previous: false, timestamps: false };

describe("a line of the file", () => {
  it.each([
    { line: "2026-01-02T03:04:05.123456789Z stdout F hello\n", content: "hello\n", stream: "stdout" },
    { line: "2026-01-02T03:04:05Z stderr F \n", content: "\n", stream: "stderr" },
    { line: "2026-01-02T03:04:05.1+02:00 stdout P part\n", content: "part", stream: "stdout" },
    { line: "2026-01-02T03:04:05Z stdout F:x:y tagged  twice\n", content: "tagged  twice\n", stream: "stdout" },
    { line: "2026-01-02T03:04:05Z stdout F cut off", content: "cut off", stream: "stdout" },
  ])("$line", ({ line, content, stream }) => {
    const parsed = parseCriLine(Buffer.from(line));
    expect([parsed?.stream, parsed?.content.toString()]).toEqual([stream, content]);
  });

  it.each(["", "\n", "no log line\n", "2026-01-02T03:04:05Z stdin F x\n", "yesterday stdout F x\n"])(
    "that is none is skipped: %j",
    (line) => expect(parseCriLine(Buffer.from(line))).toBeUndefined(),
  );

  it("keeps nanoseconds", () => {
    expect(nanosOf("1970-01-01T00:00:01.000000002Z")).toBe(1_000_000_002n);
    expect(nanosOf("1970-01-01T02:00:00.5+02:00")).toBe(500_000_000n);
    expect(printTimestamp("2026-01-02T03:04:05.12Z")).toBe("2026-01-02T03:04:05.120000000Z");
    expect(printTimestamp("2026-01-02T03:04:05+02:00")).toBe("2026-01-02T03:04:05.000000000+02:00");
  });
});

describe("the query", () => {
  it.each([
    { query: "", want: plain },
    { query: "follow=true&timestamps=true&previous=1", want: { follow: true, timestamps: true, previous: true } },
    { query: "sinceSeconds=60&tailLines=0", want: { sinceNanos: 40_000_000_000n, tailLines: 0 } },
    { query: "sinceTime=1970-01-01T00:00:02Z&limitBytes=5", want: { sinceNanos: 2_000_000_000n, limitBytes: 5 } },
    { query: "tail=7", want: { tailLines: 7 } },
    { query: "tail=all", want: { tailLines: undefined } },
  ])("?$query", ({ query, want }) => {
    expect(parseLogQuery(new URLSearchParams(query), 100_000)).toMatchObject(want);
  });

  it.each(["tailLines=-1", "limitBytes=0", "sinceSeconds=0", "tailLines=x", "sinceTime=x", "tailLines=1.5"])(
    "?%s is refused",
    (query) => expect(() => parseLogQuery(new URLSearchParams(query), 0)).toThrow(RangeError),
  );
});

describe("the instance", () => {
  const status = (each: object): PodStatus => ({ containerStatuses: [{ name: "c", ...each }] }) as PodStatus;
  it.each([
    { name: "running", state: { running: {} }, containerID: "containerd://now", want: "now" },
    { name: "ended", state: { terminated: { containerID: "containerd://now" } }, want: "now" },
    {
      name: "could not be started again",
      state: { terminated: {} },
      lastState: { terminated: { containerID: "containerd://before" } },
      want: "before",
    },
    {
      name: "waiting to start again",
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { containerID: "containerd://before" } },
      want: "before",
    },
  ])("$name", ({ name: _name, want, ...each }) => {
    expect(chooseInstance({ name: "p", status: status(each) }, "c", false)).toBe(want);
  });

  it.each([
    { state: {}, previous: true, want: 'previous terminated container "c" in pod "p" not found' },
    {
      state: { waiting: { reason: "ContainerCreating" } },
      want: 'container "c" in pod "p" is waiting to start: ContainerCreating',
    },
    {
      state: { waiting: { reason: "ErrImagePull" } },
      want: 'container "c" in pod "p" is waiting to start: image can\'t be pulled',
    },
    {
      state: { waiting: { reason: "ImagePullBackOff" } },
      want: 'container "c" in pod "p" is waiting to start: trying and failing to pull image',
    },
    { state: {}, want: 'container "c" in pod "p" is waiting to start - no logs yet' },
    { state: { terminated: {} }, want: 'container "c" in pod "p" is terminated' },
  ])("$want", ({ state, previous = false, want }) => {
    expect(() => chooseInstance({ name: "p", status: status({ state }) }, "c", previous)).toThrow(want);
  });

  it("of a container without a status", () => {
    expect(() => chooseInstance({ name: "p", status: {} }, "c", false)).toThrow(
      'container "c" in pod "p" is not available',
    );
  });
});

describe("the log", () => {
  let directory: string;
  let file: string;
  let isRunning: boolean;
  const runtime = {
    containerStatus: async () => ({
      status: { logPath: file, state: isRunning ? "CONTAINER_RUNNING" : "CONTAINER_EXITED" },
      info: {},
    }),
  } as unknown as CriClient;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "hearth-logs-"));
    file = path.join(directory, "0.log");
    isRunning = true;
  });
  afterEach(() => rm(directory, { recursive: true }));

  const line = (second: number, content: string, tag = "F") =>
    `2026-01-02T03:04:${String(second).padStart(2, "0")}Z stdout ${tag} ${content}\n`;
  const read = async (options: Partial<LogOptions>) => {
    const body = await openLog(runtime, "id", { ...plain, ...options }, new AbortController().signal);
    return new Response(body as ReadableStream).text();
  };
  const three = line(1, "one") + line(2, "two") + line(3, "three");

  it.each<{ name: string; file: string; options: Partial<LogOptions>; want: string }>([
    { name: "all of it", file: three, options: {}, want: "one\ntwo\nthree\n" },
    { name: "none of it", file: three, options: { tailLines: 0 }, want: "" },
    { name: "the last lines", file: three, options: { tailLines: 2 }, want: "two\nthree\n" },
    { name: "fewer lines than asked for", file: three, options: { tailLines: 9 }, want: "one\ntwo\nthree\n" },
    {
      name: "from a moment on",
      file: three,
      options: { sinceNanos: nanosOf("2026-01-02T03:04:02Z") },
      want: "two\nthree\n",
    },
    { name: "some bytes", file: three, options: { limitBytes: 6 }, want: "one\ntw" },
    {
      name: "with times, once for a line in parts",
      file: line(1, "lo", "P") + line(1, "ng") + line(2, "x"),
      options: { timestamps: true },
      want: "2026-01-02T03:04:01.000000000Z long\n2026-01-02T03:04:02.000000000Z x\n",
    },
    { name: "without what is no log", file: `garbage\n${line(1, "ok")}`, options: {}, want: "ok\n" },
    { name: "an unfinished line at its end", file: line(1, "ok").trimEnd(), options: {}, want: "ok" },
    { name: "nothing of an empty file", file: "", options: { tailLines: 5 }, want: "" },
  ])("$name", async ({ file: contents, options, want }) => {
    await writeFile(file, contents);
    expect(await read(options)).toBe(want);
  });

  it("the last lines of a long file", async () => {
    await writeFile(file, Array.from({ length: 20_000 }, (_, i) => line(i % 60, `line ${i}`)).join(""));
    const got = (await read({ tailLines: 5000 })).trimEnd().split("\n");
    expect([got.length, got[0], got.at(-1)]).toEqual([5000, "line 15000", "line 19999"]);
  });

  it("follows across a rotation, from the tail, until the container ends", async () => {
    await writeFile(file, three);
    const body = await openLog(runtime, "id", { ...plain, follow: true, tailLines: 1 }, new AbortController().signal);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let got = "";
    const until = async (text: string) => {
      while (!got.endsWith(text)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the log ended after ${JSON.stringify(got)}`);
        got += value;
      }
    };
    await until("three\n");
    await appendFile(file, line(4, "four"));
    await until("four\n");
    await rename(file, `${file}.20260102`);
    await appendFile(`${file}.20260102`, line(5, "late"));
    await writeFile(file, line(6, "six"));
    await until("six\n");
    // At once: whoever looks in between would find an ended container that has said all.
    isRunning = false;
    appendFileSync(file, line(7, "last words"));
    await until("last words\n");
    expect((await reader.read()).done).toBe(true);
    expect(got).toBe("three\nfour\nlate\nsix\nlast words\n");
  });

  it("stops following when the client leaves", async () => {
    await writeFile(file, three);
    const abort = new AbortController();
    const body = await openLog(runtime, "id", { ...plain, follow: true }, abort.signal);
    const reader = body.getReader();
    await reader.read();
    const rest = reader.read();
    abort.abort();
    expect((await rest).done).toBe(true);
  });
});
