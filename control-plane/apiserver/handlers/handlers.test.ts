import { beforeAll, describe, expect, it } from "vitest";
import { testApi, watchEvents } from "../testing/api.ts";

const api = testApi();
const IN_DEFAULT = "/api/v1/namespaces/default";
const CONFIG_MAPS = `${IN_DEFAULT}/configmaps`;
const SECRETS = `${IN_DEFAULT}/secrets`;
const PODS = `${IN_DEFAULT}/pods`;
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

const podSpec = (extra: object = {}) => ({
  schedulerName: "nobody",
  containers: [{ name: "main", image: "example.test/app:1" }],
  ...extra,
});

beforeAll(async () => {
  const { code } = await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  expect(code).toBe(201);
  await api.post(`${IN_DEFAULT}/serviceaccounts`, { metadata: { name: "default" } });
});

describe("an object's life", () => {
  it("is created, read, listed, changed, watched and deleted", async () => {
    const created = await api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { x: "1" } });
    expect(created.code).toBe(201);
    expect(created.body).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default" } });
    expect((await api.get(`${CONFIG_MAPS}/a`)).body).toEqual(created.body);
    const list = await api.get(CONFIG_MAPS);
    expect(list.body).toMatchObject({ kind: "ConfigMapList" });
    expect(list.body.items.find(({ metadata }) => metadata.name === "a")?.kind).toBeUndefined();
    const put = await api.put(`${CONFIG_MAPS}/a`, { metadata: { name: "a" }, data: { x: "2" } });
    expect(put.code).toBe(200);
    const patched = await api.patch(`${CONFIG_MAPS}/a`, { data: { y: "3" } });
    expect(patched.body.data).toEqual({ x: "2", y: "3" });
    const gone = await api.delete(`${CONFIG_MAPS}/a`);
    expect(gone.body).toMatchObject({ status: "Success", details: { name: "a", kind: "configmaps" } });
    expect((await api.get(`${CONFIG_MAPS}/a`)).code).toBe(404);
    const { resourceVersion } = created.body.metadata;
    const selector = "fieldSelector=metadata.name%3Da";
    const watch = await api.fetch("GET", `${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion}&${selector}`);
    const events = await watchEvents(watch, 3);
    expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "MODIFIED", "DELETED"]);
  });

  it.each([
    { accept: "application/json", protocols: "", agreed: null, type: "string" },
    { accept: "application/vnd.kubernetes.protobuf;stream=watch", protocols: "a, b", agreed: "a", type: "object" },
  ])("is watched over a WebSocket: $accept", async ({ accept, protocols, agreed, type }) => {
    const handshake = { accept, upgrade: "websocket", ...(protocols ? { "sec-websocket-protocol": protocols } : {}) };
    const query = "watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dover-socket";
    const { body } = await api.get(CONFIG_MAPS);
    const from = `${query}&resourceVersion=${body.metadata.resourceVersion}`;
    const response = await api.fetch("GET", `${CONFIG_MAPS}?${from}`, undefined, handshake);
    expect(response.status).toBe(101);
    expect(response.headers.get("sec-websocket-protocol")).toBe(agreed);
    const socket = response.webSocket!;
    const messages: unknown[] = [];
    const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
    socket.addEventListener("message", ({ data }) => void messages.push(data));
    socket.accept();
    await api.post(CONFIG_MAPS, { metadata: { name: "over-socket" } });
    await api.delete(`${CONFIG_MAPS}/over-socket`);
    expect(await closed).toBe(1000);
    expect(messages.map((each) => typeof each)).toEqual([type, type]);
    const texts = messages.filter((each) => typeof each === "string");
    if (type === "string") expect(texts.map((each) => JSON.parse(each).type)).toEqual(["ADDED", "DELETED"]);
  });

  it("gets a name of its own for generateName", async () => {
    const { body } = await api.post(CONFIG_MAPS, { metadata: { generateName: "g-" } });
    expect(body.metadata.name).toMatch(/^g-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it("needs a name", async () => {
    const { code, body } = await api.post(CONFIG_MAPS, {});
    expect(code).toBe(422);
    expect(body.message).toBe(
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    );
  });

  it("in YAML may set a key twice, unless it shall be strict", async () => {
    const text = "metadata:\n  name: twice-set\ndata:\n  a: one\n  a: two\n";
    const yaml = { "content-type": "application/yaml" };
    const strict = await api.post(`${CONFIG_MAPS}?fieldValidation=Strict`, text, yaml);
    expect(strict.code).toBe(400);
    expect(strict.body.message).toContain(
      'strict decoding error: yaml: unmarshal errors:\n  line 5: key "a" already set in map',
    );
    expect((await api.post(CONFIG_MAPS, text, yaml)).body.data).toEqual({ a: "two" });
  });

  it("is not made twice, nor in a namespace that is not there", async () => {
    await api.post(CONFIG_MAPS, { metadata: { name: "twice" } });
    expect((await api.post(CONFIG_MAPS, { metadata: { name: "twice" } })).body.message).toBe(
      'configmaps "twice" already exists',
    );
    const { body } = await api.post("/api/v1/namespaces/none/configmaps", { metadata: { name: "a" } });
    expect(body.message).toBe('namespaces "none" not found');
  });

  it("is written by who knows its version, and by who does not care", async () => {
    const { body } = await api.post(CONFIG_MAPS, { metadata: { name: "cas" } });
    const { resourceVersion } = body.metadata;
    const write = (data: object, metadata: object = {}) =>
      api.put(`${CONFIG_MAPS}/cas`, { metadata: { name: "cas", ...metadata }, data });
    expect((await write({ x: "1" }, { resourceVersion })).code).toBe(200);
    const stale = await write({ x: "2" }, { resourceVersion });
    expect(stale.code).toBe(409);
    expect(stale.body.message).toContain(
      "the object has been modified; please apply your changes to the latest version",
    );
    expect((await write({ x: "3" })).code).toBe(200);
  });

  it("keeps its version when nothing changes", async () => {
    const { body } = await api.post(CONFIG_MAPS, { metadata: { name: "same" }, data: { a: "1", b: "2" } });
    const again = await api.put(`${CONFIG_MAPS}/same`, { data: { b: "2", a: "1" }, metadata: { name: "same" } });
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  it("loses no patch to another", async () => {
    await api.post(CONFIG_MAPS, { metadata: { name: "race" } });
    const keys = ["a", "b", "c", "d"];
    const replies = await Promise.all(keys.map((key) => api.patch(`${CONFIG_MAPS}/race`, { data: { [key]: "1" } })));
    expect(replies.map(({ code }) => code)).toEqual([200, 200, 200, 200]);
    const { body } = await api.get(`${CONFIG_MAPS}/race`);
    expect(Object.keys(body.data as object).sort()).toEqual(keys);
  });
});

describe("a dry run", () => {
  it("answers as if, and writes nothing", async () => {
    const created = await api.post(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: "dry" } });
    expect(created.code).toBe(201);
    expect(created.body.metadata.resourceVersion).toBeUndefined();
    expect((await api.get(`${CONFIG_MAPS}/dry`)).code).toBe(404);
    await api.post(CONFIG_MAPS, { metadata: { name: "dry" }, data: { a: "1" } });
    expect((await api.put(`${CONFIG_MAPS}/dry?dryRun=All`, { metadata: { name: "dry" } })).code).toBe(200);
    expect((await api.delete(`${CONFIG_MAPS}/dry?dryRun=All`)).body.status).toBe("Success");
    expect((await api.get(`${CONFIG_MAPS}/dry`)).body.data).toEqual({ a: "1" });
  });

  it("is All or nothing", async () => {
    const { body } = await api.post(`${CONFIG_MAPS}?dryRun=yes`, { metadata: { name: "d" } });
    expect(body.message).toContain('dryRun: Unsupported value: ["yes"]: supported values: "All"');
  });
});

describe("lists", () => {
  beforeAll(async () => {
    for (const name of ["l1", "l2", "l3"]) await api.post(SECRETS, { metadata: { name, labels: { of: "lists" } } });
  });

  it("come in pages of one snapshot", async () => {
    const first = await api.get(`${SECRETS}?limit=2`);
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 1 });
    await api.post(SECRETS, { metadata: { name: "l4" } });
    const rest = await api.get(`${SECRETS}?limit=2&continue=${first.body.metadata.continue}`);
    const names = [...first.body.items, ...rest.body.items].map(({ metadata }) => metadata.name);
    expect(names).toEqual(["l1", "l2", "l3"]);
    expect(rest.body.metadata.continue).toBeUndefined();
    await api.delete(`${SECRETS}/l4`);
  });

  it("are selected by labels and fields", async () => {
    expect((await api.get(`${SECRETS}?labelSelector=of%3Dlists`)).body.items).toHaveLength(3);
    expect((await api.get(`${SECRETS}?fieldSelector=metadata.name%3Dl2`)).body.items).toHaveLength(1);
    expect((await api.get(`${CONFIG_MAPS}?fieldSelector=data.a%3Db`)).body.message).toContain(
      '"data.a" is not a known field selector',
    );
  });

  it("show metadata alone, tables, and YAML", async () => {
    const partial = await api.get(SECRETS, {
      accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    });
    expect(partial.body).toMatchObject({
      kind: "PartialObjectMetadataList",
      items: [{ metadata: { name: "l1" } }, {}, {}],
    });
    const table = await api.get(SECRETS, {
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
    });
    expect(table.body).toMatchObject({
      kind: "Table",
      rows: [{ cells: ["l1", "Opaque", 0, expect.any(String)] }, {}, {}],
    });
    const yaml = await api.get(`${SECRETS}/l1`, { accept: "application/yaml" });
    expect(yaml.text).toMatch(/^apiVersion: v1\nkind: Secret\n/);
    expect((await api.get(SECRETS, { accept: "text/html" })).code).toBe(406);
  });

  it("are tables of the version that was asked for", async () => {
    const { body } = await api.get(SECRETS, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1beta1" });
    expect(body).toMatchObject({
      apiVersion: "meta.k8s.io/v1beta1",
      rows: [{ object: { apiVersion: "meta.k8s.io/v1beta1" } }, {}, {}],
    });
  });

  it("are deleted as a whole", async () => {
    const { body } = await api.delete(`${SECRETS}?labelSelector=of%3Dlists`);
    expect(body.kind).toBe("SecretList");
    expect((await api.get(SECRETS)).body.items).toEqual([]);
  });
});

