import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientFor, type JsonClient } from "../harness/json-client.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";

const PATH = "/api/v1/namespaces/watch-lists/configmaps";
const WATCH_LIST = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";
const AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const AS_METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

interface Meta {
  name?: string;
  resourceVersion: string;
  annotations?: Record<string, string>;
}

interface WatchEvent {
  type: string;
  object: {
    kind: string;
    apiVersion: string;
    metadata: Meta;
    data?: object;
    columnDefinitions?: { name: string }[] | null;
    rows?: { cells: unknown[]; object: { kind: string; metadata: Meta } }[] | null;
  };
}

/** A watch's events, as they come. */
class EventStream {
  readonly events: WatchEvent[] = [];
  status: number | undefined;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(client: JsonClient, path: string, accept: string) {
    this.#done = this.#read(client, path, accept).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }

  /** The events up to the bookmark that ends the initial ones, that one included. */
  initial(): Promise<WatchEvent[]> {
    return waitFor("the end of the initial events", () => {
      const end = this.events.findIndex((event) => annotationsOf(event)[INITIAL_EVENTS_END] === "true");
      return end >= 0 && this.events.slice(0, end + 1);
    });
  }

  /** The events after the initial ones, bookmarks apart, once there are `count`. */
  async following(count: number): Promise<string[]> {
    const initial = (await this.initial()).length;
    return waitFor(`${count} events`, () => {
      const changes = this.events.slice(initial).filter(({ type }) => type !== "BOOKMARK");
      return changes.length >= count && changes.map(summary);
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #read(client: JsonClient, path: string, accept: string): Promise<void> {
    const response = await client.open("GET", path, undefined, this.#stop.signal, { accept });
    this.status = response.status;
    let rest = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.events.push(JSON.parse(line) as WatchEvent);
    }
  }
}

/** A Table's bookmark carries the annotation on its one row's object. */
const annotationsOf = ({ object }: WatchEvent) =>
  object.metadata.annotations ?? object.rows?.[0]?.object.metadata.annotations ?? {};

const summary = ({ type, object }: WatchEvent) =>
  `${type} ${object.metadata.name ?? object.rows?.[0]?.object.metadata.name}`;

/** A list asked for as a watch: what client-go's reflectors do since 1.35, kubectl's waits included (KEP-3157). */
export function describeWatchList(cluster: () => OwnCluster): void {
  let client: JsonClient;
  const open: EventStream[] = [];

  beforeAll(async () => {
    client = clientFor(cluster().kubeconfigFile, 20);
    await client.send("POST", "/api/v1/namespaces", JSON.stringify({ metadata: { name: "watch-lists" } }));
    for (const [name, set] of [
      ["a", "x"],
      ["b", "y"],
      ["c", "x"],
    ] as const) {
      await create(name, { set });
    }
    // The controller's ConfigMap would come at any time.
    await waitFor("the CA", () => client.send("GET", `${PATH}/kube-root-ca.crt`));
  });

  afterAll(async () => {
    await Promise.all(open.map((stream) => stream.stop()));
    await client?.close();
  });

  const create = (name: string, labels: Record<string, string>) =>
    client.send("POST", PATH, JSON.stringify({ metadata: { name, labels }, data: { k: "v" } }));

  async function patch(name: string, body: object): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    const response = await client.open("PATCH", `${PATH}/${name}`, JSON.stringify(body), undefined, headers);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }

  function watch(query: string, { accept = "application/json", path = PATH } = {}): EventStream {
    const stream = new EventStream(client, `${path}?${WATCH_LIST}&${query}`, accept);
    open.push(stream);
    return stream;
  }

  it("plain objects: each as ADDED, then a bookmark at a version no older than asked for", async () => {
    const list = JSON.parse(await client.send("GET", PATH)) as { metadata: Meta; items: { metadata: Meta }[] };
    const initial = await watch("").initial();
    expect(initial.map(summary)).toEqual([
      ...list.items.map(({ metadata }) => `ADDED ${metadata.name}`),
      "BOOKMARK undefined",
    ]);
    expect(initial[0]!.object).toEqual({ kind: "ConfigMap", apiVersion: "v1", ...list.items[0] });
    const { kind, apiVersion, metadata } = initial.at(-1)!.object;
    expect({ kind, apiVersion }).toEqual({ kind: "ConfigMap", apiVersion: "v1" });
    expect(metadata.annotations).toEqual({ [INITIAL_EVENTS_END]: "true" });
    expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(list.metadata.resourceVersion));
  });

  it("goes on after the bookmark with what changes", async () => {
    const stream = watch("labelSelector=goes%3Don");
    expect((await stream.initial()).map(summary)).toEqual(["BOOKMARK undefined"]);
    await create("going", { goes: "on" });
    await patch("going", { data: { k: "w" } });
    await client.send("DELETE", `${PATH}/going`);
    expect(await stream.following(3)).toEqual(["ADDED going", "MODIFIED going", "DELETED going"]);
  });

  it("PartialObjectMetadata: no data, and the bookmark in the same kind", async () => {
    const initial = await watch("labelSelector=set", { accept: AS_METADATA }).initial();
    expect(initial.map(summary)).toEqual(["ADDED a", "ADDED b", "ADDED c", "BOOKMARK undefined"]);
    for (const { object } of initial) {
      expect(object).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
      expect(object).not.toHaveProperty("data");
    }
    expect(initial.at(-1)!.object.metadata.annotations).toEqual({ [INITIAL_EVENTS_END]: "true" });
  });

  it("Tables: columns once, a row each, and a bookmark that kubectl knows", async () => {
    const stream = watch("labelSelector=set", { accept: AS_TABLE });
    const initial = await stream.initial();
    expect(initial.map(({ type, object }) => `${type} ${object.kind}`)).toEqual([
      ...Array<string>(3).fill("ADDED Table"),
      "BOOKMARK Table",
    ]);
    expect(initial[0]!.object.columnDefinitions?.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
    expect(initial[1]!.object.columnDefinitions).toBeNull();
    expect(initial.slice(0, 3).map(({ object }) => object.rows!.map(({ cells }) => cells.slice(0, 2)))).toEqual([
      [["a", 1]],
      [["b", 1]],
      [["c", 1]],
    ]);
    expect(initial[0]!.object.rows![0]!.object.kind).toBe("PartialObjectMetadata");
  });

  it("one name: by field selector and by path", async () => {
    for (const stream of [
      watch("fieldSelector=metadata.name%3Db"),
      watch("", { path: `/api/v1/watch${PATH.slice(7)}/b` }),
    ]) {
      expect((await stream.initial()).map(summary)).toEqual(["ADDED b", "BOOKMARK undefined"]);
    }
    const absent = watch("fieldSelector=metadata.name%3Dnothing");
    expect((await absent.initial()).map(summary)).toEqual(["BOOKMARK undefined"]);
  });

  it.each([
    { form: "plain objects", accept: "application/json" },
    { form: "Tables", accept: AS_TABLE },
    { form: "PartialObjectMetadata", accept: AS_METADATA },
  ])("objects enter and leave a selector as ADDED and DELETED: $form", async ({ accept }) => {
    const stream = watch("labelSelector=door%3Dopen", { accept });
    await stream.initial();
    const name = `visitor-${accept.length}`;
    await create(name, { door: "shut" });
    await patch(name, { metadata: { labels: { door: "open" } } });
    await patch(name, { data: { k: "w" } });
    await patch(name, { metadata: { labels: { door: "shut" } } });
    await patch(name, { data: { k: "x" } });
    await client.send("DELETE", `${PATH}/${name}`);
    await create(`${name}-last`, { door: "open" });
    expect(await stream.following(4)).toEqual([
      `ADDED ${name}`,
      `MODIFIED ${name}`,
      `DELETED ${name}`,
      `ADDED ${name}-last`,
    ]);
  });

  it("a Pod enters and leaves a field selector as its phase changes", async () => {
    const pods = "/api/v1/namespaces/watch-lists/pods";
    const stream = watch("fieldSelector=status.phase%3DRunning", { path: pods });
    await stream.initial();
    await client.send("POST", "/api/v1/namespaces/watch-lists/serviceaccounts", '{"metadata":{"name":"pods"}}');
    const spec = { serviceAccountName: "pods", containers: [{ name: "main", image: "app:1" }] };
    await client.send("POST", pods, JSON.stringify({ metadata: { name: "phased" }, spec }));
    for (const phase of ["Running", "Succeeded"]) {
      const response = await client.open(
        "PATCH",
        `${pods}/phased/status`,
        JSON.stringify({ status: { phase } }),
        undefined,
        { "content-type": "application/merge-patch+json" },
      );
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    const seen = await waitFor("its leave", async () => {
      const events = await stream.following(2);
      return events.includes("DELETED phased") && events;
    });
    // The scheduler writes too, at any time.
    expect(seen.filter((event) => event !== "MODIFIED phased")).toEqual(["ADDED phased", "DELETED phased"]);
  });

  it("from a version on: the whole state all the same", async () => {
    const { metadata } = JSON.parse(await client.send("GET", `${PATH}/c`)) as { metadata: Meta };
    const initial = await watch(`labelSelector=set&resourceVersion=${metadata.resourceVersion}`).initial();
    expect(initial.map(summary)).toEqual(["ADDED a", "ADDED b", "ADDED c", "BOOKMARK undefined"]);
  });

  describe("refuses", () => {
    it.each([
      {
        name: "initial events without a match",
        query: "watch=true&sendInitialEvents=true&allowWatchBookmarks=true",
        want: "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
      },
      {
        name: "a match without initial events",
        query: "watch=true&resourceVersionMatch=NotOlderThan",
        want: "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      },
      {
        name: "initial events of a list",
        query: "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1",
        want: "sendInitialEvents is forbidden for list",
      },
      {
        name: "an exact match",
        query: "watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
        want: "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
      },
    ])("$name", async ({ query, want }) => {
      const response = await client.open("GET", `${PATH}?${query}`);
      const status = (await response.json()) as { reason: string; message: string };
      expect({ code: response.status, reason: status.reason }).toEqual({ code: 422, reason: "Invalid" });
      expect(status.message).toContain(want);
    });
  });
}
