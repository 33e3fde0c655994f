import type { Env } from "../../env.ts";
import { openList, openWatch } from "../index.ts";
import { encodeStored } from "../../../shared/api/stored-object.ts";

export { Recorder, ResourceStore, SecondRecorder } from "./worker.ts";

const TYPE_META = { apiVersion: "v1", kind: "Pod" };

/** Runs one measurement inside the runtime, as a Worker sees the store; answers with figures. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const number = (name: string) => Number(url.searchParams.get(name));
    const store = env.STORES.getByName(url.searchParams.get("store")!);
    switch (url.pathname) {
      case "/create":
        return Response.json(
          await createAll(store, number("from"), number("count"), number("clients"), number("bytes")),
        );
      case "/get":
        return Response.json(await getAll(store, number("count"), number("clients")));
      case "/list":
        return await list(store);
      case "/names":
        return Response.json(await names(store));
      case "/watch":
        return Response.json(await watch(store, number("watchers"), number("count"), number("bytes")));
      default:
        return new Response("no such measurement", { status: 404 });
    }
  },
} satisfies ExportedHandler<Env>;

type Store = ReturnType<Env["STORES"]["getByName"]>;

async function createAll(store: Store, from: number, count: number, clients: number, bytes: number) {
  const latenciesMs: number[] = [];
  let next = from;
  const client = async () => {
    while (next < from + count) {
      const started = performance.now();
      await create(store, `pod-${next++}`, bytes);
      latenciesMs.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return figures(latenciesMs, performance.now() - started);
}

async function create(store: Store, name: string, bytes: number) {
  const metadata = { name, namespace: "default", uid: crypto.randomUUID(), labels: { app: "web" } };
  const value = encodeStored({ metadata, spec: { nodeName: "n1", filler: "x".repeat(bytes) } });
  const attributes = { labels: metadata.labels, fields: { "spec.nodeName": "n1" } };
  const result = await store.write({ op: "create", key: `default/${name}`, uid: metadata.uid, value, attributes });
  if (!result.ok) throw new Error(`create ${name}: ${result.reason}`);
}

async function getAll(store: Store, count: number, clients: number) {
  const latenciesMs: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < count) {
      const started = performance.now();
      await store.get(`default/pod-${next++}`);
      latenciesMs.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return figures(latenciesMs, performance.now() - started);
}

/** Passed on as the API server does, without a look inside. */
async function list(store: Store): Promise<Response> {
  const opened = await openList(store, { typeMeta: { apiVersion: "v1", kind: "PodList" } });
  if (!opened.ok) throw new Error(opened.reason);
  return new Response(opened.body);
}

async function names(store: Store) {
  const names: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await store.list({ after });
    if (!page.ok) throw new Error(page.reason);
    names.push(...page.items.map(({ key }) => key));
    if (page.next === undefined) return { revision: page.revision, names };
    after = page.next;
  }
}

async function watch(store: Store, watchers: number, count: number, bytes: number) {
  const revision = await store.currentRevision();
  const latenciesMs: number[] = [];
  const sentAt = new Map<string, number>();
  const read = async (frames: ReadableStream<string>) => {
    let seen = 0;
    for await (const frame of frames) {
      for (const [, name] of frame.matchAll(/"name":"(watched-[^"]*)"/g)) {
        latenciesMs.push(performance.now() - sentAt.get(name!)!);
        if (++seen === count) return;
      }
    }
  };
  const open = async () => {
    const watch = await openWatch(store, { revision, typeMeta: TYPE_META });
    if (!watch.ok) throw new Error(watch.reason);
    return watch.frames;
  };
  const streams = await Promise.all(Array.from({ length: watchers }, open));
  const readers = streams.map(read);
  const started = performance.now();
  for (let index = 0; index < count; index++) {
    const name = `watched-${revision}-${index}`;
    sentAt.set(name, performance.now());
    await create(store, name, bytes);
  }
  await Promise.all(readers);
  return figures(latenciesMs, performance.now() - started);
}

function figures(latenciesMs: number[], totalMs: number) {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const at = (quantile: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))]!;
  return { perSecond: (sorted.length / totalMs) * 1000, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1)! };
}
