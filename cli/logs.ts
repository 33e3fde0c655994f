import { createReadStream, existsSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "./errors.ts";
import { findHome, PROCESS_NAMES } from "./home.ts";

const FOLLOW_INTERVAL_MS = 200;

/** Prints a process's log; with `follow` goes on until the command is interrupted. */
export async function logs(what: string, options: { follow: boolean }): Promise<void> {
  const name = PROCESS_NAMES.find((known) => known === what);
  if (!name) throw new UserError(`there is no log "${what}"`, `one of: ${PROCESS_NAMES.join(", ")}`);
  const path = findHome().processes[name].logFile;
  if (!existsSync(path)) throw new UserError(`${name} has no log yet (${path})`, "./hearth up");
  let offset = await print(path, 0);
  while (options.follow) {
    await sleep(FOLLOW_INTERVAL_MS);
    // A shorter file was rotated: go on at its start. None: the home was purged.
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return;
    offset = await print(path, size < offset ? 0 : offset);
  }
}

/** Copies the file from an offset to stdout. @returns the offset after it */
async function print(path: string, from: number): Promise<number> {
  let offset = from;
  for await (const chunk of createReadStream(path, { start: from })) {
    offset += (chunk as Buffer).length;
    if (!process.stdout.write(chunk as Buffer)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  return offset;
}
