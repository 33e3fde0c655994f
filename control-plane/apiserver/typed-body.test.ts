import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "./testing/api.ts";

/*
 * `fieldValidation` where the body is not the resource's own kind, or only part of it counts: what is unknown or set
 * twice is refused, warned of or let pass, in the same words everywhere.
 */

const api = testApi();
const NAMESPACE = "/api/v1/namespaces/default";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

beforeAll(async () => {
  await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  await api.post(`${NAMESPACE}/serviceaccounts`, { metadata: { name: "default" } });
  const containers = [{ name: "m", image: "i" }];
  const template = { metadata: { labels: { a: "b" } }, spec: { containers } };
  await api.post(DEPLOYMENTS, { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } });
  for (const name of ["bound", "evicted", "there"]) {
    expect((await api.post(`${NAMESPACE}/pods`, { metadata: { name }, spec: { containers } })).code).toBe(201);
  }
  const ports = [{ port: 80 }];
  await api.post(`${NAMESPACE}/services`, { metadata: { name: "s" }, spec: { ports, type: "LoadBalancer" } });
});

interface Row {
  name: string;
  method: "POST" | "PUT" | "PATCH";
  path: string;
  type?: string;
  text: string;
  /** What is told, in order. */
  told: string[];
  code: number;
  /** The refusal in Strict mode, where it is not "… in version … cannot be handled as …". */
  refusal?: string;
}

const SCALE = '"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"}';

const ROWS: Row[] = [
  {
    name: "an update of a scale",
    method: "PUT",
    path: `${DEPLOYMENTS}/d/scale`,
    text: `{${SCALE},"spec":{"replicas":1,"replicas":2,"colour":"red"},"x":1}`,
    told: ['duplicate field "spec.replicas"', 'unknown field "spec.colour"', 'unknown field "x"'],
    code: 200,
  },
  {
    name: "a merge patch of a scale",
    method: "PATCH",
    path: `${DEPLOYMENTS}/d/scale`,
    type: "application/merge-patch+json",
    text: '{"spec":{"replicas":1,"colour":"red","replicas":3}}',
    told: ['duplicate field "spec.replicas"', 'unknown field "spec.colour"'],
    code: 200,
    refusal: "strict decoding error: ",
  },
  {
    name: "a strategic patch of a scale",
    method: "PATCH",
    path: `${DEPLOYMENTS}/d/scale`,
    type: "application/strategic-merge-patch+json",
    text: '{"spec":{"replicas":1,"colour":"red","replicas":3}}',
    told: ['duplicate field "spec.replicas"', 'unknown field "spec.colour"'],
    code: 200,
    refusal: 'Invalid value: "map[spec:map[colour:red replicas:3]]": strict decoding error: ',
  },
  {
    name: "a JSON patch of a scale",
    method: "PATCH",
    path: `${DEPLOYMENTS}/d/scale`,
    type: "application/json-patch+json",
    text: '[{"op":"add","path":"/spec/colour","value":"red","op":"add"}]',
    told: ['json patch duplicate field "[0].op"', 'unknown field "spec.colour"'],
    code: 200,
    refusal: "strict decoding error: ",
  },
  {
    name: "an apply of a scale",
    method: "PATCH",
    path: `${DEPLOYMENTS}/d/scale`,
    type: "application/apply-patch+yaml",
    text: "apiVersion: autoscaling/v1\nkind: Scale\nspec:\n  replicas: 1\n  replicas: 2\n",
    told: ['line 5: key "replicas" already set in map'],
    code: 200,
    refusal: "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ",
  },
  {
    name: "an update of a status",
    method: "PUT",
    path: `${NAMESPACE}/services/s/status`,
    text: '{"metadata":{"name":"s"},"status":{"x":1,"loadBalancer":{"ingress":[{"hostname":"a","hostname":"b"}]}}}',
    told: ['unknown field "status.x"', 'duplicate field "status.loadBalancer.ingress[0].hostname"'],
    code: 200,
  },
  {
    name: "a binding",
    method: "POST",
    path: `${NAMESPACE}/pods/bound/binding`,
    text: '{"metadata":{"name":"bound"},"target":{"kind":"Node","name":"n","name":"n2","colour":"x"},"y":1}',
    told: ['duplicate field "target.name"', 'unknown field "target.colour"', 'unknown field "y"'],
    code: 201,
  },
  {
    name: "an eviction",
    method: "POST",
    path: `${NAMESPACE}/pods/evicted/eviction`,
    text: '{"metadata":{"name":"evicted","foo":1},"deleteOptions":{"gracePeriodSeconds":0,"gracePeriodSeconds":1}}',
    told: ['unknown field "metadata.foo"', 'duplicate field "deleteOptions.gracePeriodSeconds"'],
    code: 201,
  },
  {
    name: "ephemeral containers",
    method: "PUT",
    path: `${NAMESPACE}/pods/there/ephemeralcontainers`,
    text: '{"metadata":{"name":"there"},"spec":{"ephemeralContainers":[{"name":"e","image":"i","image":"j","foo":2}]}}',
    told: ['duplicate field "spec.ephemeralContainers[0].image"', 'unknown field "spec.ephemeralContainers[0].foo"'],
    code: 200,
  },
  {
    name: "a token request",
    method: "POST",
    path: `${NAMESPACE}/serviceaccounts/default/token`,
    text: '{"spec":{"audiences":["a"],"audiences":["b"],"foo":1}}',
    told: ['duplicate field "spec.audiences"', 'unknown field "spec.foo"'],
    // This cluster has no key to sign one with.
    code: 500,
  },
  {
    name: "an access review",
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    text: '{"spec":{"foo":1,"resourceAttributes":{"verb":"get","verb":"list","resource":"pods"}}}',
    told: ['unknown field "spec.foo"', 'duplicate field "spec.resourceAttributes.verb"'],
    code: 201,
  },
  {
    name: "a token review",
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    text: '{"spec":{"token":"x","token":"y","foo":1}}',
    told: ['duplicate field "spec.token"', 'unknown field "spec.foo"'],
    code: 201,
  },
  {
    name: "a namespace's finalizers",
    method: "PUT",
    path: `${NAMESPACE}/finalize`,
    text: '{"metadata":{"name":"default","foo":1},"spec":{"finalizers":["kubernetes"],"finalizers":["kubernetes"]}}',
    told: ['unknown field "metadata.foo"', 'duplicate field "spec.finalizers"'],
    code: 200,
  },
];

