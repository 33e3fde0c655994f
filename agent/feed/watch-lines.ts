import type { KubeObject } from "../../shared/api/object.ts";
import type { Status } from "../../shared/api/status.ts";

/** One line of a watch's answer. */
export type WatchEvent =
  | { type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; object: KubeObject }
  | { type: "ERROR"; object: Status };

/** The store takes objects up to 1.5 MiB; a line is that and its envelope. */
const MAX_LINE_CHARS = 4 * 1024 * 1024;

/** The events of a watch's body, as they come. @throws when the body breaks, or holds what is no event */
export async function* watchEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<WatchEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARS) throw new Error("an event of the watch is too long");
    for (const line of lines) if (line !== "") yield JSON.parse(line) as WatchEvent;
  }
}
