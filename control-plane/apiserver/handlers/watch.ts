import type { KubeObject } from "../../../shared/api/object.ts";
import { failure } from "../../../shared/api/status.ts";
import { openWatch, type WatchRequest } from "../../storage/index.ts";
import { jsonAnswer } from "../answer.ts";
import { fromStored } from "../conversion/index.ts";
import { type ListOptions, parseListOptions, parseRevision } from "../query-options.ts";
import { type Handler, type ResourceRequest, storeFor, typeMetaOf } from "../resource-request.ts";
import { includeObject, isPlain, partialMetadata, transformObject } from "../response-object.ts";
import { parseSelection } from "../selection.ts";
import { tooLargeVersion } from "./list.ts";

type OpenWatch = Extract<Awaited<ReturnType<typeof openWatch>>, { ok: true }>;

/** A watch without a timeout of its own ends after this long, and as much again at random (upstream's 30 minutes). */
const MIN_TIMEOUT_SECONDS = 1_800;
/** A bookmark is asked for so long before the end, that the client can resume without a relist. */
const LAST_BOOKMARK_BEFORE_MS = 2_000;

export const watchObjects: Handler = async (request) => {
  const query = request.call.url.searchParams;
  const options = parseListOptions(query, true);
  const watch: WatchRequest = {
    ...parseSelection(request.facts, request.info, query),
    ...(await startOf(request, options)),
    bookmarks: options.allowWatchBookmarks,
    typeMeta: typeMetaOf(request.facts),
  };
  const opened = await openWatch(storeFor(request), watch);
  if (!opened.ok) {
    if (opened.reason === "future") throw tooLargeVersion(watch.revision ?? 0, opened.newest ?? 0);
    if (opened.reason === "expired") return oneEvent(tooOld(watch.revision ?? 0, opened.oldest ?? 0));
    throw failure(opened.status, "", `the watch could not be opened: ${opened.reason}`);
  }
  const render = isPlain(request) && !request.facts.storedAs ? undefined : frameRenderer(request);
  const { allowWatchBookmarks: bookmarks } = options;
  return jsonAnswer(200, streamFrames(opened, { timeoutMs: timeoutOf(options), bookmarks, render }));
};

/** Which changes the watch begins with. */
async function startOf(request: ResourceRequest, options: ListOptions): Promise<Partial<WatchRequest>> {
  const revision = parseRevision(options.resourceVersion);
  if (options.sendInitialEvents === true) return { revision, sendInitialEvents: true };
  if (revision !== undefined || options.sendInitialEvents === undefined) return { revision };
  return { revision: await storeFor(request).currentRevision() };
}

/** Past it timers fire at once; 24 days are as good as for ever. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function timeoutOf({ timeoutSeconds }: ListOptions): number {
  if (timeoutSeconds !== undefined && timeoutSeconds > 0) return Math.min(timeoutSeconds * 1000, MAX_TIMER_MS);
  return MIN_TIMEOUT_SECONDS * 1000 * (1 + Math.random());
}

/** Upstream's answer to a watch from a version that is compacted: a stream that begins and ends with the error. */
const tooOld = (asked: number, oldest: number) => ({
  type: "ERROR",
  object: failure(410, "Expired", `too old resource version: ${asked} (${oldest})`).status,
});

const oneEvent = (event: unknown) => jsonAnswer(200, `${JSON.stringify(event)}\n`);

/**
 * The bytes of a watch: frames as the store sends them, until it ends, its time is up or the client goes.
 * @param render changes a frame's lines; without it they go through unread
 */
function streamFrames(
  watch: OpenWatch,
  { timeoutMs, bookmarks, render }: { timeoutMs: number; bookmarks: boolean; render?: (frame: string) => string },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = watch.frames.getReader();
  const askForBookmark = () => bookmarks && watch.requestBookmark();
  const bookmarkTimer = setTimeout(askForBookmark, Math.max(0, timeoutMs - LAST_BOOKMARK_BEFORE_MS));
  const endTimer = setTimeout(() => watch.close(), timeoutMs);
  const stop = () => {
    clearTimeout(bookmarkTimer);
    clearTimeout(endTimer);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            stop();
            controller.close();
            return;
          }
          const text = render ? render(value) : value;
          if (text === "") continue;
          controller.enqueue(encoder.encode(text));
          return;
        }
      },
      cancel() {
        stop();
        watch.close();
      },
    },
    { highWaterMark: 0 },
  );
}

interface WatchEvent {
  type: string;
  object: KubeObject;
}

/** Changes each event's object into the form and version that was asked for. */
function frameRenderer(request: ResourceRequest): (frame: string) => string {
  let isFirst = true;
  return (frame) => {
    let text = "";
    for (const line of frame.split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line) as WatchEvent;
      text += `${JSON.stringify({ type: event.type, object: renderEventObject(request, event, isFirst) })}\n`;
      isFirst = false;
    }
    return text;
  };
}

function renderEventObject(request: ResourceRequest, { type, object }: WatchEvent, isFirst: boolean): unknown {
  const { facts, output } = request;
  if (type === "ERROR") return object;
  const isTable = output.as?.kind === "Table" && includeObject(request.call.url) !== "Object";
  const converted = type === "BOOKMARK" || isTable ? object : fromStored(facts, object);
  const typed = { ...converted, ...typeMetaOf(facts) };
  if (!output.as) return typed;
  if (output.as.kind !== "Table") return partialMetadata(typed, output.as.version);
  return transformObject(request, typed, { omitColumns: !isFirst });
}