describe("watches", () => {
  it("end at once where events are asked for as a list each", async () => {
    const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    const { code, text } = await api.get(`${SECRETS}?watch=1`, { accept });
    expect([code, text]).toEqual([200, ""]);
  });

  it("begin with what there is, and end in time", async () => {
    await api.post(SECRETS, { metadata: { name: "w1" } });
    const watch = await api.fetch("GET", `${SECRETS}?watch=1&timeoutSeconds=1`);
    const events = await watchEvents(watch, 99);
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(["ADDED w1"]);
  });

  it("end a list of initial events with a bookmark", async () => {
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const events = await watchEvents(await api.fetch("GET", `${SECRETS}?${query}`), 2);
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]);
    expect(events[1]!.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
  });
});

describe("deletion", () => {
  it("waits for finalizers", async () => {
    await api.post(CONFIG_MAPS, { metadata: { name: "f", finalizers: ["example.com/f"] } });
    expect((await api.delete(`${CONFIG_MAPS}/f`)).body.metadata.deletionTimestamp).toBeDefined();
    const added = await api.patch(`${CONFIG_MAPS}/f`, { metadata: { finalizers: ["example.com/f", "example.com/g"] } });
    expect(added.code).toBe(422);
    expect((await api.patch(`${CONFIG_MAPS}/f`, { metadata: { finalizers: null } })).code).toBe(200);
    expect((await api.get(`${CONFIG_MAPS}/f`)).code).toBe(404);
  });

  it("has finalizers with a domain, or Kubernetes' own", async () => {
    const { code, body } = await api.post(CONFIG_MAPS, { metadata: { name: "odd", finalizers: ["orphan", "odd"] } });
    expect(code).toBe(422);
    expect(body.message).toMatch(
      /: metadata.finalizers\[1\]: Invalid value: "odd": name is neither a standard finalizer name nor is it fully qualified$/,
    );
  });

  it.each([
    { name: "one", path: "/j" },
    { name: "all", path: "" },
  ])("of jobs says that their pods stay: $name", async ({ path }) => {
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    const template = { spec: podSpec({ restartPolicy: "Never" }) };
    expect((await api.post(jobs, { metadata: { name: "j" }, spec: { template } })).code).toBe(201);
    expect((await api.delete(`${jobs}${path}?dryRun=All`)).warnings).toContain("child pods are preserved by default");
    expect((await api.delete(`${jobs}${path}?propagationPolicy=Background`)).warnings).toBeNull();
  });

  it("has preconditions", async () => {
    await api.post(CONFIG_MAPS, { metadata: { name: "p" } });
    const { code, body } = await api.delete(`${CONFIG_MAPS}/p`, { preconditions: { uid: "wrong" } });
    expect(code).toBe(409);
    expect(body.message).toContain("the UID in the precondition (wrong) does not match the UID in record");
  });

  it("leaves orphans to the garbage collector", async () => {
    await api.post(CONFIG_MAPS, { metadata: { name: "o" } });
    const { body } = await api.delete(`${CONFIG_MAPS}/o?propagationPolicy=Orphan`);
    expect(body.metadata.finalizers).toEqual(["orphan"]);
  });

  it("gives a scheduled pod its grace period, shortens it, and takes an unscheduled one at once", async () => {
    expect((await api.post(PODS, { metadata: { name: "u" }, spec: podSpec() })).code).toBe(201);
    await api.delete(`${PODS}/u`);
    expect((await api.get(`${PODS}/u`)).code).toBe(404);
    await api.post(PODS, {
      metadata: { name: "s" },
      spec: podSpec({ nodeName: "nowhere", terminationGracePeriodSeconds: 45 }),
    });
    const grace = async (query = "") =>
      (await api.delete(`${PODS}/s${query}`)).body.metadata.deletionGracePeriodSeconds;
    expect(await grace()).toBe(45);
    expect(await grace("?gracePeriodSeconds=10")).toBe(10);
    expect(await grace("?gracePeriodSeconds=60")).toBe(10);
    expect(await grace("?gracePeriodSeconds=0")).toBe(0);
    expect((await api.get(`${PODS}/s`)).code).toBe(404);
  });
});

