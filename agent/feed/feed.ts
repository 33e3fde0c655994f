import type { KubeObject } from "../../shared/api/object.ts";
import { ApiError, isExpired } from "../../shared/api/status.ts";
import type { ApiClient, ApiTransport, ResourceRef } from "../../shared/client/api-client.ts";
import { collectionPath, readAnswer } from "../../shared/client/http-client.ts";
import type { Feed, FeedHandler, Log } from "../kubelet/index.ts";
import { watchEvents } from "./watch-lines.ts";

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;
/** Watches end between one and two of these: not all at once. client-go's numbers. */
const WATCH_SECONDS = 300;

export interface FeedOptions {
  api: ApiClient;
  transport: ApiTransport;
  log: Log;
  /** Calls back on each new connection: what waits to try again does so at once. Returns a way to stop listening. */
  onConnected(listener: () => void): () => void;
}

/**
 * Lists, then watches from the list's revision. A watch that breaks (a deploy of the control plane ends them all) goes on
 * from the last revision it has seen; only a revision that is gone (410) needs the list again.
 */
export function createFeed(options: FeedOptions): Feed {
  return (ref, selection, handler, signal) => void follow(options, ref, selection, handler, signal);
}

async function follow(
  { api, transport, log, onConnected }: FeedOptions,
  ref: ResourceRef,
  selection: { namespace?: string; fieldSelector?: string },
  handler: FeedHandler,
  signal: AbortSignal,
): Promise<void> {
  let revision: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (revision === undefined) {
        const list = await api.listAll(ref, selection);
        handler.replace(list.items);
        revision = list.metadata.resourceVersion ?? "";
      }
      const seen = (next: string) => {
        revision = next;
        failures = 0;
      };
      await watchOnce(transport, ref, { ...selection, revision }, handler, seen, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isExpired(error)) {
        revision = undefined;
        continue;
      }
      log("debug", "a watch broke", { resource: ref.resource, error: String(error) });
      await pause(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures++), onConnected, signal);
    }
  }
}

/** One watch, to its regular end. `seen` gets the revision of each event. @throws ApiError, or when it breaks */
async function watchOnce(
  transport: ApiTransport,
  ref: ResourceRef,
  { namespace, fieldSelector, revision }: { namespace?: string; fieldSelector?: string; revision: string },
  handler: FeedHandler,
  seen: (revision: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const query: Record<string, string> = {
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: revision,
    timeoutSeconds: String(Math.round(WATCH_SECONDS * (1 + Math.random()))),
    ...(fieldSelector ? { fieldSelector } : {}),
  };
  const path = collectionPath(ref, namespace, query);
  const response = await transport({ method: "GET", path, headers: { accept: "application/json" }, signal });
  if (response.status !== 200) {
    await readAnswer(response);
    throw new Error(`the watch was answered with ${response.status}`);
  }
  for await (const event of watchEvents(response.body)) {
    if (event.type === "ERROR") throw new ApiError(event.object);
    apply(event.type, event.object, handler);
    seen(event.object.metadata.resourceVersion ?? revision);
  }
}

function apply(type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", object: KubeObject, handler: FeedHandler): void {
  if (type === "DELETED") handler.remove(object);
  else if (type !== "BOOKMARK") handler.upsert(object);
}

/** Waits with jitter, yet no longer than until the next connection is made. */
async function pause(ms: number, onConnected: FeedOptions["onConnected"], signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms / 2 + (ms / 2) * Math.random());
    let isFirst = true;
    const stopListening = onConnected(() => {
      // The present connection, if there is one, is told at once: it is the one that failed.
      if (!isFirst) done();
    });
    isFirst = false;
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
