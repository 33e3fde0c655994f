import { env } from "cloudflare:test";
import type { KubeObject, ObjectMeta } from "../../../shared/api/object.ts";
import type { StatusDetails } from "../../../shared/api/status.ts";
import type { UserInfo } from "../attributes.ts";
import { serveApi } from "../index.ts";

export const ADMIN: UserInfo = { username: "admin", groups: ["system:masters", "system:authenticated"] };

/** Whatever an answer holds: an object, a list, a Status. Only in tests is it taken at its word. */
export interface Body {
  metadata: ObjectMeta & { continue?: string; remainingItemCount?: number };
  items: KubeObject[];
  message: string;
  reason: string;
  details: StatusDetails;
  [field: string]: unknown;
}

export interface Reply {
  code: number;
  body: Body;
  text: string;
  warnings: string | null;
}

/** A cluster of its own for each test, spoken to as a client does, save for authentication. */
export function testApi(cluster: string = crypto.randomUUID().slice(0, 8), user: UserInfo = ADMIN) {
  const pending: Promise<unknown>[] = [];
  async function fetch(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const request = new Request(`https://api${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    return serveApi(request, {
      env: env as never,
      cluster,
      user,
      waitUntil: (promise) => void pending.push(promise),
    });
  }
  async function call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    const response = await fetch(method, path, body, headers);
    const text = await response.text();
    let parsed: unknown = text;
    try {
      parsed = JSON.parse(text);
    } catch {
      // Not every answer is JSON.
    }
    return { code: response.status, body: parsed as Body, text, warnings: response.headers.get("warning") };
  }
  return {
    cluster,
    fetch,
    call,
    as: (other: UserInfo) => testApi(cluster, other),
    get: (path: string, headers?: Record<string, string>) => call("GET", path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) => call("POST", path, body, headers),
    put: (path: string, body: unknown) => call("PUT", path, body),
    patch: (path: string, body: unknown, type = "application/merge-patch+json") =>
      call("PATCH", path, body, { "content-type": type }),
    delete: (path: string, body?: unknown) => call("DELETE", path, body),
  };
}

export interface TestEvent {
  type: string;
  object: Body;
}

/** Reads watch events until there are so many, then lets go of the watch. */
export async function watchEvents(response: Response, count: number): Promise<TestEvent[]> {
  const events: TestEvent[] = [];
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (events.length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    const lines = text.split("\n");
    text = lines.pop()!;
    for (const line of lines) if (line) events.push(JSON.parse(line));
  }
  await reader.cancel();
  return events;
}