describe("parts of an object", () => {
  const deployment = (name: string) => ({
    metadata: { name },
    spec: {
      replicas: 0,
      paused: true,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "x:1" }] } },
    },
  });

  it("status and spec leave each other alone", async () => {
    await api.post(DEPLOYMENTS, deployment("d"));
    const spec = await api.patch(`${DEPLOYMENTS}/d`, { spec: { minReadySeconds: 5 }, status: { replicas: 9 } });
    expect(spec.body.metadata.generation).toBe(2);
    expect(spec.body.status).not.toHaveProperty("replicas", 9);
    const status = await api.patch(`${DEPLOYMENTS}/d/status`, {
      spec: { minReadySeconds: 7 },
      status: { replicas: 1 },
    });
    expect(status.body).toMatchObject({ spec: { minReadySeconds: 5 }, status: { replicas: 1 } });
    expect(status.body.metadata.generation).toBe(2);
  });

  it("scale counts replicas", async () => {
    await api.post(DEPLOYMENTS, deployment("s"));
    const { body } = await api.put(`${DEPLOYMENTS}/s/scale`, { metadata: { name: "s" }, spec: { replicas: 3 } });
    expect(body).toMatchObject({ kind: "Scale", spec: { replicas: 3 }, status: { selector: "app=s" } });
    expect((await api.get(`${DEPLOYMENTS}/s`)).body.spec).toMatchObject({ replicas: 3 });
    expect((await api.patch(`${DEPLOYMENTS}/s/scale`, { spec: { replicas: -1 } })).code).toBe(422);
  });

  it("the replicas are whose scale set them, without a time; none are nobody's", async () => {
    await api.post(DEPLOYMENTS, deployment("f"));
    const owners = async () => {
      const { managedFields } = (await api.get(`${DEPLOYMENTS}/f`)).body.metadata;
      return (managedFields as { subresource?: string; time?: string; fieldsV1: { "f:spec"?: object } }[])
        .filter(({ fieldsV1 }) => "f:replicas" in (fieldsV1["f:spec"] ?? {}))
        .map(({ subresource, time }) => ({ subresource, time }));
    };
    await api.put(`${DEPLOYMENTS}/f/scale`, { metadata: { name: "f" }, spec: { replicas: 3 } });
    expect(await owners()).toEqual([{ subresource: "scale", time: undefined }]);
    await api.patch(`${DEPLOYMENTS}/f/scale`, { spec: { replicas: 0 } });
    expect(await owners()).toEqual([]);
  });

  it("a pod is bound once", async () => {
    await api.post(PODS, { metadata: { name: "b" }, spec: podSpec() });
    const bind = (name: string) =>
      api.post(`${PODS}/b/binding`, { metadata: { name: "b" }, target: { kind: "Node", name } });
    expect((await bind("n1")).body).toMatchObject({ status: "Success", code: 201 });
    const again = await bind("n2");
    expect(again.code).toBe(409);
    expect(again.body.message).toContain('pod b is already assigned to node "n1"');
    const { body } = await api.get(`${PODS}/b`);
    expect(body).toMatchObject({
      spec: { nodeName: "n1" },
      status: { conditions: [{ type: "PodScheduled", status: "True" }] },
    });
  });
});

