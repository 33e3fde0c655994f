import type { Readable } from "node:stream";

/** A caller that sends nothing of a body it has announced, for so long, is given up. */
const IDLE_MS = 60_000;
/** Held of a body while the tunnel takes no more. */
const HELD_BYTES = 64 * 1024;

/**
 * A request's body as it comes, no faster than it is read. Cancelling it lets the rest flow away, so that a caller that
 * still sends gets its answer; the connection stays.
 */
export function bodyOf(
  request: Readable,
  { idleMs = IDLE_MS, onTooSlow }: { idleMs?: number; onTooSlow(): void },
): ReadableStream<Uint8Array> {
  let idle: NodeJS.Timeout | undefined;
  let wait = () => {};
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const finish = (action: () => void) => {
          clearTimeout(idle);
          if (isOver) return;
          isOver = true;
          action();
        };
        const expire = () =>
          finish(() => {
            onTooSlow();
            controller.error(new Error("the request's body did not arrive in time"));
          });
        request.on("data", (chunk: Buffer) => {
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) > 0) return void idle?.refresh();
          clearTimeout(idle);
          request.pause();
        });
        request.on("end", () => finish(() => controller.close()));
        request.on("error", (error) => finish(() => controller.error(error)));
        request.on("close", () => finish(() => controller.error(new Error("the caller went away"))));
        idle = setTimeout(expire, idleMs);
        wait = () => {
          clearTimeout(idle);
          idle = setTimeout(expire, idleMs);
        };
      },
      pull() {
        if (isOver) return;
        wait();
        request.resume();
      },
      cancel() {
        clearTimeout(idle);
        isOver = true;
        request.resume();
      },
    },
    { highWaterMark: HELD_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}
