/**
 * `kubectl logs` on the node: which instance's file, which of its lines, in what form; followed across rotations. The
 * files are the container runtime's.
 */
import { stat } from "node:fs/promises";
import { type CriClient, isCriUnavailable } from "../../cri/index.ts";
import { parseCriLine } from "./cri-line.ts";
import { readLines } from "./log-file.ts";
import type { LogOptions } from "./log-options.ts";
import { LogOutput } from "./log-output.ts";

export { chooseInstance, NoLogError } from "./container-log.ts";
export { type LogOptions, parseLogQuery } from "./log-options.ts";

/**
 * The log of one container instance, as bytes for the client.
 * @throws when the runtime does not know the container, or its file is not there
 */
export async function openLog(
  runtime: Pick<CriClient, "containerStatus">,
  containerId: string,
  options: LogOptions,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { status } = await runtime.containerStatus(containerId);
  await stat(status.logPath);
  const lines = readLines(status.logPath, {
    tailLines: options.tailLines,
    signal,
    ...(options.follow ? { isStillWritten: () => isRunning(runtime, containerId) } : {}),
  });
  return ReadableStream.from(render(lines, options));
}

/** In the pieces that were read: a chunk a line would cost a tunnel frame a line. */
async function* render(lines: AsyncGenerator<Buffer[]>, options: LogOptions): AsyncGenerator<Uint8Array> {
  const output = new LogOutput(options);
  if (output.isDone) return;
  for await (const some of lines) {
    const bytes = some.map((line) => {
      const parsed = parseCriLine(line);
      return parsed ? output.render(parsed) : Buffer.alloc(0);
    });
    const piece = Buffer.concat(bytes);
    if (piece.length > 0) yield piece;
    if (output.isDone) return;
  }
}

/** While the runtime is down its containers run on. */
async function isRunning(runtime: Pick<CriClient, "containerStatus">, containerId: string): Promise<boolean> {
  try {
    const { status } = await runtime.containerStatus(containerId);
    return status.state === "CONTAINER_RUNNING";
  } catch (error) {
    return isCriUnavailable(error);
  }
}
