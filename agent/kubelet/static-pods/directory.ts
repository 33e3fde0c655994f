import { watch } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../shared/message-of.ts";
import type { Pod } from "../../api/index.ts";
import type { Clock } from "../../clock/index.ts";
import { createWake } from "../../clock/index.ts";
import type { Log } from "../../log/index.ts";
import { parseManifest } from "./manifest.ts";

/** The kubelet's fileCheckFrequency: for changes that nobody told. */
const CHECK_MS = 20_000;
/** Changes come in bursts; an editor writes a file in several steps. */
const SETTLE_MS = 100;
const MAX_MANIFEST_BYTES = 10 * 1024 * 1024;

interface Known {
  text: string;
  pod: Pod;
}

/**
 * Tells the pods of a manifest directory, at first (it settles then) and whenever a file changes, until the signal is
 * aborted. Every regular file counts, whatever its name ends in, save those that begin with a dot. A file that cannot be read leaves its
 * pod as it was: a half-written manifest must not stop what runs.
 */
export async function followManifests({
  directory,
  nodeName,
  clock,
  log,
  signal,
  onPods,
}: {
  directory: string;
  nodeName: string;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** In the order of the files' names. */
  onPods(pods: Pod[]): void;
}): Promise<void> {
  const known = new Map<string, Known>();
  const complaints = new Map<string, string>();
  const wake = createWake();

  async function readPod(file: string): Promise<Known | undefined> {
    const path = join(directory, file);
    const facts = await stat(path);
    if (!facts.isFile()) return undefined;
    if (facts.size > MAX_MANIFEST_BYTES) throw new Error(`it is larger than ${MAX_MANIFEST_BYTES} bytes`);
    const text = await readFile(path, "utf8");
    const before = known.get(file);
    if (before?.text === text) return before;
    return { text, pod: parseManifest(text, { file: path, nodeName, nowMs: clock.nowMs() }) };
  }

  function complain(file: string, message: string): void {
    if (complaints.get(file) !== message) log("error", "cannot read a manifest", { file, message });
    complaints.set(file, message);
  }

  async function scan(): Promise<void> {
    const files = (await readdir(directory)).filter((name) => !name.startsWith(".")).sort();
    for (const file of known.keys()) if (!files.includes(file)) known.delete(file);
    for (const file of complaints.keys()) if (!files.includes(file)) complaints.delete(file);
    for (const file of files) {
      try {
        const read = await readPod(file);
        if (read) known.set(file, read);
        complaints.delete(file);
      } catch (error) {
        complain(file, messageOf(error));
      }
    }
    const pods = files.flatMap((file) => known.get(file)?.pod ?? []);
    onPods(pods);
  }

  const look = () =>
    scan().then(
      () => void complaints.delete(directory),
      (error: unknown) => complain(directory, messageOf(error)),
    );

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      await wake.wait(CHECK_MS, clock, signal);
      await clock.sleep(SETTLE_MS, signal);
      if (!signal.aborted) await look();
    }
  }

  const watcher = watchDirectory(directory, () => wake.notify());
  signal.addEventListener("abort", () => watcher?.close(), { once: true });
  await look();
  void keepLooking();
}

/** Undefined where the kernel gives no watch: the regular look has to do. */
function watchDirectory(directory: string, onChange: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(directory, onChange);
    watcher.on("error", () => {});
    return watcher;
  } catch {
    return undefined;
  }
}
