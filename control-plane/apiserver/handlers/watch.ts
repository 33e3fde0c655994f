import type { JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { failure } from "../../../shared/api/status.ts";
import { encodeProtobufEvent, PROTOBUF_TYPE } from "../../../shared/schema/index.ts";
import { openWatch, type WatchRequest } from "../../storage/index.ts";
import { jsonAnswer } from "../answer.ts";
import type { Answer } from "../call.ts";
import { fromStored } from "../conversion/index.ts";
import { emptyFieldsOf } from "../empty-object.ts";
import { type ListOptions, parseListOptions } from "../list-options.ts";
import { type Handler, type ResourceRequest, storeFor, typeMetaOf } from "../resource-request.ts";
import { badReadVersion, parseRevision, tooLargeVersion } from "../resource-version.ts";
import { includeObject, isPlain, partialMetadata, showsVersion, transformObject } from "../response-object.ts";
import { parseSelection } from "../selection.ts";
import {
  isWebSocketHandshake,
  offeredProtocols,
  protobufMessages,
  sendMessages,
  textMessages,
} from "../web-socket/index.ts";

type OpenWatch = Extract<Awaited<ReturnType<typeof openWatch>>, { ok: true }>;

/** A watch without a timeout of its own ends after this long, and as much again at random (upstream's 30 minutes). */
const MIN_TIMEOUT_SECONDS = 1_800;
/** A bookmark is asked for so long before the end, that the client can resume without a relist. */
const LAST_BOOKMARK_BEFORE_MS = 2_000;

export const watchObjects: Handler = async (request) => {
  const answer = await answerWatch(request);
  const { request: handshake } = request.call;
  return handshake && isWebSocketHandshake(handshake.headers) ? overWebSocket(request, answer, handshake) : answer;
};

/** Whatever subprotocol the client would like best: upstream agrees to any. */
function overWebSocket({ output }: ResourceRequest, { body }: Answer, { headers }: Request): Response {
  const events =
    new Response(body).body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  const messages = output.format === "protobuf" ? protobufMessages() : textMessages();
  return sendMessages(events, messages, { protocol: offeredProtocols(headers)[0] ?? "" });
}

const answerWatch = async (request: ResourceRequest): Promise<Answer> => {
  const query = request.call.url.searchParams;
  const options = parseListOptions(query, true);
  const watch: WatchRequest = {
    ...parseSelection(request.facts, request.info, query),
    ...(await startOf(request, options)),
    bookmarks: options.allowWatchBookmarks,
    typeMeta: typeMetaOf(request.facts),
    ...(options.allowWatchBookmarks ? { emptyFields: emptyFieldsOf(request.facts) } : {}),
  };
  // A form that cannot be had is refused before the stream begins.
  if (request.output.as?.kind === "Table") includeObject(request.call.url);
  // An event has one object: upstream fails at the first one, without a word.
  if (request.output.as?.kind === "PartialObjectMetadataList") return eventsAnswer(request, "");
  const opened = await openWatch(storeFor(request), watch);
  if (!opened.ok) {
    if (opened.reason === "future") return watchFuture(request, options, watch, opened.newest ?? 0);
    if (opened.reason === "expired") return oneEvent(request, tooOld(watch.revision ?? 0, opened.oldest ?? 0));
    throw failure(opened.status, "", `the watch could not be opened: ${opened.reason}`);
  }
  const render = isPlain(request) && !request.facts.storedAs ? undefined : frameRenderer(request);
  return streamAnswer(request, opened, options, render);
};

type Render = (frame: string) => string | Uint8Array;

function streamAnswer(request: ResourceRequest, opened: OpenWatch, options: ListOptions, render: Render | undefined) {
  const { allowWatchBookmarks: bookmarks } = options;
  return eventsAnswer(request, streamFrames(opened, { timeoutMs: timeoutOf(options), bookmarks, render }));
}

function eventsAnswer({ output }: ResourceRequest, body: Answer["body"]): Answer {
  if (output.format !== "protobuf") return jsonAnswer(200, body);
  return { code: 200, headers: { "content-type": `${PROTOBUF_TYPE};stream=watch` }, body };
}

/**
 * A watch from a version that is yet to come: with initial events it cannot begin, without them it keeps silent until
 * the version is reached (upstream's way with both).
 */
async function watchFuture(
  request: ResourceRequest,
  options: ListOptions,
  watch: WatchRequest,
  newest: number,
): Promise<Answer> {
  const asked = watch.revision ?? 0;
  if (watch.sendInitialEvents) {
    return oneEvent(request, { type: "ERROR", object: tooLargeVersion(options.resourceVersion, newest).status });
  }
  const opened = await openWatch(storeFor(request), { ...watch, revision: newest });
  if (!opened.ok) throw failure(opened.status, "", `the watch could not be opened: ${opened.reason}`);
  const isReached = ({ object }: WatchEvent) => Number(object.metadata.resourceVersion) > asked;
  return streamAnswer(request, opened, options, frameRenderer(request, isReached));
}

/** Which changes the watch begins with. */
async function startOf(request: ResourceRequest, options: ListOptions): Promise<Partial<WatchRequest>> {
  const revision = parseRevision(options.resourceVersion, badReadVersion);
  if (options.sendInitialEvents === true) return { revision, sendInitialEvents: true };
  if (revision !== undefined || options.sendInitialEvents === undefined) return { revision };
  return { revision: await storeFor(request).currentRevision() };
}

/** Past it timers fire at once; 24 days are as good as for ever. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function timeoutOf({ timeoutSeconds }: ListOptions): number {
  // A negative one is over at once.
  if (timeoutSeconds) return Math.max(0, Math.min(timeoutSeconds * 1000, MAX_TIMER_MS));
  return MIN_TIMEOUT_SECONDS * 1000 * (1 + Math.random());
}

/** Upstream's answer to a watch from a version that is compacted: a stream that begins and ends with the error. */
const tooOld = (asked: number, oldest: number): StreamedEvent => ({
  type: "ERROR",
  object: failure(410, "Expired", `too old resource version: ${asked} (${oldest})`).status,
});

function oneEvent(request: ResourceRequest, event: StreamedEvent): Answer {
  const rendered = renderEvents(request, [event]);
  return eventsAnswer(request, typeof rendered === "string" ? rendered : new Response(rendered).body);
}

/**
 * The bytes of a watch: frames as the store sends them, until it ends, its time is up or the client goes.
 * @param render changes a frame's lines; without it they go through unread
 */
function streamFrames(
  watch: OpenWatch,
  { timeoutMs, bookmarks, render }: { timeoutMs: number; bookmarks: boolean; render?: Render },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = watch.frames.getReader();
  const bookmarkMs = timeoutMs - LAST_BOOKMARK_BEFORE_MS;
  const bookmarkTimer = bookmarks && bookmarkMs > 0 ? setTimeout(() => watch.requestBookmark(), bookmarkMs) : undefined;
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
          const rendered = render ? render(value) : value;
          if (rendered.length === 0) continue;
          controller.enqueue(typeof rendered === "string" ? encoder.encode(rendered) : rendered);
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

/** An event as it goes out, its object in whatever form was asked for. */
interface StreamedEvent {
  type: string;
  object: unknown;
}

interface WatchEvent {
  type: string;
  object: KubeObject;
}

/** Changes each event's object into the form and version that was asked for. */
function frameRenderer(request: ResourceRequest, isWanted: (event: WatchEvent) => boolean = () => true): Render {
  let isFirst = true;
  return (frame) => {
    const events: StreamedEvent[] = [];
    for (const line of frame.split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line) as WatchEvent;
      if (!isWanted(event)) continue;
      events.push({ type: event.type, object: renderEventObject(request, event, isFirst) });
      isFirst = false;
    }
    return renderEvents(request, events);
  };
}

/** A line each, or a frame of bytes each. */
function renderEvents({ output }: ResourceRequest, events: StreamedEvent[]): string | Uint8Array<ArrayBuffer> {
  if (output.format !== "protobuf") return events.map((event) => `${JSON.stringify(event)}\n`).join("");
  const frames = events.map(({ type, object }) => encodeProtobufEvent(type, object as JsonObject));
  const bytes = new Uint8Array(frames.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const frame of frames) {
    bytes.set(frame, at);
    at += frame.length;
  }
  return bytes;
}

function renderEventObject(request: ResourceRequest, { type, object }: WatchEvent, isFirst: boolean): unknown {
  const { facts, output } = request;
  if (type === "ERROR") return object;
  const converted = type === "BOOKMARK" || !showsVersion(request) ? object : fromStored(facts, object);
  const typed = { ...converted, ...typeMetaOf(facts) };
  if (!output.as) return typed;
  if (output.as.kind !== "Table") return partialMetadata(typed, output.as.version);
  return transformObject(request, typed, { omitColumns: !isFirst });
}
