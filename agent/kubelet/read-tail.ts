import { constants } from "node:fs";
import { open } from "node:fs/promises";

/**
 * The last bytes of a file that a container may have written: it may be huge, and it may be no file at all (a FIFO
 * without a writer would hold up whoever opens it).
 * @throws Error if it is not a regular file, or the file system's error
 */
export async function readTail(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = await file.stat();
    if (!info.isFile()) throw new Error("not a regular file");
    const length = Math.min(info.size, maxBytes);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, info.size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
