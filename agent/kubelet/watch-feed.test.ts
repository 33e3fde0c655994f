import { describe, expect, it } from "vitest";
import { PODS } from "../../shared/api/refs.ts";
import type { ApiTransport } from "../../shared/client/api-client.ts";
import { createApiClient } from "../../shared/client/http-client.ts";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import { createWatchFeed } from "./watch-feed.ts";

const pod = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });
const event = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;

/** Answers each request with the next of these texts, or breaks where one is an error; keeps what was asked. */
function serve(answers: (string | Error)[]) {
  const asked: string[] = [];
  const transport: ApiTransport = async ({ path }) => {
    const query = new URL(path, "http://api").searchParams;
    asked.push(query.get("watch") ? `watch ${query.get("resourceVersion")}` : "list");
    const answer = answers.shift();
    if (answer === undefined) return new Promise(() => {});
    if (answer instanceof Error) throw answer;
    return { status: 200, headers: {}, body: new Response(answer).body! };
  };
  return { asked, transport };
}

async function follow(answers: (string | Error)[]): Promise<{ asked: string[]; told: string[] }> {
  const { asked, transport } = serve(answers);
  const clock = new FakeClock();
  const told: string[] = [];
  const stop = new AbortController();
  createWatchFeed({ api: createApiClient(transport), transport, clock, log: () => {} })(
    PODS,
    { fieldSelector: "spec.nodeName=n1" },
    {
      replace: (pods) => told.push(`replace ${pods.map(({ metadata }) => metadata.name)}`),
      upsert: ({ metadata }) => told.push(`upsert ${metadata.name}`),
      remove: ({ metadata }) => told.push(`remove ${metadata.name}`),
    },
    stop.signal,
  );
  for (let round = 0; round < 20; round += 1) await clock.advance(1_000);
  stop.abort();
  return { asked, told };
}

const LIST = JSON.stringify({ metadata: { resourceVersion: "5" }, items: [pod("a", "3")] });
const GONE = event("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" });

describe("createWatchFeed", () => {
  it.each([
    {
      name: "lists, then watches from there",
      answers: [LIST, event("ADDED", pod("b", "6")) + event("DELETED", pod("a", "7"))],
      asked: ["list", "watch 5", "watch 7"],
      told: ["replace a", "upsert b", "remove a"],
    },
    {
      name: "goes on from a bookmark when the server ends the watch",
      answers: [LIST, event("BOOKMARK", pod("", "42"))],
      asked: ["list", "watch 5", "watch 42"],
      told: ["replace a"],
    },
    {
      name: "goes on from the last revision after a break",
      answers: [LIST, event("MODIFIED", pod("a", "6")), new Error("tunnel is down"), ""],
      asked: ["list", "watch 5", "watch 6", "watch 6", "watch 6"],
      told: ["replace a", "upsert a"],
    },
    {
      name: "lists anew when the revision is gone",
      answers: [LIST, GONE, LIST],
      asked: ["list", "watch 5", "list", "watch 5"],
      told: ["replace a", "replace a"],
    },
    {
      name: "waits for an API that is away",
      answers: [new Error("tunnel is down"), new Error("tunnel is down"), LIST],
      asked: ["list", "list", "list", "watch 5"],
      told: ["replace a"],
    },
  ])("$name", async ({ answers, asked, told }) => expect(await follow(answers)).toEqual({ asked, told }));
});