describe("an eviction", () => {
  const evict = (name: string, deleteOptions = {}, query = "") =>
    api.post(`${PODS}/${name}/eviction${query}`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name },
      deleteOptions,
    });
  const conditionsOf = async (name: string) => {
    const { status } = (await api.get(`${PODS}/${name}`)).body as { status?: { conditions?: { type: string }[] } };
    return status?.conditions?.map(({ type }) => type) ?? [];
  };

  it("says on the pod why it ends, and deletes it", async () => {
    await api.post(PODS, { metadata: { name: "evicted" }, spec: podSpec({ nodeName: "nowhere" }) });
    expect((await evict("evicted", {}, "?dryRun=All")).code).toBe(201);
    expect((await evict("evicted", { preconditions: { uid: "wrong" } })).code).toBe(409);
    expect(await conditionsOf("evicted")).not.toContain("DisruptionTarget");
    const { resourceVersion } = (await api.get(`${PODS}/evicted`)).body.metadata;
    expect((await evict("evicted", { preconditions: { resourceVersion } })).code).toBe(201);
    expect(await conditionsOf("evicted")).toContain("DisruptionTarget");
    expect((await api.get(`${PODS}/evicted`)).body.metadata.deletionTimestamp).toBeDefined();
  });

  it("of a pod that is not there is 404", async () => expect((await evict("nobody")).code).toBe(404));
});

