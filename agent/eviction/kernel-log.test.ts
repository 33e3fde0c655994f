import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openKernelLog, parseSystemOom } from "./kernel-log.ts";

const tail = "nodemask=(null),cpuset=c,mems_allowed=0";
it.each([
  {
    name: "the machine's",
    line: `3,900,51,-;oom-kill:constraint=CONSTRAINT_NONE,${tail},global_oom,task_memcg=/a,task=tail -f,pid=12,uid=0`,
    want: { process: "tail -f", pid: 12 },
  },
  {
    name: "a cgroup's",
    line: `3,901,52,-;oom-kill:constraint=CONSTRAINT_MEMCG,${tail},oom_memcg=/k,task_memcg=/k/a,task=sh,pid=13,uid=0`,
    want: undefined,
  },
  { name: "another", line: "6,902,53,-;eth0: link up", want: undefined },
])("tells $name line", ({ line, want }) => expect(parseSystemOom(line)).toEqual(want));

it("tells what is new since it was opened, and nothing twice", () => {
  const dir = mkdtempSync(join(tmpdir(), "kmsg-"));
  const file = join(dir, "kmsg");
  writeFileSync(file, "old\n");
  const log = openKernelLog(file)!;
  appendFileSync(file, "new\n");
  expect(log.read()).toEqual(["new\n"]);
  expect(log.read()).toEqual([]);
  log.close();
  rmSync(dir, { recursive: true });
});

it("is none where it may not be read", () => expect(openKernelLog("/none/kmsg")).toBeUndefined());
