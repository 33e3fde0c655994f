import { env } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { body, bodyOf, joined, message } from "../../test/builders/protobuf.ts";
import { discardBody, MAX_BODY_BYTES, MAX_DISCARDED_BYTES } from "./body.ts";
import { serveApi } from "./index.ts";
import { ADMIN, testApi } from "./testing/api.ts";

const api = testApi();
const IN_DEFAULT = "/api/v1/namespaces/default";
const CONFIG_MAPS = `${IN_DEFAULT}/configmaps`;
const PODS = `${IN_DEFAULT}/pods`;
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

interface Answer {
  code: number;
  type: string | null;
  body: Record<string, unknown>;
}

/** A body as client-go sends it; the answer in JSON, to be looked into. */
async function send(
  method: string,
  path: string,
  bytes: Uint8Array | ReadableStream<Uint8Array> | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const request = new Request(`https://api${path}`, {
    method,
    headers: { "content-type": PROTOBUF, accept: "application/json", ...headers },
    body: bytes,
  });
  const context = { env: env as never, cluster: api.cluster, user: ADMIN, waitUntil: () => undefined };
  const response = await serveApi(request, context);
  return { code: response.status, type: response.headers.get("content-type"), body: await response.json() };
}

const configMap = (name: string, data: Record<string, string>) =>
  bodyOf("io.k8s.api.core.v1.ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const deleteOptions = (...fields: Parameters<typeof message>) => body("v1", "DeleteOptions", message(...fields));

const container = {
  name: "web",
  image: "nginx",
  ports: [{ containerPort: 80 }],
  resources: { limits: { cpu: "0.5" } },
};
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [container] } },
  },
};

/** What two objects of one name differ in, made one after the other. */
function comparable(object: Record<string, unknown>): unknown {
  const { uid, resourceVersion, creationTimestamp, managedFields, ...metadata } = object.metadata as Record<
    string,
    unknown
  >;
  return { ...object, metadata };
}

beforeAll(async () => {
  await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  await api.post(`${IN_DEFAULT}/serviceaccounts`, { metadata: { name: "default" } });
});

describe("a body in protobuf", () => {
  it("creates what the same object in JSON creates", async () => {
    const bytes = bodyOf("io.k8s.api.apps.v1.Deployment", deployment);
    const created = await send("POST", DEPLOYMENTS, bytes);
    expect(created).toMatchObject({ code: 201, type: "application/json" });
    await api.delete(`${DEPLOYMENTS}/web`);
    const again = await api.post(DEPLOYMENTS, deployment);
    expect(comparable(created.body)).toEqual(comparable(again.body));
  });

  it("is not stored in a dry run", async () => {
    expect((await send("POST", `${CONFIG_MAPS}?dryRun=All`, configMap("dry", {}))).code).toBe(201);
    expect((await api.get(`${CONFIG_MAPS}/dry`)).code).toBe(404);
  });

  it("updates an object and its status", async () => {
    await send("POST", CONFIG_MAPS, configMap("u", { a: "1" }));
    expect(await send("PUT", `${CONFIG_MAPS}/u`, configMap("u", { a: "2" }))).toMatchObject({
      code: 200,
      body: { data: { a: "2" } },
    });
    await api.post("/api/v1/namespaces", { metadata: { name: "n" } });
    const bytes = bodyOf("io.k8s.api.core.v1.Namespace", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "n" },
      status: { conditions: [{ type: "T", status: "True", lastTransitionTime: "2026-01-02T03:04:05Z" }] },
    });
    const { body: updated } = await send("PUT", "/api/v1/namespaces/n/status", bytes);
    expect(updated.status).toMatchObject({ conditions: [{ type: "T", lastTransitionTime: "2026-01-02T03:04:05Z" }] });
  });

  it("scales", async () => {
    await api.post(DEPLOYMENTS, { ...deployment, metadata: { name: "s" } });
    const scale = body(
      "autoscaling/v1",
      "Scale",
      message([1, message([1, "s"], [3, "default"], [6, ""])], [2, message([1, 5])]),
    );
    expect(await send("PUT", `${DEPLOYMENTS}/s/scale`, scale)).toMatchObject({
      code: 200,
      body: { spec: { replicas: 5 } },
    });
  });

  it("binds and evicts a pod", async () => {
    await api.post(PODS, { metadata: { name: "p" }, spec: { schedulerName: "nobody", containers: [container] } });
    const binding = body(
      "v1",
      "Binding",
      message([1, message([1, "p"])], [2, message([1, "Node"], [2, ""], [3, "n1"])]),
    );
    expect((await send("POST", `${PODS}/p/binding`, binding)).code).toBe(201);
    expect((await api.get(`${PODS}/p`)).body.spec).toMatchObject({ nodeName: "n1" });
    const eviction = body("policy/v1", "Eviction", message([1, message([1, "p"])], [2, message([1, 7])]));
    expect((await send("POST", `${PODS}/p/eviction`, eviction)).code).toBe(201);
    expect((await api.get(`${PODS}/p`)).body.metadata).toMatchObject({ deletionGracePeriodSeconds: 7 });
  });

  it("carries the options of a deletion", async () => {
    await send("POST", CONFIG_MAPS, configMap("d", {}));
    const wrongUid = await send("DELETE", `${CONFIG_MAPS}/d`, deleteOptions([2, message([1, "other"])]));
    expect(wrongUid).toMatchObject({ code: 409, body: { reason: "Conflict" } });
    expect((await send("DELETE", `${CONFIG_MAPS}/d`, deleteOptions([5, "All"]))).code).toBe(200);
    expect((await api.get(`${CONFIG_MAPS}/d`)).code).toBe(200);
    expect((await send("DELETE", `${CONFIG_MAPS}/d`, undefined)).code).toBe(200);
    expect((await api.get(`${CONFIG_MAPS}/d`)).code).toBe(404);
  });

  it("may come in pieces, of unknown length", async () => {
    const bytes = configMap("pieces", { a: "ä".repeat(100) });
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
        controller.close();
      },
    });
    expect((await send("POST", CONFIG_MAPS, pieces)).body.data).toEqual({ a: "ä".repeat(100) });
  });
});

