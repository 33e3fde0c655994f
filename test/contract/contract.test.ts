import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../shared/api/json.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { RESOURCES, type ResourceFacts } from "../../shared/schema/index.ts";
import { clientFor, type JsonClient } from "../harness/json-client.ts";
import { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor as waitLong } from "../harness/wait-for.ts";
import { Api, PARTIAL, PARTIAL_LIST, TABLE, type Watch } from "./exchange.ts";
import { ROWS, type Row } from "./rows.ts";
import { SUBRESOURCE_ROWS } from "./subresource-rows.ts";
import { VIRTUAL_ROWS } from "./virtual-rows.ts";

/*
 * Every kind keeps the same contract with its clients: what each verb answers, what it leaves behind, and what it says
 * when it refuses. A kind's rules of its own are tested elsewhere.
 */

const NAMESPACE = "contract";
const CREATOR = "fieldManager=creator";
const nameOf = ({ group, version, resource }: ResourceFacts) => `${group}/${version}/${resource}`;
const stored = RESOURCES.filter(({ virtual }) => !virtual);
const virtual = RESOURCES.filter((facts) => facts.virtual);

/** Controllers answer within a second; a kind that never does must not hold up the rest. */
const waitFor = (what: string, ask: () => Promise<boolean> | boolean) => waitLong(what, ask, { timeoutMs: 20_000 });

let cluster: OwnCluster;
let client: JsonClient;
let api: Api;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  client = clientFor(cluster.kubeconfigFile, 4);
  api = new Api(client);
  await api.send("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`;
  await waitFor("the namespace's service account", async () => (await api.send("GET", account)).code === 200);
});

afterAll(async () => {
  await client?.close();
  await cluster?.remove();
});

it("the tables have a row for every kind, and no other", () => {
  expect(Object.keys(ROWS).sort()).toEqual(stored.map(nameOf).sort());
  expect(Object.keys(VIRTUAL_ROWS).sort()).toEqual(virtual.map(nameOf).sort());
});