describe("bodies", () => {
  it.each([
    { name: "malformed JSON", body: "{", want: "unexpected end of JSON input ({)" },
    { name: "another kind", body: { kind: "Secret", apiVersion: "v1" }, want: "Secret in version" },
    { name: "a wrong type", body: { metadata: { name: "x" }, data: { a: 1 } }, want: "cannot unmarshal number" },
  ])("are refused: $name", async ({ body, want }) => {
    const reply = await api.post(CONFIG_MAPS, body);
    expect(reply.code).toBe(400);
    expect(reply.body.message).toContain(want);
  });

  it.each([
    {
      name: "a mapping in a value",
      text: "a: b: c",
      want: /: yaml: mapping values are not allowed in this context \(/,
    },
    { name: "the same, further down", text: "x: y\na: b: c", want: /: yaml: line 2: mapping values are not allowed/ },
    { name: "a tab", text: "\ta: b", want: /: yaml: found character that cannot start any token \(/ },
  ])("are refused: YAML with $name", async ({ text, want }) => {
    const reply = await api.call("POST", CONFIG_MAPS, text, { "content-type": "application/yaml" });
    expect(reply).toMatchObject({ code: 400, body: { message: expect.stringMatching(want) } });
  });

  it("over 3 MiB are refused before they are read", async () => {
    const { code, body } = await api.post(CONFIG_MAPS, { data: { a: "x".repeat(3 * 1024 * 1024) } });
    expect(code).toBe(413);
    expect(body.message).toBe("Request entity too large: limit is 3145728");
  });

  it("with unknown fields are warned of, or refused when that is asked for", async () => {
    const body = { metadata: { name: "warn" }, extra: 1 };
    expect((await api.post(CONFIG_MAPS, body)).warnings).toBe('299 - "unknown field \\"extra\\""');
    const strict = await api.post(`${CONFIG_MAPS}?fieldValidation=Strict`, body);
    expect(strict.body.message).toContain('strict decoding error: unknown field "extra"');
  });
});

describe("patches", () => {
  it("of which nothing comes are quoted as Go prints the object", async () => {
    await api.post(CONFIG_MAPS, { metadata: { name: "quoted", labels: { a: "b" } } });
    const { code, body } = await api.patch(
      `${CONFIG_MAPS}/quoted?fieldValidation=Strict`,
      { extra: 1 },
      "application/merge-patch+json",
    );
    expect(code).toBe(422);
    expect(body.message).toMatch(
      /"{\\"apiVersion\\":.*\\"metadata\\":{\\"name\\":\\"quoted\\",\\"namespace\\":.*\\"uid\\":.*\\"resourceVersion\\":.*\\"labels\\":/,
    );
  });
});

describe("server-side apply", () => {
  const apply = (body: object, query: string) =>
    api.patch(
      `${CONFIG_MAPS}/applied?${query}`,
      { apiVersion: "v1", kind: "ConfigMap", ...body },
      "application/apply-patch+yaml",
    );

  it("creates, takes out what is no longer applied, and refuses what others own", async () => {
    const metadata = { name: "applied" };
    expect((await apply({ metadata, data: { a: "1", b: "2" } }, "fieldManager=one")).code).toBe(201);
    expect((await apply({ metadata, data: { a: "1" } }, "fieldManager=one")).body.data).toEqual({ a: "1" });
    const conflict = await apply({ metadata, data: { a: "9" } }, "fieldManager=two");
    expect(conflict.code).toBe(409);
    expect((await apply({ metadata, data: { a: "9" } }, "fieldManager=two&force=true")).body.data).toEqual({ a: "9" });
  });
});

describe("a status that is applied where nothing is", () => {
  const applyStatus = (path: string, body: object) =>
    api.patch(`${path}/status?fieldManager=m`, body, "application/apply-patch+yaml");

  it("makes what an update may make, if it is valid", async () => {
    const path = `${IN_DEFAULT}/services/made`;
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "made" } };
    expect((await applyStatus(path, { ...service, status: {} })).code).toBe(422);
    expect((await applyStatus(path, { ...service, spec: { ports: [{ port: 80 }] } })).code).toBe(201);
  });

  it("is not found elsewhere", async () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "none" }, status: { message: "x" } };
    expect((await applyStatus(`${PODS}/none`, pod)).code).toBe(404);
  });
});