describe.each(ROWS)("$name", ({ method, path, type = "application/json", text, told, code, refusal }) => {
  const send = (fieldValidation: string) => {
    const query = new URLSearchParams({ fieldValidation, fieldManager: "m" });
    if (type.includes("apply")) query.set("force", "true");
    return api.call(method, `${path}?${query}`, text, { "content-type": type });
  };

  it("Strict refuses", async () => {
    const { code: refused, body } = await send("Strict");
    expect(body.message).toContain(refusal ?? "strict decoding error: ");
    expect(body.message).toContain(told.join(", "));
    expect([400, 422]).toContain(refused);
  });

  it("Ignore says nothing", async () => {
    // What can be done but once is done below.
    if (path.endsWith("/binding") || path.endsWith("/eviction")) return;
    expect(await send("Ignore")).toMatchObject({ code, warnings: null });
  });

  it("Warn warns", async () => {
    const warned = await send("Warn");
    expect(warned.code).toBe(code);
    expect(warned.warnings).toBe(told.map((each) => `299 - ${JSON.stringify(each)}`).join(", "));
  });
});

describe("the kind that a body sets twice", () => {
  it.each([
    { text: '{"kind":"Secret","kind":"ConfigMap","metadata":{"name":"a"}}', code: 201 },
    { text: '{"apiVersion":"v2","apiVersion":"v1","metadata":{"name":"a"}}', code: 201 },
    { text: '{"kind":"ConfigMap","kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}', code: 400 },
    { text: '{"kind":"ConfigMap","kind":null,"metadata":{"name":"a"}}', code: 201 },
  ])("$text", async ({ text, code }) =>
    expect((await api.post(`${NAMESPACE}/configmaps?dryRun=All`, text)).code).toBe(code),
  );
});
