import { afterAll, beforeAll, expect, it } from "vitest";
import { clientFor, type JsonClient } from "../harness/json-client.ts";
import { OwnCluster } from "../harness/own-cluster.ts";

let cluster: OwnCluster;
let client: JsonClient;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  client = clientFor(cluster.kubeconfigFile, 2);
});

afterAll(async () => {
  await client?.close();
  await cluster?.remove();
});

const MAPS = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string, data: unknown) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

interface Refusal {
  name: string;
  method?: string;
  path: string;
  body?: string;
  code: number;
  reason: string;
  message: string | RegExp;
}

it.each<Refusal>([
  {
    name: "an unknown path of a served version",
    path: "/apis/apps/v1/nowhere",
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
  },
  {
    name: "an unknown resource",
    path: "/api/v1/namespaces/default/things",
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
  },
  {
    name: "an object that is not there",
    path: `${MAPS}/none`,
    code: 404,
    reason: "NotFound",
    message: 'configmaps "none" not found',
  },
  {
    name: "malformed JSON",
    method: "POST",
    path: MAPS,
    body: "{",
    code: 400,
    reason: "BadRequest",
    message: /unexpected end of JSON input|json parse error/,
  },
  {
    name: "another kind",
    method: "POST",
    path: MAPS,
    body: JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }),
    code: 400,
    reason: "BadRequest",
    message: /Secret in version "v1" cannot be handled as a ConfigMap/,
  },
  {
    name: "a wrong type",
    method: "POST",
    path: MAPS,
    body: configMap("a", { k: 1 }),
    code: 400,
    reason: "BadRequest",
    message: /cannot unmarshal number into Go struct field ConfigMap\.data of type string/,
  },
  {
    name: "no name",
    method: "POST",
    path: MAPS,
    body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: {} }),
    code: 422,
    reason: "Invalid",
    message: /metadata\.name: Required value: name or generateName is required/,
  },
  {
    name: "a bad name",
    method: "POST",
    path: MAPS,
    body: configMap("Not_A_Name", {}),
    code: 422,
    reason: "Invalid",
    message: /a lowercase RFC 1123 subdomain must consist of/,
  },
  {
    name: "a namespace that is not there",
    method: "POST",
    path: "/api/v1/namespaces/none/configmaps",
    body: configMap("a", {}),
    code: 404,
    reason: "NotFound",
    message: 'namespaces "none" not found',
  },
  {
    name: "a body over 3 MiB",
    method: "POST",
    path: MAPS,
    body: configMap("a", { k: "x".repeat(3 * 1024 * 1024 + 10) }),
    code: 413,
    reason: "RequestEntityTooLarge",
    message: /limit is 3145728/,
  },
  {
    name: "a method that is not allowed",
    method: "PUT",
    path: MAPS,
    body: configMap("a", {}),
    code: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
  },
])("$name: $code $reason", async ({ method = "GET", path, body, code, reason, message }) => {
  const response = await client.open(method, path, body);
  const status = (await response.json()) as { kind: string; code: number; reason: string; message: string };
  expect(status).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason });
  expect(response.status).toBe(code);
  if (typeof message === "string") expect(status.message).toBe(message);
  else expect(status.message).toMatch(message);
});

it("an object over 1.5 MiB is refused in upstream's words", async () => {
  // A ConfigMap is refused earlier, at 1 MiB; annotations of a Lease are bound to 256 KiB; a Pod may be that large.
  const args = Array.from({ length: 160 }, () => "x".repeat(10_240));
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "large" },
    spec: { containers: [{ name: "a", image: "a", args }] },
  };
  const response = await client.open("POST", "/api/v1/namespaces/default/pods", JSON.stringify(pod));
  const status = (await response.json()) as { code: number; message: string };
  expect(status.message).toMatch(/etcdserver: request is too large|Request entity too large/);
  expect(status.code).toBe(response.status);
  expect([413, 500]).toContain(status.code);
});

it.each(["/api", "/api/v1/pods", "/apis/apps/v1/deployments", "/openapi/v3"])(
  "nobody reads %s without credentials",
  async (path) => {
    const anonymous = await client.open("GET", path, undefined, undefined, { authorization: "" });
    expect([401, 403]).toContain(anonymous.status);
    const wrong = await client.open("GET", path, undefined, undefined, { authorization: "Bearer wrong" });
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({ kind: "Status", reason: "Unauthorized", message: "Unauthorized" });
  },
);

it("a path of no API is answered as upstream does: 404 in plain text", async () => {
  const response = await client.open("GET", "/apis/nowhere");
  expect(response.status).toBe(404);
  expect(await response.text()).toBe("404 page not found\n");
});

it.each(["/healthz", "/livez", "/readyz", "/version"])("anybody reads %s", async (path) => {
  const response = await client.open("GET", path, undefined, undefined, { authorization: "" });
  expect(response.status).toBe(200);
});
