import type { KubeObject } from "../../shared/api/object.ts";
import { ApiError, isExpired, type Status } from "../../shared/api/status.ts";
import type { ApiClient, ApiTransport, ResourceRef } from "../../shared/client/api-client.ts";
import { collectionPath, listQuery } from "../../shared/client/http-client.ts";
import type { Clock } from "../clock/index.ts";
import type { Log } from "../log/index.ts";
import type { Feed, FeedHandler } from "./feed.ts";

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** The server ends a watch after a while; a spread keeps many nodes from coming back together. */
const MIN_WATCH_SECONDS = 300;
const MIN_WATCH_MS = 1_000;
/** Over the largest object that the API keeps (1.5 MiB). */
const MAX_EVENT_CHARS = 8 * 1024 * 1024;

interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: KubeObject;
}

/** Lists, then watches from there; after a break it goes on from the last revision, and lists anew when that is gone. */
export function createWatchFeed({
  api,
  transport,
  clock,
  log,
}: {
  api: ApiClient;
  transport: ApiTransport;
  clock: Clock;
  log: Log;
}): Feed {
  return (ref, options, handler, signal) => {
    void follow(ref, options, handler, signal);
  };

  async function follow(
    ref: ResourceRef,
    options: { namespace?: string; fieldSelector?: string },
    handler: FeedHandler,
    signal: AbortSignal,
  ): Promise<void> {
    let resourceVersion: string | undefined;
    let pauseMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        if (resourceVersion === undefined) {
          const list = await api.listAll(ref, options);
          if (signal.aborted) return;
          handler.replace(list.items);
          resourceVersion = list.metadata.resourceVersion ?? "";
        }
        const startedMs = clock.nowMs();
        for await (const event of watch(ref, { ...options, resourceVersion }, signal)) {
          pauseMs = FIRST_RETRY_MS;
          if (event.type === "ERROR") throw new ApiError(event.object as unknown as Status);
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
          if (event.type === "DELETED") handler.remove(event.object);
          else if (event.type !== "BOOKMARK") handler.upsert(event.object);
        }
        // A server that ends watches as soon as they are open must not be asked in a circle.
        if (clock.nowMs() - startedMs < MIN_WATCH_MS) await clock.sleep(pauseMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) resourceVersion = undefined;
        log("debug", "a watch broke", { resource: ref.resource, error: String(error) });
        await clock.sleep(pauseMs * (1 + Math.random() / 2), signal);
        pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS);
      }
    }
  }

  /** Ends when the server ends it. @throws ApiError if it is refused, the transport's error if it breaks */
  async function* watch(
    ref: ResourceRef,
    {
      namespace,
      fieldSelector,
      resourceVersion,
    }: { namespace?: string; fieldSelector?: string; resourceVersion: string },
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent> {
    const query = {
      ...listQuery({ fieldSelector, resourceVersion }),
      watch: "true",
      allowWatchBookmarks: "true",
      timeoutSeconds: String(Math.floor(MIN_WATCH_SECONDS * (1 + Math.random()))),
    };
    const path = collectionPath(ref, namespace, query);
    const response = await transport({ method: "GET", path, headers: { accept: "application/json" }, signal });
    if (response.status !== 200) throw new ApiError(JSON.parse(await new Response(response.body).text()) as Status);
    for await (const line of readLines(response.body)) yield JSON.parse(line) as WatchEvent;
  }
}

/** @throws RangeError if a line is longer than any event can be */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    if (rest.length > MAX_EVENT_CHARS) throw new RangeError("a watch event is too long");
    for (const line of lines) if (line.trim() !== "") yield line;
  }
}