describe("empty maps", () => {
  it("are quoted as they were sent when an object is refused", async () => {
    const { body } = await api.post(DEPLOYMENTS, {
      metadata: { name: "empty" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: {} }, spec: { containers: [{ name: "main", image: "example.test/app:1" }] } },
      },
    });
    expect(body.message).toContain("spec.template.metadata.labels: Invalid value: {}: `selector` does not match");
  });

  it("are a change only where upstream counts them as one", async () => {
    const policies = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
    const policy = (podSelector: object) => ({ metadata: { name: "empty" }, spec: { podSelector } });
    const generations: unknown[] = [];
    await api.post(policies, policy({}));
    for (const selector of [{}, { matchLabels: {} }, {}]) {
      generations.push((await api.put(`${policies}/empty`, policy(selector))).body.metadata.generation);
    }
    expect(generations).toEqual([1, 2, 2]);
  });
});

describe("two versions of one object", () => {
  const HPAS = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const applyHpa = (version: string, manager: string, spec: object) =>
    api.patch(
      `${HPAS(version)}/h?fieldManager=${manager}`,
      { apiVersion: `autoscaling/${version}`, kind: "HorizontalPodAutoscaler", metadata: { name: "h" }, spec },
      "application/apply-patch+yaml",
    );

  it("are owned each in the names of its own, and conflict all the same", async () => {
    const spec = { scaleTargetRef: target, maxReplicas: 5 };
    expect((await applyHpa("v1", "one", { ...spec, targetCPUUtilizationPercentage: 50 })).code).toBe(201);
    const second = await applyHpa("v2", "two", { ...spec, minReplicas: 2 });
    const owners = second.body.metadata.managedFields?.map(({ manager, apiVersion, fieldsV1 }) => [
      manager,
      apiVersion,
      Object.keys((fieldsV1?.["f:spec"] ?? {}) as object),
    ]);
    expect(owners).toEqual([
      ["one", "autoscaling/v1", ["f:maxReplicas", "f:scaleTargetRef", "f:targetCPUUtilizationPercentage"]],
      ["two", "autoscaling/v2", ["f:maxReplicas", "f:minReplicas", "f:scaleTargetRef"]],
    ]);
    const refused = await applyHpa("v2", "two", { ...spec, maxReplicas: 9, minReplicas: 2 });
    expect(refused.code).toBe(409);
    expect(refused.body.message).toBe('Apply failed with 1 conflict: conflict with "one": .spec.maxReplicas');
    // When its owner lets go of it, the default comes back.
    const left = await applyHpa("v1", "one", spec);
    expect(left.body.spec).toMatchObject({ targetCPUUtilizationPercentage: 80 });
  });

  it("own the fields that were written, by the names of the version", async () => {
    const { body } = await api.post("/apis/events.k8s.io/v1/namespaces/default/events", {
      metadata: { name: "e" },
      eventTime: "2026-01-02T03:04:05.000000Z",
      reportingController: "example.com/r",
      reportingInstance: "i",
      action: "Act",
      reason: "Why",
      type: "Normal",
      regarding: { kind: "Pod", namespace: "default", name: "web" },
      note: "n",
    });
    const fields = body.metadata.managedFields?.[0]?.fieldsV1 ?? {};
    expect(Object.keys(fields)).toEqual(
      ["action", "eventTime", "note", "reason", "regarding", "reportingController", "reportingInstance", "type"].map(
        (name) => `f:${name}`,
      ),
    );
  });
});