/** What the tests below do with every kind that has the verb. */
const VERBS = new Set(["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]);
const SUBRESOURCE_VERBS = new Set(["create", "delete", "get", "patch", "update"]);

const METHODS = { create: "POST", delete: "DELETE", get: "GET", patch: "PATCH", update: "PUT" } as const;

interface Discovered {
  items: {
    metadata: { name?: string };
    versions: {
      version: string;
      resources: { resource: string; verbs: string[]; subresources?: { subresource: string; verbs: string[] }[] }[];
    }[];
  }[];
}

it("the tables have all that discovery tells of, with every verb", async () => {
  const accept = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };
  const kinds: string[] = [];
  const subresources: string[] = [];
  for (const root of ["/api", "/apis"]) {
    const { body } = await api.send("GET", root, undefined, accept);
    for (const { metadata, versions } of (body as unknown as Discovered).items)
      for (const { version, resources } of versions)
        for (const { resource, verbs, subresources: parts = [] } of resources) {
          const kind = `${metadata.name ?? ""}/${version}/${resource}`;
          kinds.push(kind);
          expect({ kind, missing: verbs.filter((verb) => !VERBS.has(verb)) }).toEqual({ kind, missing: [] });
          for (const { subresource, verbs: own } of parts) {
            const part = `${kind}/${subresource}`;
            if (subresource === "status") continue;
            subresources.push(part);
            expect({ part, missing: own.filter((verb) => !SUBRESOURCE_VERBS.has(verb)) }).toEqual({
              part,
              missing: [],
            });
          }
        }
  }
  expect(kinds.sort()).toEqual([...Object.keys(ROWS), ...Object.keys(VIRTUAL_ROWS)].sort());
  expect(subresources.sort()).toEqual(Object.keys(SUBRESOURCE_ROWS).sort());
});

const parts = stored.flatMap((facts) =>
  facts.subresources
    .filter(({ name }) => name !== "status")
    .map((part) => ({ key: `${nameOf(facts)}/${part.name}`, facts, part })),
);

describe.each(parts)("$key", ({ key, facts, part }) => {
  const row = SUBRESOURCE_ROWS[key] ?? {};
  const root = facts.group === "" ? "/api/v1" : `/apis/${facts.group}/${facts.version}`;
  const collection = `${root}/${facts.namespaced ? `namespaces/${NAMESPACE}/` : ""}${facts.resource}`;
  const path = `${collection}/contract-sub`;
  const at = `${path}/${part.name}`;
  const apiVersion = facts.group === "" ? facts.version : `${facts.group}/${facts.version}`;

  beforeAll(async () => {
    const body = { apiVersion, kind: facts.kind, ...ROWS[nameOf(facts)]!.body, metadata: { name: "contract-sub" } };
    expect((await api.send("POST", collection, body)).body.message).toBe(undefined);
  });
  afterAll(async () => {
    await api.send("DELETE", `${path}?gracePeriodSeconds=0`);
    await waitFor(`${path} to be gone`, async () => (await api.send("GET", path)).code === 404);
  });

  const hasVerb = (verb: keyof typeof METHODS) => part.verbs.includes(verb);

  it.runIf(row.refused)("is refused where there is no node", async () => {
    const methods = part.verbs.map((verb) => METHODS[verb as keyof typeof METHODS]);
    for (const method of new Set(["GET", ...methods])) {
      const answer = await client.open(method, `${at}${row.below ?? ""}?command=x&container=main`);
      const text = await answer.text();
      expect({ method, code: answer.status }).toEqual({ method, code: row.refused!.code });
      if (row.refused!.message) expect(JSON.parse(text)).toMatchObject({ message: row.refused!.message });
      else expect(text).toBe("");
    }
  });

  it.runIf(hasVerb("get") && !row.refused)("get gives its kind", async () =>
    expect(await api.send("GET", at)).toMatchObject({
      code: 200,
      body: { kind: part.kind, metadata: { name: "contract-sub" } },
    }),
  );

  it.runIf(hasVerb("update") && !row.refused)("update takes what was got, and an old version not", async () => {
    await waitFor("an update that nobody comes before", async () => {
      const { body } = await api.send("GET", hasVerb("get") ? at : path);
      const updated = await api.send("PUT", at, body);
      if (updated.code === 409) return false;
      expect(updated).toMatchObject({ code: 200, body: { kind: part.kind } });
      return true;
    });
    const { body } = await api.send("GET", hasVerb("get") ? at : path);
    const stale = { ...body, metadata: { ...body.metadata, resourceVersion: "1" } };
    expect(await api.send("PUT", at, stale)).toMatchObject({ code: 409, body: { reason: "Conflict" } });
  });

  it.runIf(hasVerb("patch") && !row.refused)("patch changes what it is for", async () => {
    const dry = await api.patch(`${at}?dryRun=All`, "strategic-merge", row.patch);
    expect(dry.body.message).toBe(undefined);
    expect(dry).toMatchObject({ code: 200, body: { kind: part.kind } });
    expect(await api.patch(at, "strategic-merge", row.patch)).toMatchObject({ code: 200, body: row.patch! });
  });

  it.runIf(hasVerb("create") && !row.refused)("create answers as it does", async () => {
    const body = { ...row.create!.body, metadata: { name: "contract-sub" } };
    const dry = await api.send("POST", `${at}?dryRun=All`, body);
    expect(dry).toMatchObject({ code: 201, body: row.create!.answer });
    expect(await api.send("POST", at, body)).toMatchObject({ code: 201, body: row.create!.answer });
  });

  it("refuses the verbs that it does not have", async () => {
    for (const [verb, method] of Object.entries(METHODS)) {
      if (hasVerb(verb as keyof typeof METHODS)) continue;
      const answer = await api.send(method, at, method === "GET" ? undefined : {});
      expect({ verb, code: answer.code, reason: answer.body.reason }).toEqual({
        verb,
        code: 405,
        reason: "MethodNotAllowed",
      });
    }
  });
});

it("a row says what a status is, where there is one", () => {
  for (const facts of stored) {
    const hasStatus = facts.subresources.some(({ name }) => name === "status");
    expect([nameOf(facts), ROWS[nameOf(facts)]?.status !== undefined]).toEqual([nameOf(facts), hasStatus]);
  }
});

describe.each(stored.map((facts) => ({ kind: nameOf(facts), facts })))("$kind", ({ kind, facts }) => {
  const row = ROWS[kind] ?? { body: {} };
  const names = row.names ?? ["contract-a", "contract-b", "contract-c"];
  const root = facts.group === "" ? "/api/v1" : `/apis/${facts.group}/${facts.version}`;
  const collection = `${root}/${facts.namespaced ? `namespaces/${NAMESPACE}/` : ""}${facts.resource}`;
  const path = `${collection}/${names[0]}`;
  const label = `contract=${facts.resource}-${facts.version}-${facts.group.split(".")[0] || "core"}`;
  const apiVersion = facts.group === "" ? facts.version : `${facts.group}/${facts.version}`;
  const printed = facts.group === "" ? facts.resource : `${facts.resource}.${facts.group}`;
  const object = (at: 0 | 1 | 2): JsonObject => ({
    apiVersion,
    kind: facts.kind,
    metadata: { name: names[at], labels: Object.fromEntries([label.split("=")]) as Record<string, string> },
    ...(row.bodies?.[at] ?? row.body),
  });
  const failure = (code: number, reason: string, message: string) => ({
    code,
    body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message },
  });
  const mark = (value: string) => ({ metadata: { annotations: { mark: value } } });
  const read = async () => (await api.send("GET", path)).body;
  const isGone = async (name: string) => (await api.send("GET", `${collection}/${name}`)).code === 404;
  let first: KubeObject;
  let watch: Watch;

  it("is not there at first", async () => {
    expect(await api.send("GET", path)).toMatchObject(failure(404, "NotFound", `${printed} "${names[0]}" not found`));
    expect(await api.patch(path, "merge", mark("x"))).toMatchObject({ code: 404, body: { reason: "NotFound" } });
    expect(await api.send("DELETE", path)).toMatchObject({ code: 404, body: { reason: "NotFound" } });
    const { resourceVersion } = (await api.send("GET", collection)).body.metadata;
    watch = await api.watch(
      `${collection}?watch=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name=${names[0]}`,
    );
    expect(watch.code).toBe(200);
  });

  it("a dry run creates nothing", async () => {
    const dry = await api.send("POST", `${collection}?dryRun=All`, object(0));
    expect(dry).toMatchObject({ code: 201, body: { metadata: { name: names[0] } } });
    expect(dry.body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await isGone(names[0])).toBe(true);
  });

  it("create gives it an identity and says who owns its fields", async () => {
    const created = await api.send("POST", `${collection}?${CREATOR}`, object(0));
    expect(created.body.message).toBe(undefined);
    expect(created).toMatchObject({ code: 201, body: { kind: facts.kind, apiVersion, metadata: { name: names[0] } } });
    first = created.body;
    const { metadata } = first;
    expect(metadata.namespace).toBe(facts.namespaced ? NAMESPACE : undefined);
    expect(metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
    expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(metadata.generation).toBe(row.generation ? 1 : undefined);
    expect(metadata.managedFields).toMatchObject([
      { manager: "creator", operation: "Update", apiVersion, fieldsType: "FieldsV1" },
    ]);
    expect(metadata).not.toHaveProperty("selfLink");
  });

  it("create refuses a name that is taken", async () =>
    expect(await api.send("POST", collection, object(0))).toMatchObject(
      failure(409, "AlreadyExists", `${printed} "${names[0]}" already exists`),
    ));

  it("create refuses what is of another kind", async () =>
    expect(await api.send("POST", collection, { ...object(1), kind: "Nothing" })).toMatchObject({
      code: 400,
      body: { reason: "BadRequest" },
    }));

  it("get gives it", async () => {
    const got = await api.send("GET", path);
    expect(got).toMatchObject({
      code: 200,
      body: { kind: facts.kind, apiVersion, metadata: { uid: first.metadata.uid } },
    });
  });

  it("list selects it by label and by name", async () => {
    for (const selector of [`labelSelector=${label}`, `fieldSelector=metadata.name%3D${names[0]}`]) {
      const list = await api.send("GET", `${collection}?${selector}`);
      expect(list).toMatchObject({ code: 200, body: { kind: `${facts.kind}List`, apiVersion } });
      expect(list.body.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(list.body.items.map(({ metadata }) => metadata.name)).toEqual([names[0]]);
      expect(list.body.items[0]).not.toHaveProperty("kind");
    }
    for (const selector of ["labelSelector=contract=none", `fieldSelector=metadata.name=${names[1]}`]) {
      expect((await api.send("GET", `${collection}?${selector}`)).body.items).toEqual([]);
    }
    const everywhere = await api.send("GET", `${root}/${facts.resource}?labelSelector=${label}`);
    expect(everywhere.body.items.map(({ metadata }) => metadata.name)).toEqual([names[0]]);
    expect(await api.send("GET", `${collection}?fieldSelector=metadata.colour=red`)).toMatchObject({ code: 400 });
  });

  it("Tables and partial metadata of it", async () => {
    for (const from of [path, `${collection}?labelSelector=${label}`]) {
      const table = await api.send("GET", from, undefined, TABLE);
      expect(table).toMatchObject({ code: 200, body: { kind: "Table", apiVersion: "meta.k8s.io/v1" } });
      expect(table.body.columnDefinitions[0]?.name).toBe(row.firstColumn ?? "Name");
      expect(table.body.rows).toMatchObject([
        { object: { kind: "PartialObjectMetadata", metadata: { name: names[0] } } },
      ]);
      expect(table.body.rows[0]?.cells).toHaveLength(row.cells ?? table.body.columnDefinitions.length);
    }
    const partial = await api.send("GET", path, undefined, PARTIAL);
    expect(partial.body).toMatchObject({ kind: "PartialObjectMetadata", metadata: { uid: first.metadata.uid } });
    expect(Object.keys(partial.body).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    const list = await api.send("GET", `${collection}?labelSelector=${label}`, undefined, PARTIAL_LIST);
    expect(list.body).toMatchObject({ kind: "PartialObjectMetadataList", items: [{ metadata: { name: names[0] } }] });
  });

  it.runIf(row.change)("a change counts as the kind counts", async () => {
    const before = await read();
    const changed = await api.patch(path, "merge", row.change);
    expect(changed).toMatchObject({ code: 200, body: withoutBareValues(row.change!) });
    expect(changed.body.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    const { generation } = before.metadata;
    const counted = row.generation ? generation! + 1 : generation;
    expect(changed.body.metadata.generation).toBe(row.changedGeneration ?? counted);
  });

  it("update takes the latest version only", async () => {
    const stale = await read();
    expect(await api.patch(path, "merge", mark("newer"))).toMatchObject({ code: 200 });
    expect(
      await api.send("PUT", path, {
        ...stale,
        ...mark("stale"),
        metadata: { ...stale.metadata, ...mark("stale").metadata },
      }),
    ).toMatchObject(
      failure(
        409,
        "Conflict",
        `Operation cannot be fulfilled on ${printed} "${names[0]}": the object has been modified; please apply your changes to the latest version and try again`,
      ),
    );
    await waitFor("an update that nobody comes before", async () => {
      const latest = await read();
      latest.metadata.annotations = { mark: "updated" };
      const updated = await api.send("PUT", path, latest);
      if (updated.code === 409) return false;
      expect(updated).toMatchObject({ code: 200, body: mark("updated") });
      return true;
    });
  });

  it("update refuses another name and another UID", async () => {
    const latest = await read();
    const renamed = { ...latest, metadata: { ...latest.metadata, name: names[1] } };
    expect(await api.send("PUT", path, renamed)).toMatchObject(
      failure(
        400,
        "BadRequest",
        `the name of the object (${names[1]}) does not match the name on the URL (${names[0]})`,
      ),
    );
    const uid = "00000000-0000-4000-8000-000000000000";
    const other = await api.send("PUT", path, { ...latest, metadata: { ...latest.metadata, uid } });
    expect(other).toMatchObject({ code: 409, body: { reason: "Conflict" } });
    expect(other.body.message).toContain(
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${first.metadata.uid}`,
    );
  });

  it.each([
    ["json", [{ op: "add", path: "/metadata/annotations/mark", value: "json" }]],
    ["merge", mark("merge")],
    ["strategic-merge", mark("strategic-merge")],
  ])("patch: %s", async (type, patch) => {
    expect(await api.patch(path, type, patch)).toMatchObject({ code: 200, body: mark(type) });
    const before = await read();
    const dry = await api.patch(`${path}?dryRun=All`, "merge", mark("dry"));
    expect(dry).toMatchObject({ code: 200, body: mark("dry") });
    expect((await read()).metadata.annotations).toEqual(before.metadata.annotations);
  });

  it("server-side apply owns what it names, and repeats without an effect", async () => {
    const applied = { apiVersion, kind: facts.kind, metadata: { name: names[0], annotations: { applied: "1" } } };
    const at = `${path}?fieldManager=applier`;
    const once = await api.patch(at, "apply", applied);
    expect(once).toMatchObject({ code: 200, body: { metadata: { annotations: { applied: "1" } } } });
    expect(once.body.metadata.managedFields?.find(({ manager }) => manager === "applier")).toMatchObject({
      operation: "Apply",
      apiVersion,
      fieldsV1: { "f:metadata": { "f:annotations": { "f:applied": {} } } },
    });
    await waitFor("an apply that nobody comes before", async () => {
      const before = await read();
      const again = await api.patch(at, "apply", applied);
      expect(again.code).toBe(200);
      const after = await read();
      return after.metadata.resourceVersion === before.metadata.resourceVersion;
    });
    expect(
      await api.patch(`${path}?fieldManager=rival`, "apply", {
        ...applied,
        metadata: { name: names[0], annotations: { applied: "2" } },
      }),
    ).toMatchObject(
      failure(409, "Conflict", 'Apply failed with 1 conflict: conflict with "applier": .metadata.annotations.applied'),
    );
    const given = await api.patch(at, "apply", { apiVersion, kind: facts.kind, metadata: { name: names[0] } });
    expect(given.body.metadata.annotations).not.toHaveProperty("applied");
    expect(given.body.metadata.managedFields?.some(({ manager }) => manager === "applier")).toBe(false);
  });

  it.runIf(row.status)("status and the rest are written apart", async () => {
    const own = await api.patch(path, "merge", { status: row.status });
    expect(own.code).toBe(200);
    expect(holds(own.body["status"], row.status)).toBe(false);
    const wide = await api.patch(`${path}/status?fieldManager=reporter`, "merge", {
      ...mark("status"),
      ...undoing(row),
      status: row.status,
    });
    expect(wide).toMatchObject({ code: 200, body: { kind: facts.kind } });
    expect(wide.body["status"]).toMatchObject(row.status!);
    if (row.change) expect(wide.body).toMatchObject(withoutBareValues(row.change));
    expect(await api.send("GET", `${path}/status`)).toMatchObject({
      code: 200,
      body: { kind: facts.kind, metadata: { uid: first.metadata.uid } },
    });
  });

  it("a dry run deletes nothing", async () => {
    expect(await api.send("DELETE", `${path}?dryRun=All`)).toMatchObject({ code: 200 });
    const still = await read();
    expect(still.metadata.uid).toBe(first.metadata.uid);
    expect(still.metadata.deletionTimestamp).toBeUndefined();
  });

  it("delete heeds its precondition, and answers as the kind does", async () => {
    const uid = "00000000-0000-4000-8000-000000000000";
    const refused = await api.send("DELETE", path, { preconditions: { uid } });
    expect(refused).toMatchObject({ code: 409, body: { reason: "Conflict" } });
    expect(refused.body.message).toContain(`the UID in the precondition (${uid}) does not match the UID in record`);
    const deleted = await api.send("DELETE", `${path}?propagationPolicy=Background`);
    expect(deleted.code).toBe(200);
    const hasObject = deleted.body.kind === facts.kind;
    // An object that only waits for its finalizers is given back, whatever the kind.
    const isWaiting = hasObject && deleted.body.metadata.deletionTimestamp !== undefined;
    if (row.deleteGivesObject || isWaiting)
      expect(deleted.body).toMatchObject({ metadata: { uid: first.metadata.uid } });
    else {
      expect(deleted.body).toMatchObject({ kind: "Status", status: "Success" });
      expect(deleted.body.details).toEqual({
        name: names[0],
        ...(facts.group === "" ? {} : { group: facts.group }),
        kind: facts.resource,
        uid: first.metadata.uid,
      });
    }
    await waitFor(`${names[0]} to be gone`, () => isGone(names[0]));
    expect(await api.send("GET", path)).toMatchObject(failure(404, "NotFound", `${printed} "${names[0]}" not found`));
  });

  it("a watch of its name has seen its whole life", async () => {
    await waitFor("the last event", () => watch.events.at(-1)?.type === "DELETED");
    watch.stop();
    const types = watch.events.map(({ type }) => type);
    expect(types[0]).toBe("ADDED");
    expect(new Set(types.slice(1, -1))).toEqual(new Set(["MODIFIED"]));
    expect(new Set(watch.events.map(({ object }) => object.metadata.uid))).toEqual(new Set([first.metadata.uid]));
    const versions = watch.events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  });

  it("deletecollection takes what the selector names", async () => {
    for (const at of [1, 2] as const) {
      const { code, body } = await api.send("POST", collection, object(at));
      expect({ code, message: body.message }).toEqual({ code: 201, message: undefined });
    }
    await api.patch(`${collection}/${names[2]}`, "merge", { metadata: { labels: { contract: "kept" } } });
    const answer = await api.send("DELETE", `${collection}?labelSelector=${label}`);
    if (facts.verbs.includes("deletecollection")) {
      expect(answer).toMatchObject({ code: 200, body: { kind: `${facts.kind}List` } });
      expect(answer.body.items.map(({ metadata }) => metadata.name)).toEqual([names[1]]);
      await waitFor(`${names[1]} to be gone`, () => isGone(names[1]));
      expect(await isGone(names[2])).toBe(false);
    } else expect(answer).toMatchObject({ code: 405, body: { reason: "MethodNotAllowed" } });
    for (const name of names.slice(1)) await api.send("DELETE", `${collection}/${name}`);
  });
});

describe.each(virtual.map((facts) => ({ kind: nameOf(facts), facts })))("$kind", ({ kind, facts }) => {
  const { body, needs, answer } = VIRTUAL_ROWS[kind] ?? {};
  const root = facts.group === "" ? "/api/v1" : `/apis/${facts.group}/${facts.version}`;
  const collection = `${root}/${facts.namespaced ? `namespaces/${NAMESPACE}/` : ""}${facts.resource}`;
  const apiVersion = facts.group === "" ? facts.version : `${facts.group}/${facts.version}`;

  it.runIf(facts.verbs.includes("create"))("answers a create at once", async () => {
    const metadata = { name: "contract" };
    if (needs) await api.send("POST", `/api/v1/namespaces/${NAMESPACE}/pods`, { ...needs, metadata });
    const named = facts.kind === "Binding" ? { metadata } : {};
    const got = await api.send("POST", collection, { apiVersion, kind: facts.kind, ...named, ...body });
    expect(got).toMatchObject({ code: 201, body: answer! });
  });

  it.runIf(facts.verbs.includes("list"))("is listed", async () =>
    expect(await api.send("GET", collection)).toMatchObject({ code: 200, body: { kind: `${facts.kind}List` } }),
  );

  it("refuses the verbs that it does not have", async () => {
    const methods = { list: "GET", create: "POST", deletecollection: "DELETE" } as const;
    for (const [verb, method] of Object.entries(methods)) {
      if (facts.verbs.includes(verb as keyof typeof methods)) continue;
      const got = await api.send(method, collection, method === "POST" ? { apiVersion, kind: facts.kind } : undefined);
      expect({ verb, code: got.code, reason: got.body.reason }).toEqual({
        verb,
        code: 405,
        reason: "MethodNotAllowed",
      });
    }
  });
});

/** Whether all of `part` is in `whole`. */
function holds(whole: unknown, part: unknown): boolean {
  try {
    expect(whole).toMatchObject(part as object);
    return true;
  } catch {
    return false;
  }
}

/** A merge patch as its result shows it: a null is not there. */
function withoutBareValues(patch: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(patch, (_key, value) => (value === null ? undefined : value))) as JsonObject;
}

/** A spec that a status write would undo `change` with, if it could. */
const undoing = ({ change, body, bodies }: Row): JsonObject => (change ? (bodies?.[0] ?? body) : {});
