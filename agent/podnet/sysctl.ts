import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { jsonOrUndefined } from "../../shared/json-or-undefined.ts";
import { writeFileAtomically } from "../state/index.ts";

/** `net/ipv4/ip_forward`: with slashes, as names of interfaces may have dots. */
const NAME = /^net(\/(?!\.{1,2}(\/|$))[^/\s]+)+$/;
const schema = z.record(z.string().regex(NAME), z.string().max(100));

const recordOf = (stateDir: string) => join(stateDir, "sysctls.json");
const fileOf = (name: string) => join("/proc/sys", name);

/**
 * Sets kernel parameters that are not so yet. What each was before is written down first, once, for `restoreSysctls`.
 * @returns the names of those that the kernel does not have
 * @throws Error if one cannot be written
 */
export async function setSysctls(stateDir: string, wanted: Record<string, string>): Promise<string[]> {
  const before = await readRecord(stateDir);
  const changes: [name: string, value: string][] = [];
  const missing: string[] = [];
  let isNew = false;
  for (const [name, value] of Object.entries(wanted)) {
    const current = await readFile(fileOf(name), "utf8").then(
      (text) => text.trim(),
      () => undefined,
    );
    if (current === undefined) missing.push(name);
    else if (current !== value) {
      changes.push([name, value]);
      isNew ||= !(name in before);
      before[name] ??= current;
    }
  }
  if (isNew) {
    await mkdir(dirname(recordOf(stateDir)), { recursive: true, mode: 0o700 });
    await writeFileAtomically(recordOf(stateDir), `${JSON.stringify(before, undefined, 2)}\n`);
  }
  for (const [name, value] of changes) await writeFile(fileOf(name), value);
  return missing;
}

/** Puts back what was before the agent came. One that the kernel does not have any more is passed over. */
export async function restoreSysctls(stateDir: string): Promise<void> {
  for (const [name, value] of Object.entries(await readRecord(stateDir))) {
    await writeFile(fileOf(name), value).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

async function readRecord(stateDir: string): Promise<Record<string, string>> {
  const text = await readFile(recordOf(stateDir), "utf8").catch(() => "");
  return schema.safeParse(jsonOrUndefined(text)).data ?? {};
}
