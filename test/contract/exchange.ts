import type { JsonObject } from "../../shared/api/json.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import type { JsonClient } from "../harness/json-client.ts";

/** What came back, read as JSON. */
export interface Exchange {
  code: number;
  body: Answer;
}

/** An object, list, Status or Table: a test knows which it asked for. */
export type Answer = KubeObject & {
  items: KubeObject[];
  message: string;
  reason: string;
  details: JsonObject;
  columnDefinitions: { name: string }[];
  rows: { cells: unknown[]; object: KubeObject }[];
};

const AS = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
export const TABLE = { accept: AS("Table") };
export const PARTIAL = { accept: AS("PartialObjectMetadata") };
export const PARTIAL_LIST = { accept: AS("PartialObjectMetadataList") };

/** The API, asked as a client does that knows no kinds. */
export class Api {
  readonly #client: JsonClient;

  constructor(client: JsonClient) {
    this.#client = client;
  }

  async send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Exchange> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await this.#client.open(method, path, text, undefined, headers);
    return { code: response.status, body: (await response.json()) as Answer };
  }

  /** @param type `json`, `merge`, `strategic-merge`; `apply` is YAML's */
  patch(path: string, type: string, body: unknown): Promise<Exchange> {
    const format = type === "apply" ? "yaml" : "json";
    return this.send("PATCH", path, body, { "content-type": `application/${type}-patch+${format}` });
  }

  /** Watches until stopped; `events` fills up by itself. */
  async watch(path: string): Promise<Watch> {
    const abort = new AbortController();
    const response = await this.#client.open("GET", path, undefined, abort.signal);
    const events: WatchEvent[] = [];
    void readEvents(response.body as AsyncIterable<Uint8Array>, events).catch(() => {
      // Aborted, by us.
    });
    return { code: response.status, events, stop: () => abort.abort() };
  }
}

export interface WatchEvent {
  type: string;
  object: KubeObject;
}

export interface Watch {
  code: number;
  events: WatchEvent[];
  stop(): void;
}

async function readEvents(body: AsyncIterable<Uint8Array>, events: WatchEvent[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line !== "") events.push(JSON.parse(line) as WatchEvent);
  }
}
