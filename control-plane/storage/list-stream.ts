import { renderStored } from "../../shared/api/stored-object.ts";
import type { Key, ListRequest } from "./interface.ts";
import type { Snapshot } from "./snapshot.ts";

/** Large enough to make the cost of a chunk small, small enough to hold many streams in memory. */
const CHUNK_CHARS = 256 * 1024;

/** A list in one piece: no pages, so that its head can be sent first. */
export type StreamedListRequest = Omit<ListRequest, "limit"> & {
  typeMeta: { apiVersion: string; kind: string };
};

/**
 * The body of a Kubernetes List at one revision, made as it is read. Writes go on meanwhile; it breaks off with an
 * error if they go so far that the revision is compacted before the end.
 * @param snapshotAt gives the snapshot anew for each chunk; throws once it is compacted
 */
export function streamList(
  request: StreamedListRequest,
  revision: number,
  snapshotAt: (revision: number) => Snapshot,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after: Key | undefined = request.after;
  let text = renderListHead(request.typeMeta, revision);
  let separator = "";
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        for (const { key, revision: itemRevision, value } of snapshotAt(revision).select(request, after)) {
          text += separator + renderStored(value, itemRevision, undefined);
          separator = ",";
          if (text.length < CHUNK_CHARS) continue;
          after = key;
          controller.enqueue(encoder.encode(text));
          text = "";
          return;
        }
        controller.enqueue(encoder.encode(`${text}]}\n`));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function renderListHead({ kind, apiVersion }: StreamedListRequest["typeMeta"], revision: number): string {
  const head = JSON.stringify({ kind, apiVersion, metadata: { resourceVersion: String(revision) } });
  return `${head.slice(0, -1)},"items":[`;
}
