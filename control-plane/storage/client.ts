import type { ListRequest, WatchRequest } from "./interface.ts";

/** Just what is needed of a store's stub. */
type Store = Pick<Fetcher, "fetch">;

/** How much is taken in before the store hears of it. */
const ACKNOWLEDGE_CHARS = 128 * 1024;

/** Why a list or watch could not be opened: the store's answer, e.g. `{reason: "expired", oldest}` with 410. */
export interface Refused {
  ok: false;
  status: number;
  reason: "expired" | "future" | "tooManyWatchers" | "selectorTooLarge";
  oldest?: number;
  newest?: number;
}

/** An open watch. */
export interface OpenWatch {
  ok: true;
  /**
   * Whole lines of watch events, several to a chunk. More is asked of the store only as chunks are taken, so a slow
   * reader fills no memory. Ends when the store ends the watch or restarts; the reader then resumes from the last
   * revision that it saw.
   */
  frames: ReadableStream<string>;
  /** Asks for a bookmark now, e.g. shortly before the request's timeout. */
  requestBookmark(): void;
  /** Lets go of the watch. */
  close(): void;
}

/** The body of a Kubernetes List, streamed from the store. Passing it on unread is far cheaper than a look inside. */
export async function openList(
  store: Store,
  request: ListRequest & { typeMeta: { apiVersion: string; kind: string } },
): Promise<{ ok: true; body: ReadableStream<Uint8Array> } | Refused> {
  const response = await store.fetch(url("list", request));
  if (!response.ok || !response.body) return await refused(response);
  return { ok: true, body: response.body };
}

/** Opens a watch and keeps up the acknowledgements that the store wants (see WatchHub). */
export async function openWatch(store: Store, request: WatchRequest): Promise<OpenWatch | Refused> {
  const response = await store.fetch(url("watch", request), { headers: { Upgrade: "websocket" } });
  const socket = response.webSocket;
  if (!socket) return await refused(response);
  const { readable: frames, close } = readFrames(socket);
  const requestBookmark = () => {
    if (socket.readyState === WebSocket.READY_STATE_OPEN) socket.send("bookmark");
  };
  return { ok: true, frames, requestBookmark, close };
}

function readFrames(socket: WebSocket): { readable: ReadableStream<string>; close: () => void } {
  let unacknowledged = 0;
  const waiting: string[] = [];
  let wake: (() => void) | undefined;
  let isOpen = true;
  const end = () => {
    isOpen = false;
    wake?.();
  };
  socket.addEventListener("message", ({ data }) => {
    if (typeof data !== "string") return;
    waiting.push(data);
    wake?.();
  });
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  socket.accept();
  const close = () => {
    end();
    socket.close(1000);
  };
  const readable = new ReadableStream<string>(
    {
      async pull(controller) {
        while (isOpen && waiting.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const frame = waiting.shift();
        if (frame === undefined) {
          controller.close();
          return;
        }
        controller.enqueue(frame);
        unacknowledged += frame.length;
        if (!isOpen || unacknowledged < ACKNOWLEDGE_CHARS) return;
        socket.send(String(unacknowledged));
        unacknowledged = 0;
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  return { readable, close };
}

const url = (route: string, request: object) =>
  `https://store/${route}?request=${encodeURIComponent(JSON.stringify(request))}`;

async function refused(response: Response): Promise<Refused> {
  const text = await response.text();
  if (!text.startsWith("{")) throw new Error(`the store answered ${response.status}: ${text}`);
  return { ...(JSON.parse(text) as Omit<Refused, "status">), status: response.status };
}