describe("paths", () => {
  it.each([
    { method: "GET", path: "/api/v1/nope", code: 404 },
    { method: "GET", path: "/nope", code: 404 },
    { method: "GET", path: "/apis/extensions/v1beta1/ingresses", code: 404 },
    { method: "GET", path: "/api/v1/namespaces/default/nodes", code: 404 },
    { method: "POST", path: "/api/v1/pods", code: 405 },
    { method: "DELETE", path: "/api/v1/namespaces", code: 405 },
    { method: "PUT", path: CONFIG_MAPS, code: 405 },
    { method: "GET", path: "/apis/authorization.k8s.io/v1/subjectaccessreviews", code: 405 },
    { method: "GET", path: "/apis/authorization.k8s.io/v1/subjectaccessreviews/x", code: 404 },
    { method: "POST", path: "/api/v1/namespaces/default/bindings/x", code: 404 },
    { method: "GET", path: "/api/v1/namespaces/default/bindings", code: 405 },
    { method: "GET", path: "/readyz", code: 200 },
    { method: "GET", path: "/api", code: 200 },
  ])("$method $path is $code", async ({ method, path, code }) => {
    expect((await api.call(method, path, method === "GET" || method === "DELETE" ? undefined : {})).code).toBe(code);
  });

  it("tell how each part is", async () => {
    const { text } = await api.get("/readyz?verbose");
    expect(text.split("\n").slice(0, 3)).toEqual(["[+]ping ok", "[+]log ok", "[+]etcd ok"]);
  });
});