describe("refused is", () => {
  const pod = body("v1", "Pod", message([1, message([1, "x"])]));
  it.each([
    {
      name: "what is no protobuf",
      bytes: new TextEncoder().encode("{}"),
      code: 400,
      want: /^the object provided is unrecognized \(must be of type ConfigMap\): provided data does not appear to be/,
    },
    {
      name: "what is cut off",
      bytes: configMap("x", { a: "1" }).slice(0, -3),
      code: 400,
      want: /^the object provided is unrecognized .*: unexpected EOF/,
    },
    {
      name: "a broken object",
      bytes: body("v1", "ConfigMap", Uint8Array.of(0x0a, 0x7f)),
      code: 400,
      want: /^ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF$/,
    },
    {
      name: "another kind",
      bytes: pod,
      code: 400,
      want: /^Pod in version "v1" cannot be handled as a ConfigMap: converting \(v1.Pod\) to \(core.ConfigMap\): unknown conversion$/,
    },
    {
      name: "a body over the limit",
      bytes: joined([configMap("x", {}), new Uint8Array(MAX_BODY_BYTES)]),
      code: 413,
      want: /limit is 3145728/,
    },
  ])("$name", async ({ bytes, code, want }) => {
    const answer = await send("POST", CONFIG_MAPS, bytes);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toMatch(want);
  });

  it("a patch in protobuf", async () => {
    expect(await send("PATCH", `${CONFIG_MAPS}/u`, configMap("u", {}))).toMatchObject({
      code: 415,
      body: { reason: "UnsupportedMediaType" },
    });
  });
});

describe("an answer in protobuf alone", () => {
  const ENVELOPE = [0x6b, 0x38, 0x73, 0];
  it.each([
    { path: CONFIG_MAPS, code: 200 },
    { path: `${CONFIG_MAPS}/u`, code: 200 },
    { path: `${CONFIG_MAPS}/absent`, code: 404 },
    { path: "/apis", code: 200 },
    { path: "/version", code: 406 },
  ])("is $code for $path", async ({ path, code }) => {
    const response = await api.fetch("GET", path, undefined, { accept: PROTOBUF });
    expect(response.status).toBe(code);
    expect(response.headers.get("content-type")).toBe(PROTOBUF);
    expect([...new Uint8Array(await response.arrayBuffer()).subarray(0, 4)]).toEqual(ENVELOPE);
  });

  it("comes event by event in a watch, each after its length", async () => {
    const path = `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`;
    const response = await api.fetch("GET", path, undefined, { accept: PROTOBUF });
    expect(response.headers.get("content-type")).toBe(`${PROTOBUF};stream=watch`);
    const bytes = await response.arrayBuffer();
    const event = new Uint8Array(bytes, 4, new DataView(bytes).getUint32(0));
    expect(new TextDecoder().decode(event.subarray(0, 7))).toBe("\n\u0005ADDED");
  });
});

/** A body whose pieces are made as they are read. */
function pieces(count: number, bytes: number) {
  const made = { count: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (made.count === count) return controller.close();
        made.count++;
        controller.enqueue(new Uint8Array(bytes));
      },
      cancel() {
        made.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { made, request: new Request("https://api/", { method: "POST", body }) };
}

describe("the rest of a body", () => {
  const MEBIBYTE = 1024 * 1024;

  it("is read when nobody wanted it", async () => {
    const { made, request } = pieces(3, 10);
    await discardBody(request);
    expect(made).toEqual({ count: 3, cancelled: false });
  });

  it("is read up to a limit", async () => {
    const { made, request } = pieces(1_000, MEBIBYTE);
    await discardBody(request);
    expect(made).toEqual({ count: MAX_DISCARDED_BYTES / MEBIBYTE, cancelled: true });
  });

  it("is read before a body over the limit is refused", async () => {
    const { made, request } = pieces(5, MEBIBYTE);
    const context = { env: env as never, cluster: api.cluster, user: ADMIN, waitUntil: () => undefined };
    const refused = await serveApi(new Request(`https://api${CONFIG_MAPS}`, request), context);
    expect(refused.status).toBe(413);
    expect(made).toEqual({ count: 5, cancelled: false });
  });

  it("is left alone when it was read, or is missing", async () => {
    const { request } = pieces(1, 1);
    await request.text();
    await discardBody(request);
    await discardBody(new Request("https://api/"));
  });
});
