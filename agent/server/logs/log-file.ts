import { type FSWatcher, watch } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import path from "node:path";

const READ_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** A runtime cuts lines at 16 KiB. What is longer is no log of a runtime. */
const MAX_LINE_BYTES = 1024 * 1024;
/** Besides the directory's events: they can be lost. */
const RECHECK_MS = 1000;

/**
 * Where the last `lines` lines of a file begin. An unfinished line at the end is not counted, but comes along.
 * @param lines undefined: all
 */
export async function tailStart(file: FileHandle, lines: number | undefined): Promise<number> {
  if (lines === undefined) return 0;
  let position = (await file.stat()).size;
  let newlines = 0;
  const block = Buffer.alloc(READ_BYTES);
  while (position > 0) {
    const length = Math.min(READ_BYTES, position);
    const { bytesRead } = await file.read(block, 0, length, position - length);
    for (let i = bytesRead - 1; i >= 0; i--) {
      // The newline before the first line that is wanted ends the search.
      if (block[i] === NEWLINE && newlines++ === lines) return position - length + i + 1;
    }
    position -= length;
  }
  return 0;
}

export interface FollowOptions {
  /** Undefined: read to the end once. Otherwise asked at each end of the file: false reads what is left and stops. */
  isStillWritten?(): Promise<boolean>;
  signal?: AbortSignal;
  tailLines?: number;
}

/**
 * The whole lines of a log file, newlines included, as many at once as a read gave; an unfinished last line only when the reading stops there. Following
 * survives rotation: the file that was renamed away is read to its end, then the new one from its beginning.
 * @throws the file system's error if the file cannot be opened at first
 */
export async function* readLines(file: string, options: FollowOptions): AsyncGenerator<Buffer[]> {
  const { isStillWritten, signal } = options;
  let handle = await open(file, "r");
  const changes = isStillWritten ? new Changes(path.dirname(file)) : undefined;
  try {
    let position = await tailStart(handle, options.tailLines);
    let rest = Buffer.alloc(0);
    let isLastRound = isStillWritten === undefined;
    while (!signal?.aborted) {
      const { chunk, lines, left } = await readSome(handle, position, rest);
      position += chunk;
      rest = left;
      if (lines.length > 0) yield lines;
      if (chunk > 0) continue;
      if (isLastRound) {
        if (rest.length > 0) yield [rest];
        return;
      }
      if (await isReplaced(file, handle)) {
        // Whatever was written between the last read and the rename is still in the old file.
        const last = await readSome(handle, position, rest);
        if (last.lines.length > 0) yield last.lines;
        position += last.chunk;
        rest = last.left;
        if (last.chunk > 0) continue;
        await handle.close();
        handle = await open(file, "r");
        position = 0;
        rest = Buffer.alloc(0);
        continue;
      }
      if (!(await isStillWritten?.())) isLastRound = true;
      else await changes?.next(signal);
    }
  } finally {
    changes?.close();
    await handle.close();
  }
}

async function readSome(handle: FileHandle, position: number, rest: Buffer) {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position);
  let left = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
  const lines: Buffer[] = [];
  for (let end = left.indexOf(NEWLINE); end >= 0; end = left.indexOf(NEWLINE)) {
    lines.push(left.subarray(0, end + 1));
    left = left.subarray(end + 1);
  }
  if (left.length > MAX_LINE_BYTES) throw new Error(`a line of the log is longer than ${MAX_LINE_BYTES} bytes`);
  return { chunk: bytesRead, lines, left };
}

/** Another file stands at the path now. A path that is empty for a moment is in the middle of a rotation. */
async function isReplaced(file: string, handle: FileHandle): Promise<boolean> {
  const [there, ours] = await Promise.all([stat(file).catch(() => undefined), handle.stat()]);
  return there !== undefined && (there.ino !== ours.ino || there.dev !== ours.dev);
}

/** Something happened in a directory, or a second went by. */
class Changes {
  #watcher: FSWatcher | undefined;
  #wake: (() => void) | undefined;
  #happened = false;

  constructor(directory: string) {
    try {
      this.#watcher = watch(directory, () => {
        this.#happened = true;
        this.#wake?.();
      });
      this.#watcher.on("error", () => {});
    } catch {
      // No inotify watch is left: the recheck alone has to do.
    }
  }

  async next(signal?: AbortSignal): Promise<void> {
    if (!this.#happened && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, RECHECK_MS);
        this.#wake = done;
        signal?.addEventListener("abort", done, { once: true });
      });
    }
    this.#happened = false;
  }

  close(): void {
    this.#watcher?.close();
  }
}
