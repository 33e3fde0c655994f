import { beforeAll, describe, expect, it } from "vitest";
import type { ApiContext } from "./attributes.ts";
import { serveNonResource } from "./non-resource.ts";
import { atPath, parseAddress } from "./request-head.ts";
import { testApi } from "./testing/api.ts";

/* Paths that are no resources, or that are none of a resource's: which methods, forms and parameters they take. */

const api = testApi();
beforeAll(async () => void (await api.post("/api/v1/namespaces", { metadata: { name: "default" } })));

describe("a method or form that is not there", () => {
  const CONFIGURATION = "/.well-known/openid-configuration";
  const NO_METHOD = "the server does not allow this method on the requested resource";
  const CONFIG_MAP = "/api/v1/namespaces/default/configmaps/a";

  it.each([
    { method: "POST", path: CONFIGURATION, code: 405, text: NO_METHOD },
    { method: "DELETE", path: "/openid/v1/jwks", code: 405, text: NO_METHOD },
    { method: "GET", path: CONFIGURATION, accept: "application/yaml", code: 406, text: "application/json" },
    { method: "GET", path: CONFIGURATION, accept: "application/json", code: 200, text: '"jwks_uri":"https://api/' },
    { method: "GET", path: `${CONFIGURATION}/`, code: 200, text: '"issuer":' },
    { method: "GET", path: "/openid/v1/jwks/", accept: "text/html", code: 404, text: "" },
    { method: "OPTIONS", path: CONFIG_MAP, code: 405, text: NO_METHOD },
    { method: "OPTIONS", path: `${CONFIG_MAP}/status`, code: 404, text: "could not find the requested resource" },
    { method: "PROPFIND", path: `${CONFIG_MAP}/nothing`, code: 404, text: "could not find the requested resource" },
    { method: "OPTIONS", path: "/api/v1/namespaces/default/pods/a/status", code: 405, text: NO_METHOD },
    { method: "GET", path: "//api/v1/namespaces/default", code: 404, text: "404 page not found" },
    { method: "GET", path: "/apis//", code: 404, text: "404 page not found" },
  ])("$method $path $accept: $code", async ({ method, path, accept, code, text }) => {
    const reply = await api.call(method, path, undefined, accept ? { accept } : {});
    expect(reply.code).toBe(code);
    expect(reply.text).toContain(text);
  });

  it("a refusal that nobody can take in a form of theirs is for people", async () => {
    const { text } = await api.get("/api/v1/pods", { accept: "text/html" });
    expect(text).toMatch(/^\{\n {2}"kind": "Status",\n/);
  });
});

it("the issuer's document names keys where the cluster is served", async () => {
  const path = "/.well-known/openid-configuration";
  const url = atPath(parseAddress(`https://api:6443/clusters/blue${path}`), path, "/clusters/blue");
  const call = { method: "GET", url, headers: new Headers(), body: async () => "" };
  const answer = (await serveNonResource(call, { cluster: "blue" } as ApiContext)) as Response;
  expect(await answer.json()).toMatchObject({ jwks_uri: "https://api:6443/clusters/blue/openid/v1/jwks" });
});

describe("health checks", () => {
  it.each([
    { path: "/readyz?exclude=etcd", want: "ok" },
    { path: "/readyz/shutdown", want: "ok" },
    { path: "/livez?verbose&exclude=ping", want: "[+]ping excluded: ok\n" },
    {
      path: "/livez?verbose&exclude=b&exclude=a&exclude=log",
      want: '\nwarn: some health checks cannot be excluded: no matches for "a","b"\nlivez check passed\n',
    },
    // One name, with a comma in it.
    { path: "/livez?verbose&exclude=log,ping", want: 'no matches for "log,ping"' },
  ])("$path", async ({ path, want }) => {
    const { code, text } = await api.get(path);
    expect(code).toBe(200);
    expect(text).toContain(want);
  });

  it("only readiness looks whether it is being shut down", async () => {
    expect((await api.get("/livez/shutdown")).code).toBe(404);
  });
});

describe("delete options", () => {
  it.each([
    { text: '{"kind":1}', want: "Go struct field .kind of type string" },
    {
      text: '{"apiVersion":[]}',
      want: "json parse error: json: cannot unmarshal array into Go struct field .apiVersion",
    },
    { text: '{"kind":"DeleteOptions","kind":"Pod"}', want: 'no kind "Pod" is registered' },
    { text: '{"preconditions":{"uid":"x"},"preconditions":{"resourceVersion":"1"}}', want: "not found" },
  ])("$text", async ({ text, want }) => {
    const reply = await api.delete("/api/v1/namespaces/default/configmaps/none", text);
    expect(reply.body.message).toContain(want);
  });
});
