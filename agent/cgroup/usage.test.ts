import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { machineCpu, machineMemory, parsePressure, parseUsage, readUsage } from "./usage.ts";

const SOME = "some avg10=1.50 avg60=0.20 avg300=0.00 total=1609\n";
const some = { total: 1609, avg10: 1.5, avg60: 0.2, avg300: 0 };
const none = { total: 0, avg10: 0, avg60: 0, avg300: 0 };

it.each([
  {
    name: "both lines",
    text: `${SOME}full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n`,
    want: { some, full: { ...none, total: 7 } },
  },
  { name: "a CPU's file of older kernels", text: SOME, want: { some, full: none } },
  { name: "a kernel without it", text: "", want: undefined },
])("pressure: $name", ({ text, want }) => expect(parsePressure(text)).toEqual(want));

it("counts the working set without file pages that are out of use", () => {
  const usage = parseUsage({
    cpu: "usage_usec 15\nuser_usec 10\n",
    current: "1000\n",
    stat: "anon 300\ninactive_file 400\npgfault 9\npgmajfault 2\n",
    max: "5000\n",
    swap: "10\n",
    pids: "3\n",
    pressures: [SOME, undefined, ""],
  });
  expect(usage).toEqual({
    cpuNanoSeconds: 15_000,
    memory: {
      usageBytes: 1000,
      workingSetBytes: 600,
      rssBytes: 300,
      pageFaults: 9,
      majorPageFaults: 2,
      limitBytes: 5000,
    },
    swapBytes: 10,
    processes: 3,
    pressure: { cpu: { some, full: none } },
  });
});

it("knows no limit where there is none, and never less than nothing", () => {
  const { memory } = parseUsage({ current: "10", stat: "inactive_file 20\n", max: "max\n", pressures: [] });
  expect(memory).toMatchObject({ workingSetBytes: 0 });
  expect(memory).not.toHaveProperty("limitBytes");
});

it("leaves out what is not there: the root has no memory.current, version 1 nothing", async () => {
  const mount = mkdtempSync(join(tmpdir(), "cgroup-"));
  mkdirSync(join(mount, "a"));
  writeFileSync(join(mount, "a/cpu.stat"), "usage_usec 1\n");
  expect(await readUsage("/a", mount)).toEqual({ cpuNanoSeconds: 1000, pressure: {} });
  expect(await readUsage("/none", mount)).toEqual({ pressure: {} });
  rmSync(mount, { recursive: true });
});

it("counts a machine's memory as what is not free", () => {
  const meminfo = "MemTotal:  100 kB\nMemFree:  40 kB\nInactive(file):  10 kB\nAnonPages:  5 kB\n";
  expect(machineMemory(meminfo)).toMatchObject({ usageBytes: 61_440, workingSetBytes: 51_200, rssBytes: 5120 });
});

it("counts a machine's CPU time without idling", () => {
  expect(machineCpu("cpu  1 2 3 400 500 6 7 8 9 9\ncpu0 1 2 3 4\n")).toBe(270_000_000);
});
